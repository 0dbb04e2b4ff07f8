//! The worktree of a worker: what is in it, and how it gets out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::Handle;

/// Compare a worker's worktree with its last commit and where it started
///
/// Of a worker that is gone, it is the worktree of the last one of that name; so it is for the other operations here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetWorktree {
    /// The worker
    pub handle: Handle,
}

/// A worker's worktree
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorktreeView {
    /// Whether there is one; a worker that works in place has none
    pub exists: bool,
    /// Its branch
    pub branch: Option<String>,
    /// Whether something in it is not committed
    pub has_changes: bool,
    /// How its branch stands to the commit it started from
    pub ahead_behind: AheadBehind,
    /// The worker
    pub handle: Handle,
    /// Where it is
    pub path: Option<String>,
    /// Commits that no remote is known to have
    pub unpushed: usize,
}

/// How a branch stands to where it started
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AheadBehind {
    /// Commits that only the branch has
    pub ahead: usize,
    /// Commits that only the other has
    pub behind: usize,
}

/// Commit everything in a worker's worktree
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitWorktree {
    /// The worker
    pub handle: Handle,
    /// The message of the commit
    #[schemars(length(min = 1, max = 1000))]
    pub message: String,
}

/// A commit that was made
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommittedWorktree {
    /// Always true
    pub success: bool,
    /// Its name
    pub commit_hash: String,
    /// The worker
    pub handle: Handle,
}

/// Push a worker's branch to `origin`, never by force
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PushWorktree {
    /// The worker
    pub handle: Handle,
}

/// Push a worker's branch and open a pull request of it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenPullRequest {
    /// The worker
    pub handle: Handle,
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
}

/// A pull request that was opened
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenedPullRequest {
    /// Always true
    pub success: bool,
    /// Its address
    pub pr_url: String,
    /// The worker
    pub handle: Handle,
}
