//! The store over the engine in memory: what it promises, tried by many at once, half-way, and through faults.
#![expect(clippy::unwrap_used, reason = "a test speaks by panicking")]

mod blobs;
mod cancelled;
mod claims;
mod counters;
mod engines;
mod faults;
mod feed;
mod indexes;
mod ledger;
mod lists;
mod lost_answers;
mod numbers;
mod retention;
mod schema;
mod schema_approvals;
mod schema_landings;
mod schema_questions;
mod schema_reports;
mod schema_sessions;
mod support;
mod transactions;
mod versions;
mod writes;
