//! Whole operations on a fleet in memory: what each door shows, who may do what, and which input is taken.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test speaks by panicking")]

mod actors;
mod approvals;
mod at_work;
mod choosing;
mod circles;
mod context;
mod deletion;
mod doors;
mod faults;
mod following;
mod inputs;
mod landings;
mod largest;
mod links;
mod listing;
mod lost_answers;
mod mcp_servers;
mod moves;
mod noise;
mod numbers;
mod policies;
mod prefixes;
mod registration;
mod report_removal;
mod reports;
mod roles;
mod sub_missions;
mod tasks;
mod teams;
mod tokens;
mod updates;
mod views;
mod widening;
mod workers;
mod world;
