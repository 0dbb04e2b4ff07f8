//! The one seam between Fleet and whatever keeps its bytes.
//!
//! An engine maps keys to revisioned values and applies conditional commits atomically. It knows no entity, keeps no
//! index and never retries: typed records, secondary indexes, the change feed and retry are written once, above it, in
//! `store`. Start with [`Engine`]; what an implementation must honour is spelled out by [`crate::conformance`].

use std::fmt::Debug;

use async_trait::async_trait;
use bytes::Bytes;

use crate::key::{Key, Partition};
use crate::limits::Limits;

/// Ordered keys to revisioned values, with atomic conditional commits.
///
/// Reads are linearizable: a read that starts after a commit was acknowledged sees it. A commit applies all of its
/// writes or none, and is durable before it is acknowledged. Keys are compared as UTF-8 bytes.
#[async_trait]
pub trait Engine: Debug + Send + Sync + 'static {
    /// Returns what this engine accepts in one commit; [`Commit::check`] applies it before anything is sent.
    fn limits(&self) -> Limits;

    /// Returns whether nothing but this engine can change what it holds; then a caller that counts its own commits knows
    /// when what it has read is still so.
    fn sole_writer(&self) -> bool {
        false
    }

    /// Reads one row.
    async fn get(&self, key: &Key) -> Result<Option<Row>, Error>;

    /// Reads many rows at once, in the order asked for.
    ///
    /// Each row is as [`Engine::get`] would give it; together they are not one snapshot. Engines that can ask for many
    /// keys in one round trip do.
    async fn get_many(&self, keys: Vec<Key>) -> Result<Vec<Option<Row>>, Error> {
        let mut rows = Vec::with_capacity(keys.len());
        for key in &keys {
            rows.push(self.get(key).await?);
        }
        Ok(rows)
    }

    /// Reads rows of one partition in key order.
    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error>;

    /// Applies every operation of the commit, or none of them.
    ///
    /// A lost race is [`Outcome::Conflict`], a value and not an error. [`Error::Unknown`] is the only failure after
    /// which the commit may have been applied.
    async fn commit(&self, commit: Commit) -> Result<Outcome, Error>;
}

/// A stored value and the revision it was written at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Where the value lives.
    pub key: Key,
    /// Changes with every write of the key, and never repeats for it, not even after a delete.
    pub revision: Revision,
    /// The bytes as they were put.
    pub value: Bytes,
}

/// An engine's mark of one write: opaque, good for equality alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Revision(pub u64);

/// A bounded read of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The partition to read; a scan never leaves it.
    pub partition: Partition,
    /// Only sort keys that begin with this text; empty for all.
    pub prefix: String,
    /// Start behind this sort key (exclusive) in the direction of the scan.
    pub after: Option<String>,
    /// Return at most this many rows.
    pub limit: usize,
    /// Ascending or descending by the bytes of the sort key.
    pub order: Order,
}

/// Direction of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Smallest key first.
    Ascending,
    /// Largest key first.
    Descending,
}

/// Operations that are applied together or not at all; a key occurs in it once at most.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Commit {
    /// What to expect and what to do, key by key.
    pub operations: Vec<Operation>,
}

/// One key's part in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// The key it is about.
    pub key: Key,
    /// What must hold for the commit to apply.
    pub expect: Expect,
    /// What happens to the key when it does.
    pub action: Action,
}

/// A precondition on one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// Holds whatever is stored.
    Anything,
    /// Holds when nothing is stored.
    Absent,
    /// Holds when the stored row has this revision.
    At(Revision),
}

/// What a commit does to one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Stores these bytes under a new revision.
    Put(Bytes),
    /// Removes the row, if there is one.
    Delete,
    /// Leaves the row as it is: the operation is only a guard.
    Check,
}

/// How a commit ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Applied and durable; every key put now has this revision.
    Committed(Revision),
    /// Not applied, since a precondition did not hold.
    Conflict {
        /// The key that did not hold, where the engine can tell; advice for messages, not for decisions.
        key: Option<Key>,
    },
}

/// What kept an engine from answering.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Certainly not applied; the same call may succeed later.
    #[error("the store is unavailable")]
    Unavailable(#[source] Source),
    /// The answer was lost: the commit may have been applied. Read before deciding.
    #[error("the store did not confirm; the write may have been applied")]
    Unknown(#[source] Source),
    /// Refused before it was sent, since it can never fit.
    #[error("refused by the store's limits: {0}")]
    TooLarge(crate::limits::Excess),
    /// What is stored cannot be read back.
    #[error("the store holds data that cannot be read")]
    Corrupt(#[source] Source),
}

/// The cause beneath an engine's error.
pub type Source = Box<dyn std::error::Error + Send + Sync>;

impl Operation {
    /// Stores a value if the expectation holds.
    pub fn put(key: &Key, expect: Expect, value: impl Into<Bytes>) -> Self {
        Self { key: key.clone(), expect, action: Action::Put(value.into()) }
    }

    /// Removes a row if the expectation holds.
    #[must_use]
    pub fn delete(key: &Key, expect: Expect) -> Self {
        Self { key: key.clone(), expect, action: Action::Delete }
    }

    /// Lets the commit apply only if the expectation holds.
    #[must_use]
    pub fn check(key: &Key, expect: Expect) -> Self {
        Self { key: key.clone(), expect, action: Action::Check }
    }
}

impl Expect {
    /// Returns whether a key meets the expectation; `stored` is the revision of its row, if it has one.
    #[must_use]
    pub fn holds(self, stored: Option<Revision>) -> bool {
        match self {
            Self::Anything => true,
            Self::Absent => stored.is_none(),
            Self::At(revision) => stored == Some(revision),
        }
    }
}

impl From<Operation> for Commit {
    fn from(operation: Operation) -> Self {
        Self { operations: vec![operation] }
    }
}

impl<const N: usize> From<[Operation; N]> for Commit {
    fn from(operations: [Operation; N]) -> Self {
        Self { operations: operations.into() }
    }
}

impl From<Vec<Operation>> for Commit {
    fn from(operations: Vec<Operation>) -> Self {
        Self { operations }
    }
}
