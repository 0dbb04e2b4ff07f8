//! What a queue tries next, and what follows from an outcome: pure decisions over records.
//!
//! The keeper of a queue reads the records, asks here, and carries it out; the simulation asks the same.

use std::path::Path;

use types::{CheckRun, Landing, LandingState, Obstacle};

use crate::outcome::Outcome;

/// How often work is sent back to its agent before a person has to see to it.
pub const RETURNS_MAX: u32 = 2;

/// The most that are merged and checked together: a red run costs as many more as halving takes.
pub const TOGETHER_MAX: usize = 32;

/// The most files of a conflict that are kept.
const FILES_MAX: usize = 200;

/// The most bytes that all checks of one run may have said.
const SAID_MAX: usize = 100_000;

/// The most files of a dirty checkout that are named.
const FILES_SHOWN: usize = 5;

/// What follows from an outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follows {
    /// It is on the target branch.
    Landed {
        /// The commit of the target branch.
        commit: String,
        /// What was green on exactly that.
        checks: Vec<CheckRun>,
    },
    /// Its agent takes it up again.
    Returned {
        /// What it is told.
        obstacle: Obstacle,
    },
    /// A person has to see to it.
    Stuck {
        /// What keeps it.
        obstacle: Obstacle,
    },
    /// It stays in the queue and is looked at again.
    Waits {
        /// What for.
        why: String,
        /// The check that is red on the target branch itself, if it waits for that.
        check: Option<CheckRun>,
    },
    /// Nothing: it was dropped, and its record says so.
    Nothing,
}

/// Returns what is tried next of a queue of one target: those at its head who land under the same rules, oldest first.
///
/// A long queue is so landed by a few runs of the checks. No landing overtakes another: one with other rules waits
/// for its turn, and later ones wait behind it.
#[must_use]
pub fn next(queue: &[Landing]) -> Vec<&Landing> {
    let mut queue: Vec<&Landing> = queue.iter().filter(|landing| is_in_line(&landing.state)).collect();
    queue.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let Some(first) = queue.first().copied() else { return Vec::new() };
    let same = |landing: &&Landing| {
        let (one, other) = (&landing.rules, &first.rules);
        (&one.checks, one.check_timeout_secs) == (&other.checks, other.check_timeout_secs)
            && landing.project == first.project
    };
    queue.into_iter().take_while(same).take(TOGETHER_MAX).collect()
}

/// Returns whether a landing waits to be tried.
fn is_in_line(state: &LandingState) -> bool {
    match state {
        LandingState::Queued { .. } | LandingState::Waiting { .. } => true,
        LandingState::Review { .. }
        | LandingState::Cleared { .. }
        | LandingState::Returned { .. }
        | LandingState::Stuck { .. }
        | LandingState::Landed { .. }
        | LandingState::Dropped { .. } => false,
    }
}

/// Says what follows for a landing from what happened to its branch.
#[must_use]
pub fn follows(landing: &Landing, outcome: Outcome) -> Follows {
    match outcome {
        Outcome::Landed(landed) => Follows::Landed { commit: landed.commit.to_string(), checks: landed.checks },
        Outcome::Contained { tip } => Follows::Landed { commit: tip.to_string(), checks: Vec::new() },
        Outcome::Conflict { files, .. } => send_back(
            landing,
            Obstacle::Conflict { files: files.iter().take(FILES_MAX).map(|file| shown(file)).collect() },
        ),
        Outcome::Red(red) => match red.checks.into_iter().find(|check| !check.is_green()) {
            Some(check) => send_back(landing, Obstacle::Red { check }),
            None => stuck("a check was red, and none says so".to_owned()),
        },
        Outcome::Unrelated { .. } => stuck("its branch has no commit in common with the target branch".to_owned()),
        Outcome::Gone { branch } => stuck(format!("its branch `{branch}` is gone")),
        Outcome::CheckoutDirty { checkout, files } => {
            let (named, more) = (files.iter().take(FILES_SHOWN), files.len().saturating_sub(FILES_SHOWN));
            let named = named.map(|file| shown(file)).collect::<Vec<_>>().join(", ");
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let place = checkout.display();
            waits(format!(
                "the checkout `{place}` is on the target branch and has changes of yours that this would overwrite \
                 ({named}{more}); commit or stash them, then it lands by itself"
            ))
        }
        Outcome::TargetRed { tip, target, check } => {
            let (command, outcome, id) = (&check.command, &check.outcome, &landing.id);
            let tip = tip.as_str().get(..10).unwrap_or(tip.as_str());
            let why = format!(
                "red on `{target}` itself: check `{command}` {outcome} at {tip} without this work; fix `{target}` or the \
                 check, then it is tried again by itself, or at once with `fleet land retry {id}`"
            );
            Follows::Waits { why, check: Some(check) }
        }
        Outcome::Locked { said } => waits(format!("git is at work in the checkout: {said}")),
        Outcome::Moving { tries } => {
            waits(format!("others moved the target branch {tries} times while it was checked"))
        }
        Outcome::Withdrawn => Follows::Nothing,
    }
}

/// Back to the agent, a few times; then a person has to see to it.
fn send_back(landing: &Landing, obstacle: Obstacle) -> Follows {
    if landing.returns < RETURNS_MAX { Follows::Returned { obstacle } } else { Follows::Stuck { obstacle } }
}

/// Shortens what green checks said where all of it together is more than a record should hold.
#[must_use]
pub fn slim(mut checks: Vec<CheckRun>) -> Vec<CheckRun> {
    let share = SAID_MAX / checks.len().max(1);
    for check in &mut checks {
        let begin = check.output_tail.len().saturating_sub(share);
        let begin = (begin..=check.output_tail.len()).find(|at| check.output_tail.is_char_boundary(*at));
        check.output_tail.drain(..begin.unwrap_or_default());
    }
    checks
}

fn waits(why: String) -> Follows {
    Follows::Waits { why, check: None }
}

fn stuck(why: String) -> Follows {
    Follows::Stuck { obstacle: Obstacle::Failed { why } }
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
