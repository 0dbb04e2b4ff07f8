//! The dispatcher with a runner without agents, over a store in memory and a clock that is moved by hand.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod cost;
mod follows;
mod hands;
mod probe;
mod scene;
mod starts;
mod survives;
