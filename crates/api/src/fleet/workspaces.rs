//! The folders that sessions work in: what there is, what goes, what comes back.

use api_macros::{input, output};
use types::SessionId;

use crate::IsoTime;

/// List workspaces
#[input(Default)]
pub struct ListWorkspaces {}

/// A folder that a session works in or worked in
#[output(camelCase)]
pub struct WorkspaceView {
    /// Where it is
    pub path: String,
    /// What it is for: `session`, `pool`, `unfinished` or `foreign`
    pub purpose: String,
    /// The session
    pub session: Option<String>,
    /// Who works in it now
    pub in_use_by: Option<String>,
    /// Its branch
    pub branch: Option<String>,
    /// The repository it belongs to
    pub repository: Option<String>,
    /// Whether it has changes that are not committed; unknown if git cannot tell
    pub dirty: Option<bool>,
    /// Bytes on disk
    pub bytes: u64,
    /// When it is removed, after a snapshot; unset while its session is at work, or where it is kept
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_after: Option<IsoTime>,
    /// When something in it was last done
    pub last_used_at: IsoTime,
    /// What was left out when it was made
    pub notes: Vec<String>,
}

/// List snapshots of removed workspaces
#[input]
pub struct ListSnapshots {
    /// The repository, or a folder in it
    #[schemars(length(min = 1, max = 4000))]
    pub folder: String,
}

/// A removed folder that can be restored
#[output]
pub struct SnapshotView {
    /// Its name
    pub snapshot: String,
    /// Its commit
    pub commit: String,
}

/// Restore a removed workspace from its snapshot
#[input]
pub struct RestoreWorkspace {
    /// The repository, or a folder in it
    #[schemars(length(min = 1, max = 4000))]
    pub folder: String,
    /// The snapshot's name
    #[schemars(length(min = 1, max = 200))]
    pub snapshot: String,
    /// Where to; beside the others, when unset
    #[schemars(length(min = 1, max = 4000))]
    pub to: Option<String>,
}

/// Where a folder was restored
#[output]
pub struct Restored {
    /// The folder
    pub path: String,
}

/// Remove the workspace of an ended session, after a snapshot
#[input]
pub struct RemoveWorkspace {
    /// The session
    pub session: SessionId,
}

/// A folder that was removed
#[output(camelCase)]
pub struct RemovedWorkspace {
    /// Where it was
    pub path: String,
    /// The snapshot that has everything
    pub snapshot: Option<String>,
    /// The branch, if it was deleted
    pub deleted_branch: Option<String>,
    /// Bytes that came free
    pub bytes: Option<u64>,
    /// What did not go as it should
    pub notes: Vec<String>,
}

/// Remove workspaces until enough space is free, least recently used first
#[input(Default)]
pub struct PruneWorkspaces {
    /// Megabytes to free; default: from the settings
    #[schemars(range(min = 0, max = 1_000_000_000))]
    pub free_mb: Option<u64>,
    /// Remove them; without it, nothing is removed, and what would be is listed
    #[serde(default)]
    pub apply: bool,
}

/// What was removed, and what was kept
#[output(camelCase)]
pub struct Pruned {
    /// What was done, in a sentence
    pub summary: String,
    /// What went; without `apply`, what would
    pub removed: Vec<RemovedWorkspace>,
    /// What stays, and why
    pub kept: Vec<KeptWorkspace>,
    /// Bytes that came free
    pub freed: u64,
    /// Bytes that are missing even then
    pub missing: u64,
}

/// A folder that stays
#[output]
pub struct KeptWorkspace {
    /// Where it is
    pub path: String,
    /// Why it stays
    pub why: String,
}
