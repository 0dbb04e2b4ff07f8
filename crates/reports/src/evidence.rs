//! What Fleet itself saw of a session's work: plain data, gathered by others.
//!
//! Nothing in here comes from the agent's report. The output of checks and the subjects of commits were written by what
//! the agent made, so they are text to show, never to obey.

use serde::{Deserialize, Serialize};
use types::{CheckRun, Cost, Tokens};

use crate::cut::{clean, head, tail};

/// The most bytes that are kept of a check's output.
pub const OUTPUT_TAIL_MAX: usize = 4 * 1024;
/// The most bytes of all outputs together.
const OUTPUTS_MAX: usize = 24 * 1024;
/// The most bytes of all commits, and of all files, as JSON.
const LIST_MAX: usize = 40 * 1024;
const SUBJECT_MAX: usize = 200;

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

/// Evidence in a few lines, for whoever goes on from there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// How many commits there are.
    pub commits: usize,
    /// The paths that changed, as far as they are listed.
    pub files: Vec<String>,
    /// How many files changed.
    pub files_total: usize,
    /// Each check with how it ended, in words.
    pub checks: Vec<String>,
}

impl Evidence {
    /// Returns it in a size that fits a document, with a count of what is left out. Checks are never left out, for they
    /// decide; only their output is cut.
    #[must_use]
    pub fn bounded(mut self) -> Self {
        for commit in &mut self.commits {
            commit.subject = head(&clean(&head(&commit.subject, 4 * SUBJECT_MAX)), SUBJECT_MAX).into_owned();
        }
        self.left_out.commits += shorten(&mut self.commits);
        self.left_out.files += shorten(&mut self.files);
        let share = OUTPUT_TAIL_MAX.min(OUTPUTS_MAX / self.checks.len().max(1));
        for check in &mut self.checks {
            check.output_tail = tail(&clean(&tail(&check.output_tail, 4 * share)), share).into_owned();
        }
        self
    }

    /// Returns it in a few lines.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest {
            commits: self.commits.len() + self.left_out.commits,
            files: self.files.iter().map(|file| file.path.clone()).collect(),
            files_total: self.files.len() + self.left_out.files,
            checks: self.checks.iter().map(|check| format!("`{}` {}", check.command, check.outcome)).collect(),
        }
    }
}

/// Drops the end of a list that is too long, and returns how much that was. A path is never cut: half of it is another.
fn shorten<T: Serialize>(list: &mut Vec<T>) -> usize {
    let mut room = LIST_MAX;
    let fits = |item: &T| {
        let bytes = serde_json::to_string(item).map_or(LIST_MAX, |json| json.len() + 1);
        let fits = bytes <= room;
        room = room.saturating_sub(bytes);
        fits
    };
    let kept = list.iter().map(fits).take_while(|fits| *fits).count();
    let gone = list.len() - kept;
    list.truncate(kept);
    gone
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
