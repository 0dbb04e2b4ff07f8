//! Numbers that count up within a group, without a row that every writer would fight over.
//!
//! The last number is read from the group's index once and then kept in memory. The index entry itself is unique, so
//! two processes that hand out the same number conflict, and the loser reads again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kv::{Engine, Order, Partition, Scan};

use crate::Error;

/// Groups that are kept in memory.
const GROUPS_MAX: usize = 4096;

#[derive(Debug, Default)]
pub(crate) struct Sequences(Mutex<HashMap<String, Last>>);

/// The last number that was handed out of a group.
#[derive(Debug)]
struct Last {
    number: u64,
    /// Another process may have gone on meanwhile.
    read_again: bool,
}

/// A number that was handed out.
#[derive(Debug)]
pub(crate) struct Taken {
    group: String,
    pub(crate) number: u64,
}

impl Sequences {
    pub(crate) async fn take(&self, engine: &dyn Engine, group: &str) -> Result<Taken, Error> {
        if let Some(taken) = self.step(group) {
            return Ok(taken);
        }
        let last = last_number(engine, group).await?;
        Ok(self.step_behind(group, last))
    }

    /// Takes back a number that was not used, if no later one was handed out; otherwise the gap stays. Either way the
    /// group is read again, in case the conflict came from another process.
    pub(crate) fn release(&self, taken: &Taken) {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = groups.get_mut(&taken.group) {
            last.read_again = true;
            if last.number == taken.number {
                last.number -= 1;
            }
        }
    }

    /// Takes the next number, if it can be told without reading.
    fn step(&self, group: &str) -> Option<Taken> {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let last = groups.get_mut(group).filter(|last| !last.read_again)?;
        last.number += 1;
        Some(Taken { group: group.to_owned(), number: last.number })
    }

    /// Takes the next number behind what was read and what was handed out meanwhile.
    fn step_behind(&self, group: &str, read: u64) -> Taken {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = groups.get(group).map_or(0, |last| last.number);
        let number = known.max(read) + 1;
        if groups.len() >= GROUPS_MAX {
            // They are read again when they are needed; a number handed out twice is a conflict, and is drawn anew.
            groups.clear();
        }
        groups.insert(group.to_owned(), Last { number, read_again: false });
        Taken { group: group.to_owned(), number }
    }
}

async fn last_number(engine: &dyn Engine, group: &str) -> Result<u64, Error> {
    let scan = Scan {
        partition: Partition::new(group),
        prefix: String::new(),
        after: None,
        limit: 1,
        order: Order::Descending,
    };
    let rows = engine.scan(scan).await?;
    Ok(rows.first().and_then(|row| row.key.sort.parse().ok()).unwrap_or(0))
}
