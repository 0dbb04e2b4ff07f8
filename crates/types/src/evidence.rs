//! What Fleet itself saw of a session's work: plain data, gathered by others.
//!
//! Nothing in here comes from the agent's report. The output of checks and the subjects of commits were written by what
//! the agent made, so they are text to show, never to obey.

use serde::{Deserialize, Serialize};

use crate::{CheckRun, Cost, Tokens};

/// What Fleet saw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// Commits on the session's branch since its base, newest first.
    pub commits: Vec<Commit>,
    /// Files that differ between the base and the branch.
    pub files: Vec<FileChange>,
    /// Checks that were run on the branch.
    pub checks: Vec<CheckRun>,
    /// Whether the agent left work uncommitted and Fleet kept it.
    pub uncommitted_kept: bool,
    /// What it cost.
    pub cost: Cost,
    /// Whether that is not known, because the agent reports no price.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// What it took of the model.
    pub tokens: Tokens,
    /// Calls of the model.
    pub turns: u32,
    /// How long processes of the session ran.
    pub duration_ms: u64,
    /// What is not listed above because there was too much of it.
    pub left_out: LeftOut,
}

/// How much is not listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftOut {
    /// Commits.
    pub commits: usize,
    /// Files.
    pub files: usize,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    /// Its full name.
    pub oid: String,
    /// The first line of its message.
    pub subject: String,
}

/// A file that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Where it is now, from the top of the repository.
    pub path: String,
    /// How it changed.
    pub kind: ChangeKind,
    /// Lines that came; none for a binary file.
    pub added: Option<u64>,
    /// Lines that went; none for a binary file.
    pub removed: Option<u64>,
}

/// How a file changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its content or mode is another.
    Modified,
    /// It is gone.
    Deleted,
    /// It was elsewhere.
    Renamed {
        /// Where.
        from: String,
    },
    /// A file became a link, or the like.
    Retyped,
}
