//! What tests stand on: a fleet in memory whose time and chance a test owns, and the real server as a process.
//!
//! [`fleet()`] answers operations through the same registry as every surface does, so authorization and input checks
//! run, and needs no socket. [`Server`] is the binary itself, on a home of its own. For real agents there is a model
//! that follows a script, [`model::ModelServer`]. All panic when something is not as a test needs it, since that is how
//! a test speaks. Nothing here ships.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test speaks by panicking")]

pub mod claude;
mod cli;
mod fleet;
mod folder;
mod launch;
mod log;
pub mod model;
mod people;
mod records;
mod server;
mod sessions;

pub use cli::Cli;
pub use fleet::{Fleet, START, bindings, fleet};
pub use folder::folder_in;
pub use launch::{Launch, Refused};
pub use log::Log;
pub use people::{anonymous, known, owner};
pub use records::{approval, landing, question, report};
pub use server::{Ended, Server};

/// How long a test waits for what should come about at once: far longer than a loaded machine needs.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
