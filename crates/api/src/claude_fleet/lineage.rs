//! Sessions and where they come from: begun, trimmed, continued, forked, found again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Handle, SessionId, TeamName};

use super::session_node::SessionNode;

/// Begin a session: start a worker and show its session
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateSession {
    /// The worker's name
    pub handle: Handle,
    /// What to do first; without it the worker waits for messages
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100_000))]
    pub prompt: Option<String>,
    /// The team; the caller's own, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<TeamName>,
    /// The folder to work in; the one the server was started in, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub working_dir: Option<String>,
    /// Work in the folder as it is, with nobody kept apart; otherwise in a worktree of its own
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_place: bool,
    /// The agent, such as `claude`; `fleet agents list` shows them
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub agent: Option<String>,
    /// Another word for `agent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub coder: Option<String>,
    /// Another word for `agent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub executor: Option<String>,
    /// The model
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
}

/// Show a session with what it has taken and cost
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetSessionNode {
    /// The session
    pub id: SessionId,
}

/// List the sessions of a worker's name, newest first
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListWorkerSessions {
    /// The worker
    pub handle: Handle,
    /// Most sessions to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// Begin a new conversation with the last of what a session said and did
///
/// The new session starts where the other's branch stands. The other one is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TrimSession {
    /// The session
    pub id: SessionId,
    /// Most characters that are kept; 20000, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 200_000))]
    pub keep_chars: Option<u32>,
    /// What to do; what the other one was asked, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: Option<String>,
}

/// Begin a new conversation that goes on from where a session ended
///
/// The new session starts where the other's branch stands. The other one is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContinueSession {
    /// The session
    pub id: SessionId,
    /// What to do; what the other one was asked and how it ended, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: Option<String>,
}

/// Go on with a copy of a session's conversation
///
/// The new session starts where the other's branch stands. The other one is left as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForkSession {
    /// The session
    pub id: SessionId,
    /// What to do
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: String,
    /// The new worker's name; Fleet chooses one, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
}

/// Show where a session comes from and what came of it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetLineage {
    /// The session
    pub id: SessionId,
}

/// A session with those it comes from and those that come from it
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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

/// Find sessions by what was asked of them and what they said last
///
/// It looks for the words as they stand, in any case, in the newest 1000 sessions that the caller may see: in names,
/// titles, prompts, endings and, in the newest 100 of them, the last lines of output. The answer says how far it got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchSessions {
    /// What to look for
    #[schemars(length(min = 1, max = 500))]
    pub query: String,
    /// Most sessions to return; 20, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
}

/// Sessions that were found
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundSession {
    /// The session
    pub session_id: SessionId,
    /// The name its agent goes by
    pub worker_handle: Handle,
    /// Where the words were found: `handle`, `title`, `prompt`, `ending` or `output`
    pub field: String,
    /// The words with some of what stands around them
    pub snippet: String,
    /// When it last changed, in milliseconds since 1970
    pub timestamp: u64,
    /// The model, if one was asked for
    pub model: Option<String>,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
