//! What a transaction has read and written so far, and the operations that come of it.

use std::collections::BTreeMap;

use bytes::Bytes;
use kv::{Action, Expect, Key};
use types::Event;

use crate::sequence::Taken;
use crate::{Index, Record, key};

/// One conditional operation for each key.
pub(crate) type Operations = BTreeMap<Key, (Expect, Action)>;

#[derive(Debug, Default)]
pub(crate) struct Draft {
    records: BTreeMap<Key, Touched>,
    pub(crate) events: Vec<Event>,
    pub(crate) taken: Vec<Taken>,
    /// What is added to counters beside what records count for.
    pub(crate) amounts: BTreeMap<String, i64>,
    /// Two things it is to rest on contradict each other, so it cannot be committed.
    pub(crate) torn: bool,
}

/// A record that was read or written.
#[derive(Debug)]
struct Touched {
    id: String,
    /// What must still be stored when it commits.
    expect: Expect,
    /// What the transaction itself would read.
    value: Option<Bytes>,
    /// Where the record is found and counted; nothing, as long as it is only read.
    moves: Option<(Traces, Traces)>,
}

/// Where a record is found and counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Traces {
    indexes: Vec<Index>,
    labels: Vec<String>,
}

impl Traces {
    pub(crate) fn of<R: Record>(record: &R) -> Self {
        Self { indexes: record.indexes(), labels: record.labels() }
    }
}

impl Draft {
    /// Returns what the transaction would read, and what that rests on; nothing, if it has not met the record yet.
    pub(crate) fn seen(&self, key: &Key) -> Option<(Expect, Option<Bytes>)> {
        self.records.get(key).map(|touched| (touched.expect, touched.value.clone()))
    }

    /// Notes a record as it is stored, and returns it as [`Draft::seen`] does: met before, it stays as it was first met.
    pub(crate) fn read(
        &mut self,
        key: Key,
        id: String,
        expect: Expect,
        value: Option<Bytes>,
    ) -> (Expect, Option<Bytes>) {
        let touched = self.records.entry(key).or_insert(Touched { id, expect, value, moves: None });
        (touched.expect, touched.value.clone())
    }

    /// Notes what a record is to become. However often it is written, it moves once: from what is stored to the last.
    pub(crate) fn write(
        &mut self,
        key: Key,
        id: String,
        (expect, before): (Expect, Traces),
        (value, after): (Option<Bytes>, Traces),
    ) {
        let touched = self.records.entry(key).or_insert(Touched { id, expect, value: None, moves: None });
        touched.value = value;
        match &mut touched.moves {
            Some((_, last)) => *last = after,
            None => {
                self.torn |= touched.expect != expect;
                touched.moves = Some((before, after));
            }
        }
    }

    pub(crate) fn writes(&self) -> bool {
        !self.events.is_empty()
            || !self.amounts.is_empty()
            || self.records.values().any(|touched| touched.moves.is_some())
    }

    /// Returns what is to be done to records and their places; nothing, if that contradicts itself.
    ///
    /// A place that stays is not touched. One that a record leaves to another is put and not deleted.
    pub(crate) fn operations(&self) -> Option<Operations> {
        let mut operations = Operations::new();
        for (key, touched) in &self.records {
            operations.insert(key.clone(), (touched.expect, touched.action()));
            let Some((before, after)) = &touched.moves else { continue };
            for gone in before.indexes.iter().filter(|index| !after.indexes.contains(index)) {
                operations.insert(key::index(gone, &touched.id), (Expect::Anything, Action::Delete));
            }
        }
        for touched in self.records.values() {
            let Some((before, after)) = &touched.moves else { continue };
            for new in after.indexes.iter().filter(|index| !before.indexes.contains(index)) {
                let key = key::index(new, &touched.id);
                let expect = match operations.get(&key) {
                    None if new.unique => Expect::Absent,
                    Some((_, Action::Put(_))) if new.unique => return None,
                    Some(_) | None => Expect::Anything,
                };
                operations.insert(key, (expect, Action::Put(Bytes::copy_from_slice(touched.id.as_bytes()))));
            }
        }
        (!self.torn).then_some(operations)
    }

    /// Returns every group in which a record that is written was or will be found.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &str> {
        let moves = self.records.values().filter_map(|touched| touched.moves.as_ref());
        let indexes = moves.flat_map(|(before, after)| before.indexes.iter().chain(&after.indexes));
        indexes.map(|index| index.group.as_str())
    }

    /// Returns what the writes do to the counters.
    pub(crate) fn deltas(&self) -> Vec<(String, i64)> {
        let mut deltas = self.amounts.clone();
        for (before, after) in self.records.values().filter_map(|touched| touched.moves.as_ref()) {
            before.labels.iter().for_each(|label| *deltas.entry(label.clone()).or_default() -= 1);
            after.labels.iter().for_each(|label| *deltas.entry(label.clone()).or_default() += 1);
        }
        deltas.into_iter().filter(|(_, by)| *by != 0).collect()
    }
}

impl Touched {
    fn action(&self) -> Action {
        match (&self.moves, &self.value) {
            (None, _) => Action::Check,
            (Some(_), Some(value)) => Action::Put(value.clone()),
            (Some(_), None) => Action::Delete,
        }
    }
}
