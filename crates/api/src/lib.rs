//! The contract: one struct per operation, the table of operations, the errors.
//!
//! Nothing here does anything. `service` answers the operations, `server`, `client` and `cli` carry them; all of them
//! read the same table, so a new operation is one struct, one row in `operations` and one handler.
//! A dialect's words for Fleet's nouns are translated here and nowhere else: see `devfleet::words` and
//! `claude_fleet::words`.

extern crate self as api;

mod body;
mod code;
mod error;
mod limits;
mod operation;
mod operations;
mod spec;
mod time;

pub mod claude_fleet;
pub mod devfleet;
pub mod fleet;

pub use code::Code;
pub use error::{Error, FieldProblem, Kind};
pub use operation::{Listing, Operation, paged};
pub use operations::specs;
pub use spec::{Access, Audience, Dialect, Spec, UnknownFields, Verb};
pub use time::{IsoTime, SqlTime};
