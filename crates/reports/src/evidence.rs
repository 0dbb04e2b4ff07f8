//! Evidence in the size in which it is kept, and in a few lines.

use serde::{Deserialize, Serialize};
use types::Evidence;

use crate::cut::{clean, head, tail};

/// The most bytes that are kept of a check's output.
pub const OUTPUT_TAIL_MAX: usize = 4 * 1024;
/// The most bytes of all outputs together.
const OUTPUTS_MAX: usize = 24 * 1024;
/// The most bytes of all commits, and of all files, as JSON.
const LIST_MAX: usize = 40 * 1024;
const SUBJECT_MAX: usize = 200;

/// Evidence in a few lines, for the next agent.
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

/// Returns evidence in a size that fits a document, with a count of what is left out. Checks are never left out, for
/// they decide; only their output is cut.
#[must_use]
pub fn bounded(mut evidence: Evidence) -> Evidence {
    for commit in &mut evidence.commits {
        commit.subject = head(&clean(&head(&commit.subject, 4 * SUBJECT_MAX)), SUBJECT_MAX).into_owned();
    }
    evidence.left_out.commits += shorten(&mut evidence.commits);
    evidence.left_out.files += shorten(&mut evidence.files);
    let share = OUTPUT_TAIL_MAX.min(OUTPUTS_MAX / evidence.checks.len().max(1));
    for check in &mut evidence.checks {
        check.output_tail = tail(&clean(&tail(&check.output_tail, 4 * share)), share).into_owned();
    }
    evidence
}

/// Returns evidence in a few lines.
#[must_use]
pub fn digest(evidence: &Evidence) -> Digest {
    Digest {
        commits: evidence.commits.len() + evidence.left_out.commits,
        files: evidence.files.iter().map(|file| file.path.clone()).collect(),
        files_total: evidence.files.len() + evidence.left_out.files,
        checks: evidence.checks.iter().map(|check| format!("`{}` {}", check.command, check.outcome)).collect(),
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
