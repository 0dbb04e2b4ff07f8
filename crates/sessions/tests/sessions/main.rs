//! Sessions on processes, files and workspaces in memory: nothing is started, and time is the test's.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test speaks by panicking")]

mod approvals;
mod budgets;
mod ends;
mod folders;
mod journal;
mod messages;
mod notices;
mod questions;
mod recovers;
mod starts;
mod store_engine;
mod waits;
mod world;
