//! The worktree of a worker: what is in it, and how it gets out.

use api_macros::{input, output};
use types::Handle;

/// Compare a worker's worktree with its last commit and where it started
///
/// Of a worker that is gone, it is the worktree of the last one of that name; so it is for the other operations here.
#[input]
pub struct GetWorktree {
    /// The worker
    pub handle: Handle,
}

/// A worker's worktree
#[output(camelCase)]
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
#[output(Copy, Default)]
pub struct AheadBehind {
    /// Commits that only the branch has
    pub ahead: usize,
    /// Commits that only the other has
    pub behind: usize,
}

/// Commit everything in a worker's worktree
#[input]
pub struct CommitWorktree {
    /// The worker; yourself, when unset
    pub handle: Option<Handle>,
    /// The message of the commit
    #[schemars(length(min = 1, max = 1000))]
    pub message: String,
}

/// A commit that was made
#[output(camelCase)]
pub struct CommittedWorktree {
    /// Always true
    pub success: bool,
    /// Its name
    pub commit_hash: String,
    /// The worker
    pub handle: Handle,
}

/// Push a worker's branch to `origin`, never by force
#[input]
pub struct PushWorktree {
    /// The worker; yourself, when unset
    pub handle: Option<Handle>,
}

/// Push a worker's branch and open a pull request of it
#[input]
pub struct OpenPullRequest {
    /// The worker; yourself, when unset
    pub handle: Option<Handle>,
    /// One line
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// What it does and why
    #[schemars(length(min = 1, max = 10_000))]
    pub body: String,
    /// The branch it is for; the repository's default, when unset
    #[schemars(length(min = 1, max = 100))]
    pub base: Option<String>,
}

/// A pull request that was opened
#[output(camelCase)]
pub struct OpenedPullRequest {
    /// Always true
    pub success: bool,
    /// Its address
    pub pr_url: String,
    /// The worker
    pub handle: Handle,
}
