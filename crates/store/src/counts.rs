//! Counters: how many records carry a label, without reading them.
//!
//! A commit says what it does to the counters in its feed row. The totals are a fold over the feed, kept in memory and
//! saved now and then with the position they hold at, so opening reads the last snapshot and the few changes behind it,
//! however many records there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use kv::{Action, Commit, Engine, Expect, Operation};
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
    /// What has been acknowledged: read by everybody, so a caller sees its own write.
    live: Mutex<Totals>,
    /// What holds exactly at a position: what a snapshot saves.
    ordered: Mutex<(Position, Totals)>,
    /// Where the last snapshot lies; the next one goes to the other side.
    side: Mutex<Side>,
}

/// A snapshot as read, or nothing counted yet.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    position: u64,
    totals: Totals,
    side: Side,
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
#[derive(Serialize, Deserialize)]
struct Head {
    position: u64,
    parts: usize,
    side: Side,
}

impl Counts {
    pub(crate) fn starting(snapshot: Snapshot) -> Self {
        let Snapshot { position, totals, side } = snapshot;
        let live = Mutex::new(totals.clone());
        Self { live, ordered: Mutex::new((Position(position), totals)), side: Mutex::new(side) }
    }

    pub(crate) fn get(&self, label: &str) -> u64 {
        let live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        live.get(label).copied().and_then(|total| u64::try_from(total).ok()).unwrap_or(0)
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
    pub(crate) async fn save(&self, engine: &dyn Engine, writer: &str) -> Result<(), Error> {
        let (position, totals) = self.ordered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let side = self.side.lock().unwrap_or_else(PoisonError::into_inner).other();
        let totals: Vec<_> = totals.into_iter().collect();
        let parts: Vec<_> = totals.chunks(LABELS_PER_PART).enumerate().collect();
        for group in parts.chunks(PARTS_PER_COMMIT) {
            let put =
                |(part, totals): &(usize, &[(String, i64)])| put(key::counts(writer, side.as_str(), *part), totals);
            let operations = group.iter().map(put).collect::<Result<_, _>>()?;
            engine.commit(Commit { operations }).await?;
        }
        let head = Head { position: position.0, parts: parts.len(), side };
        engine.commit(Commit { operations: vec![put(key::counts_head(writer), &head)?] }).await?;
        *self.side.lock().unwrap_or_else(PoisonError::into_inner) = side;
        Ok(())
    }

    /// Reads the last whole snapshot.
    pub(crate) async fn load(engine: &dyn Engine, writer: &str) -> Result<Snapshot, Error> {
        let Some(head) = read::<Head>(engine, &key::counts_head(writer)).await? else { return Ok(Snapshot::default()) };
        let Head { position, parts, side } = head;
        let mut totals = Totals::new();
        for part in 0..parts {
            let part = read::<Vec<(String, i64)>>(engine, &key::counts(writer, side.as_str(), part)).await?;
            totals.extend(part.unwrap_or_default());
        }
        Ok(Snapshot { position, totals, side })
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

fn put<T: Serialize + ?Sized>(key: kv::Key, document: &T) -> Result<Operation, Error> {
    let action = Action::Put(Bytes::from(serde_json::to_vec(document).map_err(Error::Encode)?));
    Ok(Operation { key, expect: Expect::Anything, action })
}

async fn read<T: DeserializeOwned>(engine: &dyn Engine, key: &kv::Key) -> Result<Option<T>, Error> {
    let failed = |source| Error::Decode { table: "counts", id: key.to_string(), source };
    engine.get(key).await?.map(|row| serde_json::from_slice(&row.value).map_err(failed)).transpose()
}

pub(crate) fn add(totals: &mut HashMap<String, i64>, entry: &Entry) {
    for (label, by) in &entry.deltas {
        let total = totals.entry(label.clone()).or_default();
        *total += by;
        if *total == 0 {
            totals.remove(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many(labels: usize, position: u64) -> Snapshot {
        let totals = (0..labels).map(|number| (format!("mission/p-{number}/draft"), 1)).collect();
        Snapshot { position, totals, side: Side::Left }
    }

    #[tokio::test]
    async fn more_labels_than_one_commit_holds_are_saved_and_read_back() {
        let engine = kv::MemEngine::new();
        Counts::starting(many(150_000, 7)).save(&engine, "w").await.unwrap();
        let read = Counts::load(&engine, "w").await.unwrap();
        assert_eq!((read.position, read.totals.len(), read.side), (7, 150_000, Side::Right));
    }

    #[tokio::test]
    async fn a_snapshot_that_was_cut_off_leaves_the_last_whole_one() {
        let engine = kv::MemEngine::new();
        let counts = Counts::starting(many(3, 7));
        counts.save(&engine, "w").await.unwrap();
        // As far as a save gets that dies before its head.
        let next = counts.side.lock().unwrap().other();
        let part = put(key::counts("w", next.as_str(), 0), &[("mission/draft", 99)]).unwrap();
        engine.commit(Commit { operations: vec![part] }).await.unwrap();
        assert_eq!(Counts::load(&engine, "w").await.unwrap().totals, many(3, 7).totals);
    }
}
