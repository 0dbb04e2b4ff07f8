//! Typed records over one narrow engine: tables, indexes, transactions, the change feed, counters, blobs.
//!
//! Everything that Fleet remembers goes through [`Store::transact`]: read, decide, commit; on a lost race again, a
//! bounded number of times. This crate is the only one that builds keys, and it knows no rule of the domain: what may
//! change into what is decided in `missions` and called from `service`.

mod blob;
mod claim;
mod commit;
mod counts;
mod draft;
mod error;
mod feed;
mod key;
mod ledger;
mod list;
mod mission_moves;
mod record;
mod retention;
mod sequence;
mod store;
mod table;
mod tail;
mod transaction;
mod versions;

pub use blob::BlobId;
pub use claim::Claim;
pub use error::Error;
pub use feed::{Entry, Position};
pub use kv::Error as EngineError;
pub use list::{Page, Query};
pub use record::{Held, Index, Record};
pub use retention::Removed;
pub use store::{Options, Store};
pub use table::{Table, by};
pub use tail::Tail;
pub use transaction::{Stamp, Transaction};
pub use versions::Version;
