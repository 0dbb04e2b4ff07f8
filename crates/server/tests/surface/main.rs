//! The server as its clients meet it: over a real port, with everything in memory.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test speaks by panicking")]

#[path = "../support/mod.rs"]
mod support;

mod agents;
mod doors;
mod events;
mod guards;
mod inputs;
mod limits;
mod pages;
mod paging;
mod socket;
mod workers;
