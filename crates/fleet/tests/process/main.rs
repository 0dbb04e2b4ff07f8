//! The binary itself, on loopback and in homes of its own: what survives, what is refused, how it ends.
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test speaks by panicking")]

mod approvals;
mod budgets;
mod callbacks;
mod claude;
mod cold;
mod command_network;
mod custom;
mod demo;
mod egress;
mod first_use;
mod follow;
mod full_disk;
mod inside;
mod kill;
mod landing;
mod landing_after;
mod landing_checkout;
mod landing_faults;
mod landing_many;
mod landing_rules;
mod ledger;
mod load;
mod mcp_servers;
mod permission_hook;
mod questions;
mod real;
mod refusals;
mod reload;
mod reports;
mod retention;
mod sandbox;
mod sandbox_git;
mod secrets;
mod sessions;
mod sessions_end;
mod sessions_fail;
mod sessions_kill;
mod sessions_lineage;
mod sessions_pty;
mod sessions_shown;
mod sessions_trim;
mod sim;
mod stop;
mod streams;
mod sub_missions;
mod team_workspaces;
mod trust;
mod wires;
mod worker_tools;
mod workers;
mod workflows;
mod worktree_pr;

/// The binary under test.
const FLEET: &str = env!("CARGO_BIN_EXE_fleet");
