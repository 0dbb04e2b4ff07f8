//! Numbers that count up within a group, without a row that every writer would fight over.
//!
//! The last number is read from the group's index once and then kept in memory. The index entry itself is unique, so
//! two processes that hand out the same number conflict, and the loser reads again.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use kv::{Engine, Order, Partition, Scan};

use crate::Error;

#[derive(Debug, Default)]
pub(crate) struct Sequences(Mutex<HashMap<String, u64>>);

/// A number that was handed out.
#[derive(Debug)]
pub(crate) struct Taken {
    group: String,
    pub(crate) number: u64,
}

impl Sequences {
    pub(crate) async fn take(&self, engine: &dyn Engine, group: &str) -> Result<Taken, Error> {
        if let Some(taken) = self.step(group, None) {
            return Ok(taken);
        }
        let last = last_number(engine, group).await?;
        // Another transaction may have read the group meanwhile; the first to arrive here decides.
        Ok(self.step(group, Some(last)).unwrap_or(Taken { group: group.to_owned(), number: last + 1 }))
    }

    /// Takes back a number that was not used, if no later one was handed out; otherwise the gap stays, and the group is
    /// read again in case the conflict came from another process.
    pub(crate) fn release(&self, taken: &Taken) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.get(&taken.group) == Some(&taken.number) {
            last.remove(&taken.group);
        }
    }

    fn step(&self, group: &str, read: Option<u64>) -> Option<Taken> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = match (last.get_mut(group), read) {
            (Some(number), _) => {
                *number += 1;
                *number
            }
            (None, Some(read)) => {
                last.insert(group.to_owned(), read + 1);
                read + 1
            }
            (None, None) => return None,
        };
        Some(Taken { group: group.to_owned(), number })
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
