//! Sessions and where they come from: begun, trimmed, continued, forked, found again.

use api_macros::{input, output};
use types::{Handle, SessionId, TeamName};

use super::session_node::SessionNode;
use crate::{AgentName, Page};

/// Begin a session: start a worker and show its session
#[input(camelCase)]
pub struct CreateSession {
    /// The worker's name
    pub handle: Handle,
    /// What to do first; without it the worker waits for messages
    #[schemars(length(max = 100_000))]
    pub prompt: Option<String>,
    /// The team; the caller's own, when unset
    pub team_name: Option<TeamName>,
    /// The folder to work in; the one the server was started in, when unset
    #[schemars(length(min = 1, max = 500))]
    pub working_dir: Option<String>,
    /// Work in the folder directly, without isolation; otherwise in a worktree of its own
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_place: bool,
    #[group]
    pub agent: AgentName,
    /// The model
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
}

/// Show a session with what it has taken and cost
#[input]
pub struct GetSessionNode {
    /// The session
    pub id: SessionId,
}

/// List the sessions of a worker's name, newest first
#[input]
pub struct ListWorkerSessions {
    /// The worker
    pub handle: Handle,
    #[group]
    pub page: Page,
}

/// Start a new conversation with the end of a session's transcript
///
/// The new session starts at the commit of the other's branch. The other session is unchanged.
#[input(camelCase)]
pub struct TrimSession {
    /// The session
    pub id: SessionId,
    /// Most characters that are kept; 20000, when unset
    #[schemars(range(min = 1, max = 200_000))]
    pub keep_chars: Option<u32>,
    /// What to do; what the other one was asked, when unset
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: Option<String>,
}

/// Start a new conversation where a session ended
///
/// The new session starts at the commit of the other's branch. The other session is unchanged.
#[input]
pub struct ContinueSession {
    /// The session
    pub id: SessionId,
    /// What to do; what the other one was asked and how it ended, when unset
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: Option<String>,
}

/// Fork a session: continue a copy of its conversation
///
/// The new session starts at the commit of the other's branch. The other session is unchanged.
#[input]
pub struct ForkSession {
    /// The session
    pub id: SessionId,
    /// What to do
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: String,
    /// The new worker's name; Fleet chooses one, when unset
    pub handle: Option<Handle>,
}

/// Show the ancestors and descendants of a session
#[input]
pub struct GetLineage {
    /// The session
    pub id: SessionId,
}

/// A session with its ancestors and descendants
#[output(camelCase)]
pub struct LineageView {
    /// The session
    pub session_id: SessionId,
    /// From the first one to this one
    pub chain: Vec<SessionNode>,
    /// Those that come from this one, the oldest first
    pub descendants: Vec<SessionNode>,
    /// Tokens that all of them have taken
    pub total_tokens: u64,
    /// What all of them have cost
    pub total_cost_usd: f64,
}

/// Search sessions by prompt and last output
///
/// It looks for the words as they stand, in any case, in the newest 1000 sessions that the caller may see: in names,
/// titles, prompts, endings and, in the newest 100 of them, the last lines of output. The answer says how far it got.
#[input]
pub struct SearchSessions {
    /// The words
    #[schemars(length(min = 1, max = 500))]
    pub query: String,
    /// Most sessions to return; 20, when unset
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
}

/// Sessions that were found
#[output(camelCase)]
pub struct FoundSessions {
    /// Those that were found, the newest first
    pub results: Vec<FoundSession>,
    /// How many they are
    pub count: usize,
    /// How many sessions were looked at
    pub searched: usize,
    /// Of how many the output was looked at too
    pub outputs_searched: usize,
    /// Whether that were all there are
    pub complete: bool,
}

/// A session that was found
#[output(camelCase)]
pub struct FoundSession {
    /// The session
    pub session_id: SessionId,
    /// The name of its agent
    pub worker_handle: Handle,
    /// Where the words were found: `handle`, `title`, `prompt`, `ending` or `output`
    pub field: String,
    /// The words with some of the text around them
    pub snippet: String,
    /// When it last changed, in milliseconds since 1970
    pub timestamp: u64,
    /// The model, if one was asked for
    pub model: Option<String>,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
