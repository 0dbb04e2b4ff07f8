//! A tail: one consumer's reading of the change feed, from any position.

use std::collections::VecDeque;
use std::sync::Arc;

use kv::{Order, Partition, Scan};
use tokio::sync::watch;

use crate::feed::{Entry, FeedRow, Position};
use crate::{Error, Store, key};

/// Changes read from the engine at once by a tail that lags.
const BATCH_MAX: usize = 500;

/// Reads the feed in order, waiting at its end. Dropping it costs nothing; the position is all the state there is.
#[derive(Debug)]
pub struct Tail {
    store: Store,
    after: Position,
    ready: VecDeque<Arc<Entry>>,
    settled: watch::Receiver<Position>,
}

impl Tail {
    pub(crate) fn new(store: Store, after: Position) -> Self {
        let settled = store.feed().watch();
        Self { store, after, ready: VecDeque::new(), settled }
    }

    /// Returns the next change, waiting for one if need be. Dropping the future loses nothing.
    ///
    /// # Errors
    /// Fails when the engine does; the next call continues from the same position. [`Error::Trimmed`] if the changes
    /// behind the position were removed.
    pub async fn next(&mut self) -> Result<Arc<Entry>, Error> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                self.after = entry.position;
                return Ok(entry);
            }
            let end = *self.settled.borrow_and_update();
            if self.after < end {
                let batch = read(&self.store, self.after, end).await?;
                if batch.entries.is_empty() {
                    // Only places that were closed without a change: nothing to show, and nothing to read again.
                    self.after = batch.reached;
                }
                self.ready = batch.entries.into();
                continue;
            }
            self.store.resolve().await?;
            // The store, and with it the sender, lives as long as this tail.
            let _ = self.settled.changed().await;
        }
    }
}

/// Some of the changes behind a position.
pub(crate) struct Batch {
    pub(crate) entries: Vec<Arc<Entry>>,
    /// There is no other change up to here.
    pub(crate) reached: Position,
}

/// Reads changes behind `after`, up to `end` at most.
pub(crate) async fn read(store: &Store, after: Position, end: Position) -> Result<Batch, Error> {
    if let Some(mut entries) = store.feed().recent(after) {
        entries.retain(|entry| entry.position <= end);
        return Ok(Batch { entries, reached: end });
    }
    let scan = Scan {
        partition: Partition::new(format!("feed/{}", store.writer())),
        prefix: String::new(),
        after: Some(key::feed_sort(after.0)),
        limit: BATCH_MAX,
        order: Order::Ascending,
    };
    let rows = store.engine().scan(scan).await?;
    // Behind the scan: what was removed while it ran may be missing from it.
    let oldest = store.oldest();
    if after < oldest {
        return Err(Error::Trimmed { after, oldest });
    }
    // A batch that is not full was the rest; places that are not settled yet stand behind the end.
    let reached = rows.last().filter(|_| rows.len() == BATCH_MAX).map_or(end, |row| position(row).min(end));
    let mut entries = Vec::with_capacity(rows.len());
    for row in rows.iter().filter(|row| position(row) <= end) {
        entries.extend(FeedRow::decode(row)?.map(|found| Arc::new(found.at(position(row)))));
    }
    Ok(Batch { entries, reached })
}

/// Only this crate writes these keys, so every one of them is a number.
fn position(row: &kv::Row) -> Position {
    row.key.sort.parse().unwrap_or(Position(u64::MAX))
}
