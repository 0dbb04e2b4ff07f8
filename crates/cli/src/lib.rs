//! What people type and what they see.
//!
//! Most commands are generated from the table of operations: a row with a command line is a command, its fields are
//! arguments, its answer is shown as a table or as lines (`generated`, `input`, `render`). The few that are more than
//! one call are written by hand, one file each, in `commands`. [`parse`] and [`run`] are all that the binary needs;
//! what needs the server itself is handed back to it as an [`Invocation`]. Every call goes through the client.

mod account;
mod call;
mod commands;
mod connection;
mod context;
mod demo;
mod doctor;
mod failure;
mod field;
mod generated;
mod input;
mod invocation;
mod operations;
mod options;
mod own;
mod pattern;
mod prefix;
mod reference;
mod render;
mod run;
mod schema;
mod session;
#[cfg(test)]
#[path = "stub_tests.rs"]
mod stub;
mod suggest;
mod terminal;
mod up;

pub use connection::server_url;
pub use demo::DemoArgs;
pub use failure::Failure;
pub use invocation::{Command, Invocation, Usage, parse};
pub use options::Options;
pub use reference::reference;
pub use render::grid;
pub use run::run;
pub use session::{Done, Follower, Frame, News, Told};
pub use terminal::Terminal;
pub use up::{UpArgs, UpMode};
