//! The engine in memory: what tests and simulations run on, and the model the other engines are compared with.
//!
//! It has the narrowest limits of all engines, so that a decision which writes too much fails in a test first. It
//! never fails by itself (wrap it in [`crate::Faulty`] for that) and never touches a disk.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;

use crate::engine::{Action, Commit, Engine, Error, Operation, Order, Outcome, Revision, Row, Scan};
use crate::key::{Key, Partition};
use crate::limits::Limits;

/// Rows in memory; clones share them, as two processes would share one database.
#[derive(Debug, Clone, Default)]
pub struct MemEngine {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    partitions: BTreeMap<Partition, BTreeMap<String, Stored>>,
    /// Counts commits and never goes back, so a revision cannot repeat.
    revision: u64,
}

#[derive(Debug, Clone)]
struct Stored {
    revision: Revision,
    value: Bytes,
}

impl MemEngine {
    /// Starts with no rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts the rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.state().partitions.values().map(BTreeMap::len).sum()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements that can panic, so a poisoned lock is still good.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Engine for MemEngine {
    fn limits(&self) -> Limits {
        Limits::NARROWEST
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        Ok(self.state().get(key).map(|stored| stored.row(key.clone())))
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        Ok(self.state().scan(&scan))
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        commit.check(self.limits())?;
        Ok(self.state().commit(commit))
    }
}

impl State {
    fn get(&self, key: &Key) -> Option<&Stored> {
        self.partitions.get(&key.partition)?.get(&key.sort)
    }

    fn scan(&self, scan: &Scan) -> Vec<Row> {
        let (Some(rows), Some(span)) = (self.partitions.get(&scan.partition), scan.span()) else {
            return Vec::new();
        };
        let to = span.to.map_or(Bound::Unbounded, Bound::Excluded);
        let found = rows.range((Bound::Included(span.from), to));
        let row = |(sort, stored): (&String, &Stored)| {
            stored.row(Key { partition: scan.partition.clone(), sort: sort.clone() })
        };
        match scan.order {
            Order::Ascending => found.map(row).take(scan.limit).collect(),
            Order::Descending => found.rev().map(row).take(scan.limit).collect(),
        }
    }

    fn commit(&mut self, commit: Commit) -> Outcome {
        if let Some(broken) = commit.operations.iter().find(|operation| !self.holds(operation)) {
            return Outcome::Conflict { key: Some(broken.key.clone()) };
        }
        self.revision += 1;
        let revision = Revision(self.revision);
        for Operation { key, action, .. } in commit.operations {
            match action {
                Action::Put(value) => {
                    let rows = self.partitions.entry(key.partition).or_default();
                    rows.insert(key.sort, Stored { revision, value });
                }
                Action::Delete => {
                    if let Entry::Occupied(mut rows) = self.partitions.entry(key.partition) {
                        rows.get_mut().remove(&key.sort);
                        // Partitions come and go with records; an empty one would stay for ever.
                        if rows.get().is_empty() {
                            rows.remove();
                        }
                    }
                }
                Action::Check => {}
            }
        }
        Outcome::Committed(revision)
    }

    fn holds(&self, operation: &Operation) -> bool {
        operation.expect.holds(self.get(&operation.key).map(|stored| stored.revision))
    }
}

impl Stored {
    fn row(&self, key: Key) -> Row {
        Row { key, revision: self.revision, value: self.value.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{self, Place};

    struct Memory(MemEngine);

    impl Place for Memory {
        type Engine = MemEngine;

        async fn empty() -> Self {
            Self(MemEngine::new())
        }

        async fn open(&self) -> MemEngine {
            self.0.clone()
        }
    }

    conformance::suite!(Memory);
}
