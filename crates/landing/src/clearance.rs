//! Who says whether a candidate may still land, and is told what happened to it.
//!
//! The engine asks once, between green checks and the move of the target branch. What is written down then is what a
//! crash during the move leaves behind: so a candidate that is dropped never lands after that, and one that
//! landed is never without its evidence.

use git::Oid;
use types::CheckRun;

use crate::Candidate;
use crate::outcome::Outcome;

/// A move of the target branch that is about to happen.
#[derive(Debug, Clone, Copy)]
pub struct Cleared<'a> {
    /// The current commit of the target branch.
    pub from: &'a Oid,
    /// What it moves to.
    pub commit: &'a Oid,
    /// The candidates that land by this move, in the order of the queue.
    pub together: &'a [String],
    /// The checks, all green on exactly what the branch moves to.
    pub checks: &'a [CheckRun],
}

/// What is said to a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// It may happen; the implementation has recorded that it may have happened.
    Go,
    /// Not with these, who were taken out meanwhile: what is left of the trial is merged and checked without them.
    Without(Vec<String>),
    /// Unknown for now, so nothing moves.
    NotNow {
        /// Why.
        why: String,
    },
}

/// Who drives a queue, as far as the engine knows it.
pub trait Clearance: Send {
    /// Asks whether a move may happen.
    fn clear(&mut self, clearance: &Cleared<'_>) -> impl Future<Output = Word> + Send;

    /// Says that a move that was cleared has not happened and will not.
    fn recall(&mut self, together: &[String]) -> impl Future<Output = ()> + Send;

    /// Reports what happened to a candidate; once for each, unless the engine fails.
    fn tell(&mut self, candidate: &Candidate, outcome: Outcome);
}

/// An implementation that only listens lets everything land.
impl<F: FnMut(&Candidate, Outcome) + Send> Clearance for F {
    fn clear(&mut self, _: &Cleared<'_>) -> impl Future<Output = Word> + Send {
        std::future::ready(Word::Go)
    }

    fn recall(&mut self, _: &[String]) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        self(candidate, outcome);
    }
}
