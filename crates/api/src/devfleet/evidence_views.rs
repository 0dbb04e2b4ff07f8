//! How this dialect shows what Fleet saw of an agent's work.

use api_macros::output;
use types::{ChangeKind, Evidence};

use super::landings::CheckView;

/// What Fleet saw of the work
#[output]
pub struct EvidenceView {
    /// Commits on the branch, newest first
    pub commits: Vec<CommitView>,
    /// How many there are besides those
    pub more_commits: usize,
    /// Files that changed
    pub files: Vec<FileView>,
    /// How many there are besides those
    pub more_files: usize,
    /// Checks that Fleet ran
    pub checks: Vec<CheckView>,
    /// Whether the agent left work uncommitted, which Fleet committed
    pub uncommitted_kept: bool,
    /// What it cost
    pub total_cost_usd: f64,
    /// Whether that is not known, because the agent reports no price
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// Tokens it took
    pub total_tokens: u64,
    /// Calls of the model
    pub turns: u32,
    /// How long its processes ran
    pub duration_ms: u64,
}

/// A commit
#[output]
pub struct CommitView {
    /// Its name
    pub hash: String,
    /// The first line of its message
    pub subject: String,
}

/// A file that changed
#[output]
pub struct FileView {
    /// Where it is now
    pub path: String,
    /// How it changed: added, modified, deleted, renamed or retyped
    pub change: String,
    /// Where it was before
    pub renamed_from: Option<String>,
    /// Lines that came; none for a binary file
    pub added: Option<u64>,
    /// Lines that went; none for a binary file
    pub removed: Option<u64>,
}

impl From<Evidence> for EvidenceView {
    fn from(evidence: Evidence) -> Self {
        Self {
            commits: evidence.commits.into_iter().map(Into::into).collect(),
            more_commits: evidence.left_out.commits,
            files: evidence.files.into_iter().map(Into::into).collect(),
            more_files: evidence.left_out.files,
            checks: evidence.checks.into_iter().map(Into::into).collect(),
            uncommitted_kept: evidence.uncommitted_kept,
            total_cost_usd: evidence.cost.dollars(),
            cost_unknown: evidence.cost_unknown,
            total_tokens: evidence.tokens.sum(),
            turns: evidence.turns,
            duration_ms: evidence.duration_ms,
        }
    }
}

impl From<types::Commit> for CommitView {
    fn from(commit: types::Commit) -> Self {
        Self { hash: commit.oid, subject: commit.subject }
    }
}

impl From<types::FileChange> for FileView {
    fn from(file: types::FileChange) -> Self {
        Self {
            change: change(&file.kind).to_owned(),
            renamed_from: match file.kind {
                ChangeKind::Renamed { from } => Some(from),
                ChangeKind::Added | ChangeKind::Modified | ChangeKind::Deleted | ChangeKind::Retyped => None,
            },
            path: file.path,
            added: file.added,
            removed: file.removed,
        }
    }
}

fn change(kind: &ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed { .. } => "renamed",
        ChangeKind::Retyped => "retyped",
    }
}
