//! How this dialect shows a session: a node of a lineage, with what it has taken and cost.

use api_macros::output;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Handle, MissionId, Origin, Session, SessionEnding, SessionId, SessionState, Spending, TeamName};

/// A session
#[output(camelCase)]
pub struct SessionNode {
    /// Its id
    pub id: SessionId,
    /// The name of its agent
    pub worker_handle: Handle,
    /// The team
    pub team_name: TeamName,
    /// Its status: `starting`, `running`, `waiting`, `stopping`, `completed`, `failed` or `cancelled`
    pub status: String,
    /// How it came to be: `new`, `fork`, `trim` or `continue`
    pub origin: SessionOrigin,
    /// The session it comes from
    pub parent_id: Option<SessionId>,
    /// The agent
    pub agent: String,
    /// The model, if one was asked for
    pub model: Option<String>,
    /// What the work is called
    pub title: Option<String>,
    /// What was asked, cut after 2000 characters
    pub prompt: String,
    /// Its last words, or what it failed of
    pub result: Option<String>,
    /// The mission it works on
    pub mission_id: Option<MissionId>,
    /// The agent's own id of the conversation
    pub claude_session_id: Option<String>,
    /// The folder it works in
    pub working_dir: Option<String>,
    /// Its branch
    pub branch: Option<String>,
    /// What it has taken
    pub tokens: TokenCount,
    /// What it has cost, as far as its agent says
    pub cost_usd: f64,
    /// Whether that is unknown: its agent reported tokens and no price
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// Turns it has taken
    pub turns: u32,
    /// How many processes it has had
    pub runs: u32,
    /// When it was asked for, in milliseconds since 1970
    pub created_at: u64,
    /// When it last changed, in milliseconds since 1970
    pub updated_at: u64,
    /// When it ended, in milliseconds since 1970
    pub ended_at: Option<u64>,
}

/// How a session came to be
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrigin {
    /// It begins there
    New,
    /// With a copy of another's conversation
    Fork,
    /// With the last of what another said and did
    Trim,
    /// From where another ended
    Continue,
}

/// Tokens by kind
#[output(Copy, Default, camelCase)]
pub struct TokenCount {
    /// Read
    pub input: u64,
    /// Written
    pub output: u64,
    /// Read from a cache
    pub cache_read: u64,
    /// Written to a cache
    pub cache_write: u64,
    /// All of them
    pub total: u64,
}

/// Characters of a prompt or an ending that are shown.
const SHOWN_MAX: usize = 2_000;

impl SessionNode {
    /// Shows a session with what it has taken until now; its conversation, if the agent has named it meanwhile.
    #[must_use]
    pub fn of(session: &Session, spending: Spending, conversation: Option<String>) -> Self {
        let tokens = spending.spent.tokens.plus(spending.unsettled);
        let (ended_at, result) = end(&session.state);
        let workspace = session.workspace.as_ref();
        Self {
            id: session.id.clone(),
            worker_handle: session.handle.clone(),
            team_name: session.team.clone(),
            status: session.state.name().as_str().to_owned(),
            origin: SessionOrigin::from(&session.origin),
            parent_id: session.origin.parent().cloned(),
            agent: session.order.agent.clone(),
            model: session.order.model.clone(),
            title: session.order.title.clone(),
            prompt: cut(&session.order.prompt),
            result: result.map(cut),
            mission_id: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            claude_session_id: conversation.or_else(|| session.conversation.clone()),
            working_dir: workspace.map(|workspace| workspace.path.clone()),
            branch: workspace.and_then(|workspace| Some(workspace.worktree.as_ref()?.branch.clone())),
            tokens: TokenCount {
                input: tokens.input,
                output: tokens.output,
                cache_read: tokens.cache_read,
                cache_write: tokens.cache_write,
                total: tokens.sum(),
            },
            cost_usd: spending.spent.cost.dollars(),
            cost_unknown: !spending.has_known_cost(),
            turns: spending.turns,
            runs: session.runs,
            created_at: millis(session.created_at),
            updated_at: millis(session.updated_at),
            ended_at,
        }
    }
}

/// A time as this dialect writes it.
#[must_use]
pub fn millis(at: types::Timestamp) -> u64 {
    u64::try_from(at.as_millisecond()).unwrap_or_default()
}

fn end(state: &SessionState) -> (Option<u64>, Option<&str>) {
    match state {
        SessionState::Ended { at, ending } => {
            let text = match ending {
                SessionEnding::Completed { text } | SessionEnding::Failed { text, .. } => Some(text.as_str()),
                SessionEnding::Cancelled { .. } => None,
            };
            (Some(millis(*at)), text)
        }
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => (None, None),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(SHOWN_MAX).collect()
}

impl From<&Origin> for SessionOrigin {
    fn from(origin: &Origin) -> Self {
        match origin {
            Origin::New => Self::New,
            Origin::Fork { .. } => Self::Fork,
            Origin::Trim { .. } => Self::Trim,
            Origin::Continue { .. } => Self::Continue,
        }
    }
}
