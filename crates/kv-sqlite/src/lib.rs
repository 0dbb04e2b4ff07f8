//! The engine of a single machine: one SQLite file, no server, nothing to set up.
//!
//! Commits go through one writer thread that makes many of them durable with one fsync; reads run beside it on a few
//! connections of their own. The crate knows no entity and never retries. Start with [`SqliteEngine`].

mod engine;
mod lock;
mod open;
mod reader;
mod row;
mod schema;
mod writer;

pub use engine::SqliteEngine;
pub use open::{OpenError, Options};
