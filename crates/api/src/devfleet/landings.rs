//! Finished branches on their way to the target branch.

use api_macros::{input, output};
use types::{
    CheckOutcome, CheckRun, Landing, LandingId, LandingState, LandingStateName, MissionId, ProjectId, Publication,
    SessionId,
};

use crate::{IsoTime, Page};

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

/// Retry a landing: approve a review, check again, or push again
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
    /// When it came
    pub created_at: IsoTime,
    /// When it last changed
    pub updated_at: IsoTime,
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
        let status = landing.state.name().as_str().to_owned();
        let (published, pr_url, refused) = match landing.publication {
            None => (None, None, None),
            Some(Publication::Pending { .. }) => (Some("pending"), None, None),
            Some(Publication::Done { pr, .. }) => (Some("done"), pr, None),
            Some(Publication::Refused { why, .. }) => (Some("refused"), None, Some(why)),
        };
        let (commit, why, checks) = match landing.state {
            LandingState::Queued { .. } | LandingState::Review { .. } => (None, None, Vec::new()),
            LandingState::Waiting { why, .. } => (None, Some(why), Vec::new()),
            LandingState::Returned { obstacle, .. } | LandingState::Stuck { obstacle, .. } => {
                let checks = match &obstacle {
                    types::Obstacle::Red { check } => vec![check.clone()],
                    types::Obstacle::Conflict { .. } | types::Obstacle::Failed { .. } => Vec::new(),
                };
                (None, Some(obstacle.to_string()), checks)
            }
            LandingState::Cleared { commit, checks, .. } => (Some(commit), None, checks),
            LandingState::Landed { commit, checks, .. } => (Some(commit), refused, checks),
            LandingState::Dropped { by, why, .. } if why.is_empty() => {
                (None, Some(format!("taken out by {by}")), Vec::new())
            }
            LandingState::Dropped { why, .. } => (None, Some(why), Vec::new()),
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
            created_at: IsoTime(landing.created_at),
            updated_at: IsoTime(landing.updated_at),
        }
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

impl LandingView {
    /// Returns whether a landing in a state can be tried again; of one that has landed, only its push can.
    #[must_use]
    pub fn can_retry(state: LandingStateName) -> bool {
        match state {
            LandingStateName::Review
            | LandingStateName::Waiting
            | LandingStateName::Stuck
            | LandingStateName::Dropped => true,
            LandingStateName::Queued
            | LandingStateName::Cleared
            | LandingStateName::Returned
            | LandingStateName::Landed => false,
        }
    }
}
