//! The same engine behind injected faults and the retry loop that makes up for them.
//!
//! Every check runs once more on this: if the engine is truthful about what was applied, the loop loses no commit
//! and doubles none, and the check cannot tell the difference. The loop here is the least that works; the one that
//! ships is in `store`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use crate::conformance::{Place, seed};
use crate::engine::{Commit, Engine, Error, Expect, Operation, Outcome, Row, Scan};
use crate::faulty::{Faulty, Injected};
use crate::key::Key;
use crate::limits::Limits;

/// Tries before a fault is passed on; at one fault in four calls that does not happen by chance.
const TRIES_MAX: u32 = 64;

/// Where commits leave their mark.
const MARKS: &str = "conformance marks";

/// A [`Place`] whose engine loses calls and answers, and retries.
#[derive(Debug)]
pub struct Troubled<P> {
    place: P,
    seed: u64,
    marks: Arc<AtomicU64>,
}

/// Retries until the engine beneath answers, and finds out whether a commit with a lost answer was applied.
///
/// Each commit puts one row more, its mark, which must be absent: a mark that is there says the commit was applied,
/// and at which revision.
#[derive(Debug)]
pub struct Retrying<E> {
    engine: E,
    marks: Arc<AtomicU64>,
}

impl<P: Place> Place for Troubled<P> {
    type Engine = Retrying<Faulty<P::Engine>>;

    async fn empty() -> Self {
        Self { place: P::empty().await, seed: seed(), marks: Arc::default() }
    }

    async fn open(&self) -> Self::Engine {
        let engine = Faulty::new(self.place.open().await, self.seed);
        Retrying { engine, marks: Arc::clone(&self.marks) }
    }
}

impl<E> Retrying<Faulty<E>> {
    /// Returns what was injected and made up for so far.
    pub fn injected(&self) -> Injected {
        self.engine.injected()
    }
}

impl<E: Engine> Retrying<E> {
    fn mark(&self) -> Key {
        Key::new(MARKS, format!("{:016}", self.marks.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns how a commit with this mark ended, if it was applied.
    async fn applied(&self, mark: &Key) -> Result<Option<Outcome>, Error> {
        Ok(self.get(mark).await?.map(|row| Outcome::Committed(row.revision)))
    }
}

#[async_trait]
impl<E: Engine> Engine for Retrying<E> {
    fn limits(&self) -> Limits {
        let limits = self.engine.limits();
        Limits {
            operations_max: limits.operations_max - 1,
            commit_bytes_max: limits.commit_bytes_max - MARKS.len() - 16,
            ..limits
        }
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.engine.get(key).await {
                Err(Error::Unavailable(_)) if tries < TRIES_MAX => {}
                answer => return answer,
            }
        }
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.engine.scan(scan.clone()).await {
                Err(Error::Unavailable(_)) if tries < TRIES_MAX => {}
                answer => return answer,
            }
        }
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        commit.check(self.limits())?;
        let mark = self.mark();
        let mut marked = commit;
        marked.operations.push(Operation::put(&mark, Expect::Absent, ""));
        let mut tries = 0;
        let mut unsure = false;
        loop {
            tries += 1;
            match self.engine.commit(marked.clone()).await {
                Err(Error::Unavailable(_)) if tries < TRIES_MAX => {}
                Err(Error::Unknown(_)) if tries < TRIES_MAX => {
                    unsure = true;
                    if let Some(outcome) = self.applied(&mark).await? {
                        return Ok(outcome);
                    }
                }
                // An earlier try of this very commit, applied late, makes this one conflict with itself.
                Ok(conflict @ Outcome::Conflict { .. }) if tries > 1 => {
                    let applied = self.applied(&mark).await?;
                    assert!(unsure || applied.is_none(), "a commit reported unavailable was applied");
                    return Ok(applied.unwrap_or(conflict));
                }
                answer => return answer,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemEngine;

    #[tokio::test]
    async fn the_loop_makes_up_for_every_kind_of_fault() {
        let memory = MemEngine::new();
        let engine = Retrying { engine: Faulty::new(memory.clone(), 11), marks: Arc::default() };
        let counter = Key::new("p", "counter");
        for count in 0..200_u32 {
            let row = engine.get(&counter).await.unwrap();
            let expect = row.as_ref().map_or(Expect::Absent, |row| Expect::At(row.revision));
            assert_eq!(row.map_or(0, |row| u32::from_le_bytes(row.value[..].try_into().unwrap())), count);
            let put = Operation::put(&counter, expect, (count + 1).to_le_bytes().to_vec());
            let outcome = engine.commit(put.into()).await.unwrap();
            let revision = memory.get(&counter).await.unwrap().unwrap().revision;
            assert_eq!(outcome, Outcome::Committed(revision));
        }
        let Injected { reads_refused, commits_refused, commits_lost, answers_lost } = engine.injected();
        assert!(reads_refused > 0 && commits_refused > 0 && commits_lost > 0 && answers_lost > 0);
    }
}
