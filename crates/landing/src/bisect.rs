//! Which candidates of a queue are tried together, and who is to blame when they are red: a pure state machine.
//!
//! It hands out a trial, which is a run of the queue to be merged in order on what has landed; the caller merges,
//! checks and says how that went. A green trial has landed as a whole. A red one is halved: what is known to be red
//! from an earlier run on the very same tree is not checked again. It knows no git, no check and no time. Nothing is
//! ever said to have landed but the whole of a trial that was green.

use std::collections::VecDeque;

/// What happened to a candidate; `R` is the evidence of a red run, `O` why it is out for another reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict<R, O> {
    /// It was in a trial that was green.
    Landed,
    /// It is what made a trial red.
    Red(R),
    /// It left the queue without a check.
    Out(O),
}

/// The queue, on its way to one verdict for each candidate; candidates are their places in it.
#[derive(Debug, Clone)]
pub(crate) struct Bisect<R, O> {
    /// What is not settled, the next run of the queue last.
    waiting: Vec<Run<R>>,
    trial: Vec<usize>,
    settled: VecDeque<(usize, Verdict<R, O>)>,
}

/// Candidates that stand beside each other in the queue.
#[derive(Debug, Clone)]
struct Run<R> {
    candidates: Vec<usize>,
    /// The evidence that all of them are red on what will have landed, if everything before them lands.
    red: Option<R>,
}

impl<R: Clone, O: Clone> Bisect<R, O> {
    /// Begins with a queue of that many candidates.
    #[must_use]
    pub(crate) fn new(count: usize) -> Self {
        Self {
            waiting: vec![Run { candidates: (0..count).collect(), red: None }],
            trial: vec![],
            settled: VecDeque::new(),
        }
    }

    /// Returns the next candidates to merge and check together; none when all are settled.
    ///
    /// Exactly one of the methods below is to be called for each trial.
    pub(crate) fn trial(&mut self) -> Option<Vec<usize>> {
        self.put_back();
        while let Some(Run { candidates, red }) = self.waiting.pop() {
            match (&candidates[..], red) {
                ([], _) => {}
                (_, None) => {
                    self.trial.clone_from(&candidates);
                    return Some(candidates);
                }
                ([alone], Some(red)) => self.blame(*alone, red),
                (many, Some(red)) => {
                    let (first, second) = many.split_at(many.len() / 2);
                    self.waiting.push(Run { candidates: second.to_vec(), red: Some(red) });
                    self.waiting.push(Run { candidates: first.to_vec(), red: None });
                }
            }
        }
        None
    }

    /// Says that the trial was green and has landed.
    pub(crate) fn green(&mut self) {
        let landed = std::mem::take(&mut self.trial);
        self.settled.extend(landed.into_iter().map(|candidate| (candidate, Verdict::Landed)));
    }

    /// Says that the trial was red.
    pub(crate) fn red(&mut self, evidence: R) {
        let candidates = std::mem::take(&mut self.trial);
        self.waiting.push(Run { candidates, red: Some(evidence) });
    }

    /// Says that the trial was red for a cause that is outside of it: each of its candidates is tried alone, since one of
    /// them may be what mends that cause.
    pub(crate) fn apart(&mut self) {
        let candidates = std::mem::take(&mut self.trial);
        let alone = |candidate| Run { candidates: vec![candidate], red: None };
        self.waiting.extend(candidates.into_iter().rev().map(alone));
    }

    /// Says that the candidate at this place of the trial cannot be part of any: it is out, and the others continue.
    pub(crate) fn out(&mut self, place: usize, why: O) {
        if place < self.trial.len() {
            let candidate = self.trial.remove(place);
            self.settled.push_back((candidate, Verdict::Out(why)));
            self.forget();
        }
    }

    /// Requires that what is before this position of the trial is settled before the rest can be tried.
    pub(crate) fn cut(&mut self, place: usize) {
        let rest = self.trial.split_off(place.clamp(1, self.trial.len().max(1)).min(self.trial.len()));
        self.waiting.push(Run { candidates: rest, red: None });
    }

    /// Says that something else has landed meanwhile, so that nothing is known of what was tried.
    pub(crate) fn moved(&mut self) {
        self.put_back();
        self.forget();
    }

    /// Says that nothing more can be tried now.
    pub(crate) fn stop(&mut self, why: &O) {
        self.put_back();
        while let Some(run) = self.waiting.pop() {
            self.settled.extend(run.candidates.into_iter().map(|candidate| (candidate, Verdict::Out(why.clone()))));
        }
    }

    /// Takes the oldest verdict that has not been taken yet.
    pub(crate) fn settled(&mut self) -> Option<(usize, Verdict<R, O>)> {
        self.settled.pop_front()
    }

    fn blame(&mut self, candidate: usize, evidence: R) {
        self.settled.push_back((candidate, Verdict::Red(evidence)));
        self.forget();
    }

    /// Without a candidate that was among them, runs that were red may be green.
    fn forget(&mut self) {
        self.waiting.iter_mut().for_each(|run| run.red = None);
    }

    fn put_back(&mut self) {
        let candidates = std::mem::take(&mut self.trial);
        if !candidates.is_empty() {
            self.waiting.push(Run { candidates, red: None });
        }
    }
}

#[cfg(test)]
#[path = "bisect_tests.rs"]
mod tests;
