//! The dispatcher with a crew of no agents, over a store in memory and a clock that stands still until it is moved.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod cost;
mod follows;
mod hands;
mod probe;
mod scene;
mod starts;
mod survives;
