//! The contract: one struct per operation, the table of operations, the errors.
//!
//! Nothing here does anything. `service` answers the operations, `server`, `client` and `cli` carry them; all of them
//! read the same table, so a new operation is one struct, one row in `operations` and one handler. REST path, MCP
//! tools and CLI command are bindings of the row: see `tool` for how a tool renames and selects fields.
//! A dialect's words for Fleet's nouns are translated here and nowhere else: see `devfleet::words`,
//! `claude_fleet::words` and `codefleet::words`.

extern crate self as api;

mod body;
mod code;
mod error;
mod groups;
mod limits;
mod operation;
mod operations;
mod records;
mod spec;
mod time;
mod tool;
mod wire;

pub mod claude_fleet;
pub mod codefleet;
pub mod devfleet;
pub mod fleet;
pub mod quantity;

pub use code::Code;
pub use error::{Error, FieldProblem, Kind};
pub use groups::{AgentName, Page};
pub use operation::{Listing, Operation, paged};
pub use operations::{Visitor, specs, visit};
pub use records::{Create, Delete, Get, List, Update};
pub use spec::{Access, Dialect, Effect, Rest, Spec, Target, UnknownFields, Verb};
pub use time::{IsoTime, SqlTime};
pub use tool::{Audience, Tool, ToolInput, ToolSpec, without_null};
pub use wire::{Flag, JsonText};
