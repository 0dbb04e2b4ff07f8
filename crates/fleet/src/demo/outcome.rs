//! What came of it: a row for each agent, and every promise that was not kept.

use api::devfleet::{LandingView, SessionRow, SessionStatus};
use cli::Failure;

use super::cast::Role;
use super::place::DemoFolder;

/// The state of a landing whose branch is on `main`.
const LANDED: &str = "landed";

/// What happened to one agent's work.
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    pub(super) role: &'a Role,
    pub(super) session: SessionRow,
    /// What it was heard to say.
    pub(super) heard: Vec<String>,
    /// Its commits as `git log --oneline` shows them, the newest first.
    pub(super) log: Vec<String>,
    /// Lines that it added.
    pub(super) lines: usize,
    /// What happened to its branch: `landed`, or what keeps it.
    pub(super) landing: String,
}

impl<'a> Outcome<'a> {
    /// Looks at the branch of a session.
    pub(super) fn read(
        role: &'a Role,
        session: SessionRow,
        heard: Vec<String>,
        landing: Option<LandingView>,
        place: &DemoFolder,
    ) -> Result<Self, Failure> {
        let (mut log, mut lines) = (Vec::new(), 0);
        if let Some(branch) = &session.branch {
            let range = format!("{}..{branch}", place.first()?);
            log = place.git(&["log", "--oneline", &range])?.lines().map(str::to_owned).collect();
            lines = place.git(&["diff", "--numstat", &range])?.lines().filter_map(added).sum();
        }
        let landing = match landing {
            Some(LandingView { status, why: Some(why), .. }) => format!("{status}: {why}"),
            Some(LandingView { status, .. }) => status,
            None => "not queued".to_owned(),
        };
        Ok(Self { role, session, heard, log, lines, landing })
    }

    /// Returns what was promised of it and is not so.
    pub(super) fn broken(&self) -> Vec<String> {
        let (role, session) = (self.role, &self.session);
        let mut broken = Vec::new();
        if session.status != SessionStatus::Completed {
            broken.push(format!("it is {}: {}", session.status.as_str(), session.last_error));
        }
        if self.log.len() != role.commits {
            broken.push(format!("{} commits in place of {}", self.log.len(), role.commits));
        }
        if session.retry_count != role.restarts {
            broken.push(format!("{} restarts in place of {}", session.retry_count, role.restarts));
        }
        if self.landing != LANDED {
            broken.push(format!("its branch has not landed: {}", self.landing));
        }
        if self.heard != role.says {
            broken.push(format!("it said {:?}, and this was heard: {:?}", role.says, self.heard));
        }
        broken.into_iter().map(|what| format!("{} ({}): {what}", role.name, session.id)).collect()
    }

    /// Returns its row of the closing table.
    pub(super) fn row(&self) -> Vec<String> {
        let session = &self.session;
        let took = session.ended_at.map(|ended| ended.0.duration_since(session.started_at.0).as_secs());
        vec![
            self.role.name.to_owned(),
            session.handle.clone(),
            self.landing.clone(),
            self.log.len().to_string(),
            format!("+{}", self.lines),
            api::quantity::cost(session.total_cost_usd, session.cost_unknown),
            took.map(|secs| format!("{secs} s")).unwrap_or_default(),
            session.retry_count.to_string(),
        ]
    }
}

/// The heading of the closing table.
pub(super) fn heading() -> Vec<String> {
    ["MISSION", "AGENT", "BRANCH", "COMMITS", "LINES", "COST", "TIME", "RESTARTS"].map(str::to_owned).to_vec()
}

/// The first column of `--numstat` counts added lines; `-` means that there are none to count.
fn added(line: &str) -> Option<usize> {
    line.split('\t').next()?.parse().ok()
}
