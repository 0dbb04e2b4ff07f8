//! `cargo xtask soak`: many missions with short retention, and how much is kept of them.
//!
//! The missions are records and files in virtual time, on SQLite; no agent runs. What it prints is a plateau, or the
//! test fails.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// How much to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Missions that are made and end.
    #[arg(long, default_value_t = 10_000)]
    missions: usize,
}

/// Runs the soak of the crate `retention` and shows what it prints.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.current_dir(root).env("FLEET_SOAK_MISSIONS", options.missions.to_string());
    cargo.args(["test", "-p", "fleet-retention", "--test", "retention", "--", "soak::", "--nocapture"]);
    Ok(cargo.status().context("cannot start cargo")?.success())
}
