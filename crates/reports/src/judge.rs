//! Whether a session's work is done.
//!
//! The evidence decides. What the agent says can make it less done (it says that it is blocked), never more. Where no
//! commit is due the report is the work, so there it must exist.

use serde::{Deserialize, Serialize};

use types::{CheckRun, Claim, Evidence, MissionKind, Reason, Report, Said, Verdict};

use crate::evidence::bounded;

/// What is to be there when a mission is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expectation {
    /// A commit that changes something.
    pub commit_due: bool,
    /// Checks that ran and passed.
    pub checks_due: bool,
}

impl Expectation {
    /// Returns what is due of a mission of some kind. Those that look and do not change need no commit, and checks
    /// prove nothing about them.
    #[must_use]
    pub fn of(kind: &MissionKind, project_has_checks: bool) -> Self {
        let commit_due = kind.makes_changes();
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
    reasons.extend(red(evidence));
    if reasons.is_empty() { Verdict::Done } else { Verdict::NotDone(reasons) }
}

/// Returns a report with the checks that ran since, and what follows from them.
#[must_use]
pub fn checked(report: &Report, checks: Vec<CheckRun>) -> Report {
    let evidence = bounded(Evidence { checks, ..report.evidence.clone() });
    let verdict = report.verdict.as_ref().map(|verdict| {
        let before = match verdict {
            Verdict::Done => &[][..],
            Verdict::NotDone(reasons) => reasons,
        };
        let stays = |reason: &&Reason| !matches!(reason, Reason::CheckRed { .. } | Reason::ChecksMissing);
        let reasons: Vec<Reason> = before.iter().filter(stays).cloned().chain(red(&evidence)).collect();
        if reasons.is_empty() { Verdict::Done } else { Verdict::NotDone(reasons) }
    });
    Report { evidence, verdict, ..report.clone() }
}

fn red(evidence: &Evidence) -> impl Iterator<Item = Reason> {
    let red = evidence.checks.iter().filter(|check| !check.is_green());
    red.map(|check| Reason::CheckRed { command: check.command.clone(), outcome: check.outcome.clone() })
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
