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
    /// Fails when the engine does; the next call goes on from the same position.
    pub async fn next(&mut self) -> Result<Arc<Entry>, Error> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                self.after = entry.position;
                return Ok(entry);
            }
            let end = *self.settled.borrow_and_update();
            if self.after < end {
                self.ready = read(&self.store, self.after, end).await?.into();
                if self.ready.is_empty() {
                    // Only places of commits that failed: nothing to show, and nothing to read again.
                    self.after = end;
                }
                continue;
            }
            // The store, and with it the sender, lives as long as this tail.
            let _ = self.settled.changed().await;
        }
    }
}

/// Reads changes behind `after`, up to `end` at most.
pub(crate) async fn read(store: &Store, after: Position, end: Position) -> Result<Vec<Arc<Entry>>, Error> {
    if let Some(mut recent) = store.feed().recent(after) {
        recent.retain(|entry| entry.position <= end);
        return Ok(recent);
    }
    let scan = Scan {
        partition: Partition::new(format!("feed/{}", store.writer())),
        prefix: String::new(),
        after: Some(key::feed_sort(after.0)),
        limit: BATCH_MAX,
        order: Order::Ascending,
    };
    let rows = store.engine().scan(scan).await?;
    rows.into_iter().map(decode).filter(|entry| entry.as_ref().map_or(true, |entry| entry.position <= end)).collect()
}

fn decode(row: kv::Row) -> Result<Arc<Entry>, Error> {
    let failed = |source| Error::Decode { table: "feed", id: row.key.sort.clone(), source };
    let stored: FeedRow = serde_json::from_slice(&row.value).map_err(failed)?;
    let position = row.key.sort.parse().map(Position).unwrap_or(Position::START);
    Ok(Arc::new(Entry { position, change: stored.change, deltas: stored.deltas }))
}
