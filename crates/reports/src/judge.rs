//! Whether a session's work is done.
//!
//! The evidence decides. What the agent says can make it less done (it says that it is blocked), never more. Where no
//! commit is due the report is the work, so there it must exist.

use serde::{Deserialize, Serialize};

use types::CheckOutcome;

use crate::evidence::Evidence;
use crate::said::{Claim, Said};

/// What is to be there when a mission is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// A commit that changes something.
    pub commit_due: bool,
    /// Checks that ran and passed.
    pub checks_due: bool,
}

/// Whether the work is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "reasons", rename_all = "snake_case")]
pub enum Verdict {
    /// Everything that is due is there.
    Done,
    /// Something is not; never without a reason.
    NotDone(Vec<Reason>),
}

/// Why work is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// The agent says that it could not go on.
    #[error("the agent says that it is blocked: {why}")]
    Blocked {
        /// In its words.
        why: String,
    },
    /// Nothing was reported where the report is the work.
    #[error("there is no report, and a report is what this mission is for")]
    NoReport,
    /// Nothing was committed.
    #[error("a commit is due and there is none{}", if *kept { "; what was left uncommitted has been kept" } else { "" })]
    NoCommit {
        /// Whether there is uncommitted work, kept by Fleet.
        kept: bool,
    },
    /// Nothing was committed, and the agent says that nothing had to be.
    #[error("a commit is due and there is none; the agent says that nothing needed doing")]
    NothingToDo,
    /// There are commits, and together they change nothing.
    #[error("the commits change no file")]
    NothingChanged,
    /// No check ran.
    #[error("checks are due and none ran")]
    ChecksMissing,
    /// A check ran and did not pass, or could not be run.
    #[error("the check `{command}` {outcome}")]
    CheckRed {
        /// Which.
        command: String,
        /// How it ended.
        outcome: CheckOutcome,
    },
}

impl Expectation {
    /// Returns what is due of a mission of some kind. Those that look and do not change need no commit, and checks
    /// prove nothing about them.
    #[must_use]
    pub fn of(mission_kind: &str, project_has_checks: bool) -> Self {
        let commit_due = !matches!(mission_kind, "review" | "explore" | "test");
        Self { commit_due, checks_due: commit_due && project_has_checks }
    }
}

/// Decides whether work is done.
#[must_use]
pub fn judge(said: Option<&Said>, evidence: &Evidence, expectation: Expectation) -> Verdict {
    let said = said.filter(|said| !said.is_empty());
    let claim = said.map_or(Claim::Unclear, |said| said.claim);
    let mut reasons = Vec::new();
    if let Some(said) = said.filter(|said| said.claim == Claim::Blocked) {
        reasons.push(Reason::Blocked { why: said.errors_encountered.clone() });
    }
    if expectation.commit_due {
        reasons.extend(missing_commit(claim, evidence));
    } else if claim == Claim::Unclear {
        reasons.push(Reason::NoReport);
    }
    if expectation.checks_due && evidence.checks.is_empty() {
        reasons.push(Reason::ChecksMissing);
    }
    // A check that ran counts, whoever asked for it.
    let red = evidence.checks.iter().filter(|check| check.outcome != CheckOutcome::Passed);
    reasons
        .extend(red.map(|check| Reason::CheckRed { command: check.command.clone(), outcome: check.outcome.clone() }));
    if reasons.is_empty() { Verdict::Done } else { Verdict::NotDone(reasons) }
}

fn missing_commit(claim: Claim, evidence: &Evidence) -> Option<Reason> {
    let commits = evidence.commits.len() + evidence.left_out.commits;
    let files = evidence.files.len() + evidence.left_out.files;
    match (commits, files) {
        (0, _) if claim == Claim::NothingToDo && !evidence.uncommitted_kept => Some(Reason::NothingToDo),
        (0, _) => Some(Reason::NoCommit { kept: evidence.uncommitted_kept }),
        (_, 0) => Some(Reason::NothingChanged),
        (_, _) => None,
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
