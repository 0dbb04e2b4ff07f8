//! What a type must say about itself to be stored, and how it is wrapped.

use std::fmt::Display;

use kv::Expect;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::draft::Traces;
use crate::{Error, Table};

/// A type that has a table.
///
/// A new entity costs one implementation, in `table/`, and no change to any engine.
pub trait Record: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// Its place in the key space.
    const TABLE: Table;
    /// The stored-schema version written now; every version ever written stays readable.
    const VERSION: u32 = 1;
    /// What names one record.
    type Id: Display + Clone + Send + Sync;

    /// Returns the record's id.
    fn id(&self) -> Self::Id;

    /// Returns the places it is found in besides its id.
    fn indexes(&self) -> Vec<Index>;

    /// Returns whether it is found in a group. Lists ask for every record, so a type with many indexes answers cheaply.
    fn stands_in(&self, group: &str) -> bool {
        self.indexes().iter().any(|index| index.group == group)
    }

    /// Returns the counters it adds one to, while it is stored as it is.
    fn labels(&self) -> Vec<String>;

    /// Turns a document of an older version into one of the next.
    ///
    /// # Errors
    /// Fails when the document is not what that version wrote.
    fn upgrade(_version: u32, document: Value) -> Result<Value, serde_json::Error> {
        Ok(document)
    }
}

/// One place a record is found in: a group, and its order within the group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Index {
    /// The index and the group, as one partition name; made by the functions in [`crate::by`].
    pub group: String,
    /// Sorts the group; ties are broken by id.
    pub order: String,
    /// Whether a second record at the same place is a conflict.
    pub unique: bool,
}

/// A record as read: its value, and what a write of it must meet.
#[derive(Debug, Clone, PartialEq)]
pub struct Held<R> {
    /// The record.
    pub record: R,
    expect: Expect,
    /// Where it was found and counted when it was read, whatever happens to the value in here.
    traces: Traces,
}

/// What is expected of the engine is the store's business; nothing above it can make that up.
impl<R: Record> Held<R> {
    pub(crate) fn new(record: R, expect: Expect) -> Self {
        let traces = Traces::of(&record);
        Self { record, expect, traces }
    }

    pub(crate) fn before(&self) -> (Expect, Traces) {
        (self.expect, self.traces.clone())
    }
}

/// The envelope on disk.
#[derive(Serialize, Deserialize)]
struct Stored<T> {
    v: u32,
    d: T,
}

pub(crate) fn encode<R: Record>(record: &R) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(&Stored { v: R::VERSION, d: record }).map_err(Error::Encode)
}

pub(crate) fn decode<R: Record>(id: &str, bytes: &[u8]) -> Result<R, Error> {
    let failed = |source| Error::Decode { table: R::TABLE.as_str(), id: id.to_owned(), source };
    // The common case is today's version: one pass, no intermediate document.
    if let Ok(Stored { v, d }) = serde_json::from_slice::<Stored<R>>(bytes)
        && v == R::VERSION
    {
        return Ok(d);
    }
    let Stored { v, d: mut document } = serde_json::from_slice::<Stored<Value>>(bytes).map_err(failed)?;
    if v > R::VERSION {
        return Err(Error::Newer { table: R::TABLE, id: id.to_owned(), found: v, known: R::VERSION });
    }
    for version in v..R::VERSION {
        document = R::upgrade(version, document).map_err(failed)?;
    }
    serde_json::from_value(document).map_err(failed)
}
