//! One random history under way: the engine, its model in memory, and which of their revisions mean the same write.
//!
//! Revisions are opaque, so the two sides are never compared by number: each revision of the model is paired with the
//! one the engine showed for the same write, and a pairing may never change.

use std::collections::HashMap;

use crate::engine::{Action, Engine, Error, Expect, Operation, Order, Outcome, Revision, Row, Scan};
use crate::key::{Key, Partition};
use crate::mem::MemEngine;

const PARTITIONS: [&str; 3] = ["", "/", "x"];
const SORTS: [&str; 8] = ["a", "a\0", "a/b", "ab", "b", "_", "é", "\u{10ffff}"];

/// How many keys a history plays with: few, so that steps meet.
pub(super) const KEYS: usize = PARTITIONS.len() * SORTS.len();

/// One step of a history; keys are given by number.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Commit(Vec<Part>),
    Get(usize),
    /// Scans the partition of `key` for the first `prefix` characters of its sort key.
    Scan {
        key: usize,
        prefix: usize,
        after: Option<usize>,
        limit: usize,
        order: Order,
    },
}

/// One operation of a commit.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) key: usize,
    pub(super) guess: Guess,
    pub(super) deed: Deed,
}

/// What a part expects of its key; which revision that means is known only when its turn comes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Guess {
    Anything,
    Absent,
    Current,
    Stale,
}

/// What a part does to its key.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deed {
    Put(u8),
    Delete,
    Check,
}

/// Both engines and what is known of their revisions.
pub(super) struct World<'a, E> {
    engine: &'a E,
    model: MemEngine,
    history: u64,
    /// For each key and revision of the model, the engine's revision of that write.
    pairs: HashMap<(Key, Revision), Revision>,
    /// For each key, the model's revisions it has had, oldest first.
    past: HashMap<Key, Vec<Revision>>,
}

/// How a commit ended, as far as both sides must agree.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Committed,
    Conflict,
    Refused,
}

impl<'a, E: Engine> World<'a, E> {
    /// Starts a history in partitions that no other history uses.
    pub(super) fn new(engine: &'a E, history: u64) -> Self {
        Self { engine, model: MemEngine::new(), history, pairs: HashMap::new(), past: HashMap::new() }
    }

    /// Takes every step on both sides and compares after each.
    pub(super) async fn replay(mut self, steps: Vec<Step>) {
        for step in steps {
            match step {
                Step::Commit(parts) => self.commit(parts).await,
                Step::Get(number) => self.get(number).await,
                Step::Scan { key, prefix, after, limit, order } => {
                    let Key { partition, sort } = self.key(key);
                    let prefix = sort.chars().take(prefix).collect();
                    let after = after.map(|number| self.key(number).sort);
                    self.scan(Scan { partition, prefix, after, limit, order }).await;
                }
            }
            for name in PARTITIONS {
                self.scan(Scan::all(self.partition(name))).await;
            }
        }
    }

    fn partition(&self, name: &str) -> Partition {
        Partition::new(format!("{}{name}", self.history))
    }

    fn key(&self, number: usize) -> Key {
        let partition = self.partition(PARTITIONS[number / SORTS.len()]);
        Key { partition, sort: SORTS[number % SORTS.len()].to_owned() }
    }

    async fn commit(&mut self, parts: Vec<Part>) {
        let mut for_model = Vec::new();
        for part in parts {
            for_model.push(self.operation(&part).await);
        }
        let for_engine: Vec<Operation> = for_model.iter().map(|operation| self.translated(operation)).collect();
        let expected = self.model.commit(for_model.clone().into()).await;
        let actual = self.engine.commit(for_engine.into()).await;
        assert_eq!(end(&actual), end(&expected), "engine {actual:?}, model {expected:?}");
        if let (Ok(Outcome::Committed(actual)), Ok(Outcome::Committed(expected))) = (actual, expected) {
            for operation in for_model {
                if matches!(operation.action, Action::Put(_)) {
                    self.past.entry(operation.key.clone()).or_default().push(expected);
                    self.pair(operation.key, expected, actual);
                }
            }
        }
    }

    /// Makes the operation for the model; a guess that means nothing yet becomes one that does.
    async fn operation(&self, part: &Part) -> Operation {
        let key = self.key(part.key);
        let current = self.model.get(&key).await.unwrap().map(|row| row.revision);
        let stale = self.past.get(&key).and_then(|past| past.iter().find(|revision| Some(**revision) != current));
        let expect = match part.guess {
            Guess::Anything => Expect::Anything,
            Guess::Absent => Expect::Absent,
            Guess::Current => current.map_or(Expect::Absent, Expect::At),
            Guess::Stale => stale.map_or(Expect::Anything, |revision| Expect::At(*revision)),
        };
        match part.deed {
            Deed::Put(byte) => Operation::put(&key, expect, vec![byte; usize::from(byte % 4)]),
            Deed::Delete => Operation::delete(&key, expect),
            Deed::Check => Operation::check(&key, expect),
        }
    }

    /// Says the same to the engine, in its own revisions.
    fn translated(&self, operation: &Operation) -> Operation {
        let expect = match operation.expect {
            Expect::At(revision) => Expect::At(self.pairs[&(operation.key.clone(), revision)]),
            same @ (Expect::Anything | Expect::Absent) => same,
        };
        Operation { expect, ..operation.clone() }
    }

    fn pair(&mut self, key: Key, expected: Revision, actual: Revision) {
        let repeated =
            self.pairs.iter().any(|((other, model), engine)| *other == key && *engine == actual && *model != expected);
        assert!(!repeated, "{actual:?} of {key} stands for two writes");
        let known = *self.pairs.entry((key.clone(), expected)).or_insert(actual);
        assert_eq!(known, actual, "the revision of {key} changed without a write");
    }

    async fn get(&mut self, number: usize) {
        let key = self.key(number);
        let actual = self.engine.get(&key).await.unwrap();
        let expected = self.model.get(&key).await.unwrap();
        self.compare(actual.into_iter().collect(), expected.into_iter().collect());
    }

    async fn scan(&mut self, scan: Scan) {
        let actual = self.engine.scan(scan.clone()).await.unwrap();
        let expected = self.model.scan(scan).await.unwrap();
        self.compare(actual, expected);
    }

    fn compare(&mut self, actual: Vec<Row>, expected: Vec<Row>) {
        let contents = |rows: &[Row]| rows.iter().map(|row| (row.key.clone(), row.value.clone())).collect::<Vec<_>>();
        assert_eq!(contents(&actual), contents(&expected));
        for (actual, expected) in actual.into_iter().zip(expected) {
            self.pair(actual.key, expected.revision, actual.revision);
        }
    }
}

fn end(answer: &Result<Outcome, Error>) -> End {
    match answer {
        Ok(Outcome::Committed(_)) => End::Committed,
        Ok(Outcome::Conflict { .. }) => End::Conflict,
        Err(Error::TooLarge(_)) => End::Refused,
        Err(error @ (Error::Unavailable(_) | Error::Unknown(_) | Error::Corrupt(_))) => {
            panic!("a commit ended without an outcome: {error:?}")
        }
    }
}
