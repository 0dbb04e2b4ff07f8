//! What can go wrong between a typed record and its bytes.

use crate::Table;

/// A failure to read or write records.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine did not answer, or refused.
    #[error(transparent)]
    Engine(#[from] kv::Error),
    /// A stored document cannot be read as a record of its table.
    #[error("cannot read {table} `{id}` as stored")]
    Decode {
        /// The table.
        table: &'static str,
        /// The record.
        id: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A record was stored by a newer version of Fleet.
    #[error("{} `{id}` was stored in version {found}, this version of fleet reads up to {known}", .table.as_str())]
    Newer {
        /// The table.
        table: Table,
        /// The record.
        id: String,
        /// The version it was stored in.
        found: u32,
        /// The newest version this program reads.
        known: u32,
    },
    /// A record cannot be turned into bytes.
    #[error("cannot store the record")]
    Encode(#[source] serde_json::Error),
    /// Changes behind a position were removed, so a reader cannot go on from there.
    #[error("changes behind position {after} were removed; the feed begins behind {oldest}")]
    Trimmed {
        /// Where the reader was.
        after: crate::Position,
        /// Behind this the feed is complete.
        oldest: crate::Position,
    },
    /// Too many others changed the same records at once.
    #[error("others changed the same records {tries} times in a row")]
    Contention {
        /// How often it was tried.
        tries: u32,
    },
    /// Another call took the idempotency key.
    #[error("another call took the idempotency key")]
    KeyTaken,
    /// A blob's bytes do not have the digest they are named by.
    #[error("blob {id} does not match its digest")]
    DamagedBlob {
        /// The blob.
        id: crate::BlobId,
    },
}
