//! What the branch of a mission changes.

use api_macros::{input, output};
use types::{MissionId, SessionId};

use super::evidence_views::{CommitView, FileView};

/// Show what the branch of a mission changes
///
/// Compares the branch of the newest session that has one with the commit it started from; what the target branch has
/// got meanwhile is left out.
#[input]
pub struct DiffMission {
    /// The mission
    pub mission: MissionId,
    /// Bytes of the patch; 0 leaves it out
    #[serde(default = "patch_bytes")]
    #[schemars(range(min = 0, max = 10_000_000))]
    pub max_bytes: u64,
}

/// What the branch of a mission changes
#[output]
pub struct MissionDiff {
    /// The mission
    pub mission: MissionId,
    /// The session whose branch it is
    pub session: SessionId,
    /// The branch
    pub branch: String,
    /// The commit that it started from
    pub base: String,
    /// The folder of its worktree
    pub worktree: String,
    /// Whether the worktree has changes that are not committed, which are not shown; unknown if it is gone
    pub uncommitted: Option<bool>,
    /// Its commits, newest first
    pub commits: Vec<CommitView>,
    /// How many there are besides those
    pub more_commits: usize,
    /// Files that differ
    pub files: Vec<FileView>,
    /// The patch
    pub patch: String,
    /// Whether the patch is longer than shown
    pub truncated: bool,
}

const fn patch_bytes() -> u64 {
    1_000_000
}
