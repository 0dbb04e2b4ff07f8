//! The change feed: every commit's place in one order, as seen by any number of tails.
//!
//! A place is taken before the commit is sent and settled after it was answered, so commits run in parallel while the
//! feed stays in order: a change is shown once all places before it are settled. A place whose commit failed stays
//! empty. The feed's row is written in the commit itself, which makes it the mark that tells whether a commit with a
//! lost answer was applied. A place whose sender went away before it knew is left to whoever needs the feed next, a
//! committer or a tail: it adopts the place and closes it, so that a change is shown if and only if it was applied.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use types::Change;

use crate::Error;
use crate::versions::Changing;

/// Changes kept in memory for tails that keep up; others read the engine.
const RECENT_MAX: usize = 1024;

/// A place in the feed. Opaque to consumers: good for going on behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(pub(crate) u64);

/// One change in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it stands.
    pub position: Position,
    /// What happened.
    pub change: Change,
    pub(crate) deltas: Vec<(String, i64)>,
}

/// A feed row on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FeedRow {
    /// Tells this commit from any other that tried the same place.
    pub(crate) nonce: u64,
    #[serde(flatten)]
    pub(crate) change: Change,
    /// What the commit did to the counters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) deltas: Vec<(String, i64)>,
}

#[derive(Debug)]
pub(crate) struct Feed {
    order: Mutex<Order>,
    settled: watch::Sender<Position>,
    /// Everything up to here was removed.
    oldest: AtomicU64,
}

#[derive(Debug)]
struct Order {
    next: u64,
    /// Places taken and not yet shown: `None` while the commit is under way.
    open: BTreeMap<u64, Option<Settled>>,
    /// Those of them whose sender went away before the answer came, with what they may yet change.
    left: BTreeMap<u64, Changing>,
    recent: VecDeque<Arc<Entry>>,
}

#[derive(Debug)]
enum Settled {
    Applied(Arc<Entry>),
    Empty,
}

/// A place taken for one commit; settled exactly once. Dropped before, it is left to the next who adopts it.
#[derive(Debug)]
pub(crate) struct Place<'f> {
    feed: &'f Feed,
    pub(crate) position: u64,
    /// What the commit changes; nothing, once that is known.
    changing: Option<Changing>,
}

impl Feed {
    /// Goes on behind the last change that is stored; everything up to `oldest` was removed.
    pub(crate) fn behind(last: u64, oldest: u64) -> Self {
        let order = Order { next: last + 1, open: BTreeMap::new(), left: BTreeMap::new(), recent: VecDeque::new() };
        let oldest = AtomicU64::new(oldest);
        Self { order: Mutex::new(order), settled: watch::Sender::new(Position(last)), oldest }
    }

    /// The place behind which the feed is complete.
    pub(crate) fn oldest(&self) -> Position {
        Position(self.oldest.load(Ordering::SeqCst))
    }

    /// Takes note that everything up to a place is removed.
    pub(crate) fn trimmed(&self, up_to: Position) {
        self.oldest.fetch_max(up_to.0, Ordering::SeqCst);
    }

    pub(crate) fn take(&self, changing: Changing) -> Place<'_> {
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let position = order.next;
        order.next += 1;
        order.open.insert(position, None);
        Place { feed: self, position, changing: Some(changing) }
    }

    /// Takes over a place whose sender went away, to find out what became of it.
    pub(crate) fn adopt(&self) -> Option<Place<'_>> {
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let (position, changing) = order.left.pop_first()?;
        Some(Place { feed: self, position, changing: Some(changing) })
    }

    /// The last change that can be shown. Never an empty place: after a restart another change may stand there.
    pub(crate) fn settled(&self) -> Position {
        *self.settled.borrow()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Position> {
        self.settled.subscribe()
    }

    /// Returns what is behind `after` from memory, or nothing when memory does not reach back that far.
    pub(crate) fn recent(&self, after: Position) -> Option<Vec<Arc<Entry>>> {
        let order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let oldest = order.recent.front()?;
        let behind = || order.recent.partition_point(|entry| entry.position <= after);
        (oldest.position.0 <= after.0 + 1).then(|| order.recent.range(behind()..).cloned().collect())
    }

    fn settle(&self, position: u64, how: Settled) {
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        order.open.insert(position, Some(how));
        let mut shown = None;
        while let Some(first) = order.open.first_entry() {
            if first.get().is_none() {
                break;
            }
            if let Some(Settled::Applied(entry)) = first.remove() {
                shown = Some(entry.position);
                if order.recent.len() == RECENT_MAX {
                    order.recent.pop_front();
                }
                order.recent.push_back(entry);
            }
        }
        if let Some(shown) = shown {
            self.settled.send_replace(shown);
        }
    }
}

impl Place<'_> {
    pub(crate) fn applied(mut self, entry: Arc<Entry>) {
        self.changing = None;
        self.feed.settle(self.position, Settled::Applied(entry));
    }

    pub(crate) fn empty(mut self) {
        self.changing = None;
        self.feed.settle(self.position, Settled::Empty);
    }
}

impl Drop for Place<'_> {
    /// A transaction that is dropped half-way must not hold up everybody else's changes for ever, and what it sent may
    /// still be applied: tails are woken, and the first of them or the next committer finds out.
    fn drop(&mut self) {
        if let Some(changing) = self.changing.take() {
            tracing::warn!(position = self.position, "commit abandoned before its answer came");
            let mut order = self.feed.order.lock().unwrap_or_else(PoisonError::into_inner);
            order.left.insert(self.position, changing);
            drop(order);
            self.feed.settled.send_modify(|_| {});
        }
    }
}

impl FeedRow {
    /// Reads a stored row; nothing, where a place was closed without a change.
    pub(crate) fn decode(row: &kv::Row) -> Result<Option<Self>, Error> {
        let failed = |source| Error::Decode { table: "feed", id: row.key.sort.clone(), source };
        serde_json::from_slice(&row.value).map_err(failed)
    }

    pub(crate) fn at(self, position: Position) -> Entry {
        Entry { position, change: self.change, deltas: self.deltas }
    }
}

impl Position {
    /// The place before the first change.
    pub const START: Self = Self(0);

    /// Returns the number that grows along the feed.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::str::FromStr for Position {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}
