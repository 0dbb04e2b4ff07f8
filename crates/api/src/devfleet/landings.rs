//! Finished branches on their way to the target branch.

use api_macros::{input, output};
use types::{
    CheckOutcome, CheckRun, Landing, LandingId, LandingState, MissionId, Obstacle, ProjectId, Publication, SessionId,
};

use crate::{IsoTime, Listing, Page};

/// List landings, newest first
#[input(Default)]
pub struct ListLandings {
    /// Only landings of this mission
    pub mission_id: Option<MissionId>,
    /// Only landings of this project
    pub project_id: Option<ProjectId>,
    #[group]
    pub page: Page,
}

/// Land the finished work of a mission
///
/// Queues its branch, also after checks were added; approves it if it waits for that, and tries it again if it stopped.
#[input]
pub struct LandMission {
    /// The mission
    pub mission: MissionId,
}

/// Approve a landing in review: it lands once its checks are green
#[input]
pub struct ApproveLanding {
    /// The landing
    pub landing: LandingId,
}

/// Retry a landing that stopped: check again, or push again
#[input]
pub struct RetryLanding {
    /// The landing
    pub landing: LandingId,
}

/// Drop a landing from the queue; its branch stays, its mission is parked
#[input]
pub struct DropLanding {
    /// The landing
    pub landing: LandingId,
}

/// A finished branch on its way to the target branch
#[output]
pub struct LandingView {
    /// Its id
    pub id: LandingId,
    /// Its state: queued, review, waiting, cleared, returned, stuck, landed or dropped
    pub status: String,
    /// What the work is called
    pub title: String,
    /// The mission
    pub mission_id: MissionId,
    /// The session
    pub session_id: SessionId,
    /// The project
    pub project_id: Option<ProjectId>,
    /// The branch
    pub branch: String,
    /// Where it lands; not known while it is unset
    pub target_branch: Option<String>,
    /// The commit at which the target branch stood after it
    pub commit: Option<String>,
    /// What keeps it, or what it waits for
    pub why: Option<String>,
    /// The checks that tell
    pub checks: Vec<CheckView>,
    /// Whether it was pushed: pending, done or refused; unset if that was not requested
    pub published: Option<String>,
    /// The address of its pull request
    pub pr_url: Option<String>,
    /// How often it was sent back to its agent
    pub returns: u32,
    /// What it was sent back for, oldest first; the last few
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sent_back: Vec<SentBackView>,
    /// When it came
    pub created_at: IsoTime,
    /// When it last changed
    pub updated_at: IsoTime,
}

/// A time that work was sent back to its agent
#[output]
pub struct SentBackView {
    /// What kept it from landing
    pub why: String,
    /// The check that failed, with the end of its output
    pub check: Option<CheckView>,
}

/// Landings, for tools
#[output]
pub struct LandingSummaries {
    /// The newest first
    pub landings: Vec<LandingView>,
    /// How many are listed
    pub count: usize,
}

impl From<Listing<LandingView>> for LandingSummaries {
    fn from(list: Listing<LandingView>) -> Self {
        Self { count: list.items.len(), landings: list.items }
    }
}

/// A check that Fleet ran
#[output]
pub struct CheckView {
    /// What was run
    pub command: String,
    /// Whether it was green
    pub passed: bool,
    /// How it ended
    pub outcome: String,
    /// The last lines of what it said
    pub output_tail: String,
    /// How long it took
    pub duration_ms: u64,
    /// What the kernel kept from it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// Hosts that it may not connect to and tried to, each with its count and the reason
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

impl From<Landing> for LandingView {
    fn from(landing: Landing) -> Self {
        let (status, progress) = (landing.state.name().as_str().to_owned(), landing.progress());
        let (published, pr_url, refused) = match landing.publication {
            None => (None, None, None),
            Some(Publication::Pending { .. }) => (Some("pending"), None, None),
            Some(Publication::Done { pr, .. }) => (Some("done"), pr, None),
            Some(Publication::Refused { why, .. }) => (Some("refused"), None, Some(why)),
        };
        let (commit, why, checks) = match landing.state {
            LandingState::Queued { .. } => (None, None, Vec::new()),
            LandingState::Review { .. } => (None, Some(progress), Vec::new()),
            LandingState::Waiting { why, check, .. } => (None, Some(why), check.into_iter().collect()),
            LandingState::Returned { obstacle, .. } | LandingState::Stuck { obstacle, .. } => {
                let checks = match &obstacle {
                    Obstacle::Red { check } => vec![check.clone()],
                    Obstacle::Conflict { .. } | Obstacle::Failed { .. } => Vec::new(),
                };
                (None, Some(obstacle.to_string()), checks)
            }
            LandingState::Cleared { commit, checks, .. } => (Some(commit), None, checks),
            LandingState::Landed { commit, checks, .. } => (Some(commit), refused, checks),
            LandingState::Dropped { .. } => (None, Some(progress), Vec::new()),
        };
        Self {
            id: landing.id,
            status,
            title: landing.title,
            mission_id: landing.mission,
            session_id: landing.session,
            project_id: landing.project,
            branch: landing.branch,
            target_branch: landing.rules.target,
            commit,
            why,
            checks: checks.into_iter().map(CheckView::from).collect(),
            published: published.map(str::to_owned),
            pr_url,
            returns: landing.returns,
            sent_back: landing.sent_back.into_iter().map(SentBackView::from).collect(),
            created_at: IsoTime(landing.created_at),
            updated_at: IsoTime(landing.updated_at),
        }
    }
}

impl From<Obstacle> for SentBackView {
    fn from(obstacle: Obstacle) -> Self {
        let why = obstacle.to_string();
        let check = match obstacle {
            Obstacle::Red { check } => Some(check.into()),
            Obstacle::Conflict { .. } | Obstacle::Failed { .. } => None,
        };
        Self { why, check }
    }
}

impl From<CheckRun> for CheckView {
    fn from(run: CheckRun) -> Self {
        let outcome = match &run.outcome {
            CheckOutcome::Passed => "passed".to_owned(),
            CheckOutcome::Failed { code } => format!("failed with code {code}"),
            CheckOutcome::TimedOut => "timed out".to_owned(),
            CheckOutcome::NotStarted { why } => format!("not started: {why}"),
        };
        let (passed, sandbox) = (run.is_green(), run.sandbox.as_ref().map(ToString::to_string));
        let CheckRun { command, output_tail, duration_ms, refused, .. } = run;
        Self { command, passed, outcome, output_tail, duration_ms, sandbox, refused }
    }
}
