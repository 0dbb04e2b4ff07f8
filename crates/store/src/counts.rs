//! Counters: how many records carry a label, without reading them.
//!
//! A commit says what it does to the counters in its feed row. The totals are a fold over the feed, kept in memory and
//! saved now and then with the position they hold at, so opening reads the last snapshot and the few changes behind it,
//! however many records there are.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use kv::{Action, Commit, Engine, Expect, Operation};
use serde::{Deserialize, Serialize};

use crate::feed::{Entry, Position};
use crate::{Error, key};

/// Labels in one document of a snapshot; at most a few hundred bytes each, far below the limit of a value.
const LABELS_PER_PART: usize = 1000;

type Totals = HashMap<String, i64>;

#[derive(Debug)]
pub(crate) struct Counts {
    /// What has been acknowledged: read by everybody, so a caller sees its own write.
    live: Mutex<Totals>,
    /// What holds exactly at a position: what a snapshot saves.
    ordered: Mutex<(Position, Totals)>,
}

#[derive(Serialize, Deserialize)]
struct Part {
    position: u64,
    parts: usize,
    totals: Vec<(String, i64)>,
}

impl Counts {
    pub(crate) fn starting(position: Position, totals: HashMap<String, i64>) -> Self {
        Self { live: Mutex::new(totals.clone()), ordered: Mutex::new((position, totals)) }
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

    /// Writes the totals with the position they hold at.
    pub(crate) async fn save(&self, engine: &dyn Engine, writer: &str) -> Result<(), Error> {
        let (position, totals) = self.ordered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let totals: Vec<_> = totals.into_iter().collect();
        let parts = totals.len().div_ceil(LABELS_PER_PART).max(1);
        let mut operations = Vec::with_capacity(parts);
        for part in 0..parts {
            let totals = totals.iter().skip(part * LABELS_PER_PART).take(LABELS_PER_PART).cloned().collect();
            let bytes = serde_json::to_vec(&Part { position: position.0, parts, totals }).map_err(Error::Encode)?;
            let action = Action::Put(Bytes::from(bytes));
            operations.push(Operation { key: key::counts(writer, part), expect: Expect::Anything, action });
        }
        engine.commit(Commit { operations }).await?;
        Ok(())
    }

    /// Reads the last snapshot; nothing counted at the start, without one.
    pub(crate) async fn load(engine: &dyn Engine, writer: &str) -> Result<(Position, HashMap<String, i64>), Error> {
        let Some(first) = read_part(engine, writer, 0).await? else {
            return Ok((Position::START, Totals::new()));
        };
        let mut totals: Totals = first.totals.into_iter().collect();
        for part in 1..first.parts {
            if let Some(part) = read_part(engine, writer, part).await? {
                totals.extend(part.totals);
            }
        }
        Ok((Position(first.position), totals))
    }
}

async fn read_part(engine: &dyn Engine, writer: &str, part: usize) -> Result<Option<Part>, Error> {
    let row = engine.get(&key::counts(writer, part)).await?;
    let decode = |row: kv::Row| {
        serde_json::from_slice(&row.value).map_err(|source| Error::Decode {
            table: "counts",
            id: row.key.to_string(),
            source,
        })
    };
    row.map(decode).transpose()
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
