//! An engine that fails on purpose: the same calls, with answers lost and refused as a real store loses them.
//!
//! What happened and what was reported are chosen apart, as far as [`Engine`] allows: a commit reported
//! [`Error::Unavailable`] was never applied, one reported [`Error::Unknown`] may or may not have been. It never lies
//! about a success, and never changes what the engine beneath answers when it does answer.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use async_trait::async_trait;

use crate::engine::{Commit, Engine, Error, Outcome, Row, Scan, Source};
use crate::key::Key;
use crate::limits::Limits;

/// One call in this many is disturbed.
const ONE_IN: u64 = 4;

/// Wraps an engine and disturbs its calls by a schedule that the seed decides.
///
/// The fate of the n-th call depends on the seed and n alone, so a single-threaded run repeats exactly.
#[derive(Debug)]
pub struct Faulty<E> {
    engine: E,
    seed: u64,
    quiet: AtomicBool,
    full: AtomicBool,
    calls: AtomicU64,
    reads_refused: AtomicU64,
    commits_refused: AtomicU64,
    commits_lost: AtomicU64,
    answers_lost: AtomicU64,
}

/// How often each fault was injected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Injected {
    /// Reads reported unavailable.
    pub reads_refused: u64,
    /// Commits not applied and reported unavailable.
    pub commits_refused: u64,
    /// Commits not applied and reported unknown.
    pub commits_lost: u64,
    /// Commits handed to the engine and reported unknown whatever it answered.
    pub answers_lost: u64,
}

/// The cause that an injected error carries.
#[derive(Debug, thiserror::Error)]
#[error("fault injected with seed {seed} into call {call}")]
struct Fault {
    seed: u64,
    call: u64,
}

/// What happens to a call that is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Refused,
    Lost,
    AnswerLost,
}

impl<E> Faulty<E> {
    /// Wraps an engine, with faults switched on.
    pub fn new(engine: E, seed: u64) -> Self {
        Self {
            engine,
            seed,
            quiet: AtomicBool::new(false),
            full: AtomicBool::new(false),
            calls: AtomicU64::new(0),
            reads_refused: AtomicU64::new(0),
            commits_refused: AtomicU64::new(0),
            commits_lost: AtomicU64::new(0),
            answers_lost: AtomicU64::new(0),
        }
    }

    /// Lets every call through undisturbed from now on.
    pub fn calm(&self) {
        self.quiet.store(true, Ordering::Relaxed);
    }

    /// Disturbs calls again.
    pub fn disturb(&self) {
        self.quiet.store(false, Ordering::Relaxed);
    }

    /// Refuses every commit, as on a full disk, or no longer does.
    pub fn set_full(&self, full: bool) {
        self.full.store(full, Ordering::Relaxed);
    }

    /// Returns what was injected so far.
    pub fn injected(&self) -> Injected {
        Injected {
            reads_refused: self.reads_refused.load(Ordering::Relaxed),
            commits_refused: self.commits_refused.load(Ordering::Relaxed),
            commits_lost: self.commits_lost.load(Ordering::Relaxed),
            answers_lost: self.answers_lost.load(Ordering::Relaxed),
        }
    }

    /// Draws the fate of the next call, if it is to be disturbed, and the cause to report.
    fn next(&self) -> Option<(Fate, Source)> {
        if self.quiet.load(Ordering::Relaxed) {
            return None;
        }
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let fate = fate(self.seed, call)?;
        Some((fate, Box::new(Fault { seed: self.seed, call })))
    }

    fn read_fault(&self) -> Result<(), Error> {
        let Some((_, cause)) = self.next() else { return Ok(()) };
        self.reads_refused.fetch_add(1, Ordering::Relaxed);
        Err(Error::Unavailable(cause))
    }
}

#[async_trait]
impl<E: Engine> Engine for Faulty<E> {
    fn limits(&self) -> Limits {
        self.engine.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.read_fault()?;
        self.engine.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.read_fault()?;
        self.engine.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        // A commit that cannot fit is refused before it is sent, so no fault can come in between.
        commit.check(self.limits())?;
        if self.full.load(Ordering::Relaxed) {
            let cause = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(Error::Unavailable(Box::new(cause)));
        }
        let Some((fate, cause)) = self.next() else { return self.engine.commit(commit).await };
        match fate {
            Fate::Refused => {
                self.commits_refused.fetch_add(1, Ordering::Relaxed);
                Err(Error::Unavailable(cause))
            }
            Fate::Lost => {
                self.commits_lost.fetch_add(1, Ordering::Relaxed);
                Err(Error::Unknown(cause))
            }
            Fate::AnswerLost => {
                self.engine.commit(commit).await?;
                self.answers_lost.fetch_add(1, Ordering::Relaxed);
                Err(Error::Unknown(cause))
            }
        }
    }
}

fn fate(seed: u64, call: u64) -> Option<Fate> {
    let drawn = mixed(seed ^ mixed(call));
    if !drawn.is_multiple_of(ONE_IN) {
        return None;
    }
    Some(match drawn / ONE_IN % 3 {
        0 => Fate::Refused,
        1 => Fate::Lost,
        _ => Fate::AnswerLost,
    })
}

/// Spreads a number over all 64 bits (the finalizer of SplitMix64).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
#[path = "faulty_tests.rs"]
mod tests;
