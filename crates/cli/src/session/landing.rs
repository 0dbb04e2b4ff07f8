//! What follows a session that is done: its branch lands, waits, or goes back to its agent. Shown in lines after the
//! session's own.

use api::Page;
use api::devfleet::{GetSession, LandingView, ListLandings, SessionRow, SessionStatus};
use serde_json::json;

use super::show::lines;
use crate::context::Context;
use crate::failure::Failure;
use crate::terminal::Style;

/// How often the server is asked while a branch lands.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(500);
/// How often in a row the server may fail to answer.
const FAILURES_MAX: u32 = 240;

/// What follows in a landing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// Nothing follows by itself: it landed, or waits for a person; whether the work is fine so far.
    Over {
        /// Whether it landed or may still.
        success: bool,
    },
    /// The agent works on it again, so that there is more to follow.
    Again,
}

/// Shows the landing of a session's work, each step once.
#[derive(Debug)]
pub(crate) struct LandingPage {
    session: SessionRow,
    /// How often the work had gone back to its agent when that was last read.
    returns: u32,
    last: String,
}

impl LandingPage {
    pub(crate) fn new(session: SessionRow) -> Self {
        Self { session, returns: 0, last: String::new() }
    }

    /// Shows how far the landing is, if there is one.
    ///
    /// # Errors
    /// When the server does not answer, or the output is gone.
    pub(crate) async fn show(&mut self, context: &mut Context<'_>) -> Result<(), Failure> {
        match self.landing(context).await? {
            Some(landing) => self.print(&landing, context),
            None => Ok(()),
        }
    }

    fn print(&mut self, landing: &LandingView, context: &mut Context<'_>) -> Result<(), Failure> {
        let text = if context.options.json {
            format!("{}\n", json!({ "type": "landing", "landing": landing }))
        } else {
            step(landing, context.terminal.data_style())
        };
        if text.is_empty() || std::mem::replace(&mut self.last, text.clone()) == text {
            return Ok(());
        }
        context.terminal.print(&text)
    }

    /// Follows the landing until nothing more happens by itself, or its agent works again.
    ///
    /// # Errors
    /// As [`LandingPage::show`].
    pub(crate) async fn follow(&mut self, context: &mut Context<'_>) -> Result<Then, Failure> {
        let mut failures = 0;
        let begun = context.clock.monotonic();
        loop {
            let found = match self.landing(context).await {
                Ok(found) => found,
                Err(_) if failures < FAILURES_MAX => {
                    failures += 1;
                    context.clock.sleep(PAUSE).await;
                    continue;
                }
                Err(error) => return Err(error),
            };
            failures = 0;
            let Some(landing) = found else { return Ok(Then::Over { success: true }) };
            // What its agent did meanwhile is read before anything is said of what came of that.
            let is_back = landing.returns != self.returns;
            if is_back && (landing.status != "returned" || self.is_running(context).await) {
                self.returns = landing.returns;
                return Ok(Then::Again);
            }
            self.print(&landing, context)?;
            match landing.status.as_str() {
                "landed" | "review" => return Ok(Then::Over { success: true }),
                "stuck" | "dropped" => return Ok(Then::Over { success: false }),
                "waiting" => context.clock.sleep(PAUSE).await,
                status => {
                    let what = if status == "queued" { "queued or checking" } else { "landing" };
                    context.terminal.progress_since(context.clock, what, begun);
                    context.clock.sleep(PAUSE).await;
                }
            }
        }
    }

    async fn landing(&self, context: &Context<'_>) -> Result<Option<LandingView>, Failure> {
        let Some(mission) = self.session.mission_id.clone() else { return Ok(None) };
        let page = Page { limit: Some(1), after: None };
        let list = ListLandings { mission_id: Some(mission), page, ..ListLandings::default() };
        let newest = context.connect().await?.call(list).await?.output.items.pop();
        Ok(newest.filter(|landing| landing.session_id == self.session.id))
    }

    async fn is_running(&self, context: &Context<'_>) -> bool {
        let Ok(client) = context.connect().await else { return false };
        let session = client.call(GetSession { session: self.session.id.clone() }).await;
        session.is_ok_and(|found| found.output.session.status == SessionStatus::Running)
    }
}

/// Writes the state of a landing; nothing where the session's own log says more.
fn step(landing: &LandingView, style: Style) -> String {
    let target =
        landing.target_branch.as_deref().map_or("the target branch".to_owned(), |target| format!("`{target}`"));
    let why = lines(landing.why.as_deref().unwrap_or_default()).trim_end().to_owned();
    let said = match landing.status.as_str() {
        "returned" | "cleared" => return String::new(),
        "queued" => format!("── queued to land on {target}"),
        "review" => format!("── {}", why.strip_prefix("it ").unwrap_or(&why)),
        "waiting" => style.warning(&format!("── waits to land: {why}")),
        "stuck" => style.error(&format!("── cannot land: {why}; then `fleet land retry {}`", landing.id)),
        "landed" => {
            let commit: String = landing.commit.iter().flat_map(|commit| commit.chars().take(10)).collect();
            let checks = match landing.checks.len() {
                0 => "nothing checked".to_owned(),
                1 => "1 check green".to_owned(),
                many => format!("{many} checks green"),
            };
            style.good(&format!("── landed on {target} as {commit}, {checks}"))
        }
        status => format!("── {status}: {why}"),
    };
    format!("{said}\n")
}
