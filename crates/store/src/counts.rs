//! Counters: how many records carry a label, without reading them.
//!
//! A commit says what it does to the counters in its feed row. The totals are a fold over the feed, kept in memory and
//! saved now and then with the position they hold at, so opening reads the last snapshot and the few changes behind it,
//! however many records there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use kv::{Action, Commit, Engine, Expect, Key, Operation, Outcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::feed::{Entry, Position};
use crate::{Error, key};

/// Labels in one document of a snapshot; a few dozen bytes each, far below the limit of a value.
const LABELS_PER_PART: usize = 1000;

/// Documents in one commit of a snapshot, far below its limits.
const PARTS_PER_COMMIT: usize = 16;

type Totals = HashMap<String, i64>;

#[derive(Debug)]
pub(crate) struct Counts {
    /// What has been acknowledged: every reader uses it, so a caller sees its own write.
    live: Mutex<Totals>,
    /// The exact counts at a position: what a snapshot saves.
    ordered: Mutex<(Position, Totals)>,
    /// Held while a snapshot is written: two at once would write to the same side.
    saving: tokio::sync::Mutex<()>,
}

/// A snapshot as read, or nothing counted yet.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    position: u64,
    totals: Totals,
}

/// One of the two places a snapshot is written to in turn, so that the last whole one is never overwritten.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Side {
    #[default]
    Left,
    Right,
}

/// Says which snapshot is whole; written last.
#[derive(Default, Serialize, Deserialize)]
struct Head {
    position: u64,
    parts: usize,
    side: Side,
}

impl Counts {
    pub(crate) fn starting(snapshot: Snapshot) -> Self {
        let Snapshot { position, totals } = snapshot;
        let live = Mutex::new(totals.clone());
        Self { live, ordered: Mutex::new((Position(position), totals)), saving: tokio::sync::Mutex::default() }
    }

    pub(crate) fn get(&self, label: &str) -> u64 {
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        live.get(label).copied().and_then(|total| u64::try_from(total).ok()).unwrap_or(0)
    }

    /// Returns up to `limit` counters whose label is asked for.
    pub(crate) fn matching(&self, limit: usize, is_asked_for: impl Fn(&str) -> bool) -> Vec<(String, i64)> {
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        let found = live.iter().filter(|(label, _)| is_asked_for(label));
        found.take(limit).map(|(label, total)| (label.clone(), *total)).collect()
    }

    /// Reads the position of the last whole snapshot.
    pub(crate) async fn saved(engine: &dyn Engine, writer: &str) -> Result<u64, Error> {
        Ok(read::<Head>(engine, &key::counts_head(writer)).await?.map_or(0, |(head, _)| head.position))
    }

    /// Adds a commit as soon as it is acknowledged; addition does not mind the order.
    pub(crate) fn acknowledge(&self, entry: &Entry) {
        add(&mut self.live.lock().unwrap_or_else(PoisonError::into_inner), entry);
    }

    /// Adds the next changes of the feed, in its order.
    pub(crate) fn follow(&self, entries: &[Arc<Entry>], up_to: Position) {
        let mut ordered = self.ordered.lock().unwrap_or_else(PoisonError::into_inner);
        for entry in entries {
            if entry.position > ordered.0 {
                add(&mut ordered.1, entry);
            }
        }
        ordered.0 = ordered.0.max(up_to);
    }

    pub(crate) fn position(&self) -> Position {
        self.ordered.lock().unwrap_or_else(PoisonError::into_inner).0
    }

    /// Writes the totals with the position they hold at, in as many commits as it takes; the head makes them count.
    ///
    /// An earlier save may have failed without a certain answer, and what it sent may still be on its way. So the side
    /// is the one that the stored head does not name, and everything is put on condition that it is as it was read.
    pub(crate) async fn save(&self, engine: &dyn Engine, writer: &str) -> Result<(), Error> {
        let _saving = self.saving.lock().await;
        let key = key::counts_head(writer);
        let (last, found) = read::<Head>(engine, &key).await?.unwrap_or((Head::default(), Expect::Absent));
        // Written anew as it is: no head of an earlier save can take its place from here on.
        let fence = replace(engine, vec![put(key.clone(), found, &last)?]).await?;
        let side = last.side.other();
        let (position, totals) = self.ordered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let totals: Vec<_> = totals.into_iter().collect();
        let parts: Vec<_> = totals.chunks(LABELS_PER_PART).enumerate().collect();
        for group in parts.chunks(PARTS_PER_COMMIT) {
            let mut operations = Vec::with_capacity(group.len());
            for (part, totals) in group {
                let key = key::counts(writer, side.as_str(), *part);
                let found = engine.get(&key).await?.map_or(Expect::Absent, |row| Expect::At(row.revision));
                operations.push(put(key, found, totals)?);
            }
            replace(engine, operations).await?;
        }
        let head = Head { position: position.0, parts: parts.len(), side };
        replace(engine, vec![put(key, fence, &head)?]).await?;
        Ok(())
    }

    /// Reads the last whole snapshot.
    pub(crate) async fn load(engine: &dyn Engine, writer: &str) -> Result<Snapshot, Error> {
        let head = read::<Head>(engine, &key::counts_head(writer)).await?;
        let Some((Head { position, parts, side }, _)) = head else { return Ok(Snapshot::default()) };
        let mut totals = Totals::new();
        for part in 0..parts {
            let part = read::<Vec<(String, i64)>>(engine, &key::counts(writer, side.as_str(), part)).await?;
            totals.extend(part.map(|(part, _)| part).unwrap_or_default());
        }
        Ok(Snapshot { position, totals })
    }
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}

fn put<T: Serialize + ?Sized>(key: Key, expect: Expect, document: &T) -> Result<Operation, Error> {
    let action = Action::Put(Bytes::from(serde_json::to_vec(document).map_err(Error::Encode)?));
    Ok(Operation { key, expect, action })
}

/// Puts documents if they are as they were read; says what the next one to replace them must find.
async fn replace(engine: &dyn Engine, operations: Vec<Operation>) -> Result<Expect, Error> {
    match engine.commit(Commit { operations }).await? {
        Outcome::Committed(revision) => Ok(Expect::At(revision)),
        // What an earlier save sent has arrived only now.
        Outcome::Conflict { .. } => Err(Error::Contention { tries: 1 }),
    }
}

/// Reads a document, with what the next one to replace it must find.
async fn read<T: DeserializeOwned>(engine: &dyn Engine, key: &Key) -> Result<Option<(T, Expect)>, Error> {
    let failed = |source| Error::Decode { table: "counts", id: key.to_string(), source };
    let Some(row) = engine.get(key).await? else { return Ok(None) };
    Ok(Some((serde_json::from_slice(&row.value).map_err(failed)?, Expect::At(row.revision))))
}

pub(crate) fn add(totals: &mut HashMap<String, i64>, entry: &Entry) {
    for (label, by) in &entry.deltas {
        let total = totals.entry(label.clone()).or_default();
        *total = total.saturating_add(*by);
        if *total == 0 {
            totals.remove(label);
        }
    }
}

#[cfg(test)]
#[path = "counts_tests.rs"]
mod tests;
