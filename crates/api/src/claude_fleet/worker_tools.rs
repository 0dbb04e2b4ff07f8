//! claude-fleet's MCP tools on workers, their worktrees and their sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::Handle;

use super::WorkerView;

/// Start a worker in the caller's team
///
/// It works in a worktree of its own and stays until it is dismissed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct TeamSpawnTool {
    /// The worker's name
    pub handle: Handle,
    /// What to do first; without it the worker waits for messages
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100_000))]
    pub prompt: Option<String>,
    /// The folder to work in; the one the server was started in, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub working_dir: Option<String>,
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

/// End a worker of the caller's team and everything it started
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamDismissTool {
    /// The worker
    pub handle: Handle,
}

/// List the live workers of the caller's team
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamWorkersTool {}

/// The live workers of a team
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TeamWorkers {
    /// How many there are
    pub count: usize,
    /// The oldest first
    pub workers: Vec<WorkerView>,
}

/// Say something to a worker of the caller's team
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamSendTool {
    /// The worker
    pub handle: Handle,
    /// What to say
    #[schemars(length(min = 1, max = 50_000))]
    pub message: String,
}

/// Say something to a worker of the team; the same as `team_send`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessageTool {
    /// The worker
    pub handle: Handle,
    /// What to say
    #[schemars(length(min = 1, max = 50_000))]
    pub message: String,
}

/// Commit everything in a worktree
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorktreeCommitTool {
    /// The message of the commit
    #[schemars(length(min = 1, max = 1000))]
    pub message: String,
    /// Whose worktree; the caller's own, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
}

/// Push a worktree's branch to `origin`, never by force
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorktreePushTool {
    /// Whose worktree; the caller's own, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
}

/// Push a worktree's branch and open a pull request of it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorktreePrTool {
    /// One line
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// What it does and why
    #[schemars(length(min = 1, max = 10_000))]
    pub body: String,
    /// The branch it is for; the repository's default, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub base: Option<String>,
    /// Whose worktree; the caller's own, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
}

/// Find sessions by what was asked of them and what they said last
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchSessionsTool {
    /// What to look for
    #[schemars(length(min = 1, max = 500))]
    pub query: String,
    /// Most sessions to return; 20, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<u32>,
}
