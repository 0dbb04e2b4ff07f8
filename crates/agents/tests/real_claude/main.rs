//! The real Claude Code, started as its adapter says and talking to a model that the test scripts.
//!
//! What the recordings assume is checked here against the program itself, in the version that `scripts/agents` pins.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test speaks by panicking")]

mod agent;
mod faults;
mod gate;
mod live;
mod work;
