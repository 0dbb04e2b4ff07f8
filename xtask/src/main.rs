//! The developer's tool of this repository: `cargo xtask <command>`.
//!
//! It checks the rules of this repository and regenerates what is generated. It is not part of the product: nothing
//! depends on it, and it depends on no crate of ours, so that it builds in seconds and works when the product does not.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool reads the tree, starts cargo and prints; the bans are for the product"
)]

mod bench;
mod cargo;
mod chaos;
mod check;
mod dist;
mod golden;
mod http;
mod matrix;
mod mutants;
mod processes;
mod server;
mod sim;
mod soak;
mod tidy;
mod upgrade;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Checks the rules of this repository and regenerates what is generated.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs what has to pass before a commit: format, clippy, tidy and the tests.
    Check,
    /// Checks the rules that no compiler knows: arrows, sizes, names, words.
    Tidy {
        /// Prints sizes, ratios and the budget instead of checking the rules.
        #[arg(long)]
        report: bool,
        /// Lowers the counts of `xtask/words-allowed.toml` to what is left, instead of checking the rules.
        #[arg(long, conflicts_with = "report")]
        shrink: bool,
    },
    /// Measures the release binary: commits, starts, requests, whether they stay flat as missions grow, and sessions.
    Bench(bench::Options),
    /// Kills the server again and again while bad agents run, and counts what must never happen.
    Chaos(chaos::Options),
    /// Starts agents with an older binary, replaces it by the new one, and looks whether anything is lost; and back.
    Upgrade(upgrade::Options),
    /// Runs the control plane through storms that seeds make, in virtual time; prints the seed that breaks a promise.
    Sim(sim::Options),
    /// Runs many missions with short retention and prints how much is kept of them.
    Soak(soak::Options),
    /// Runs the real agents and writes the table of what each can do.
    Matrix(matrix::Options),
    /// Tries small changes to a crate, one at a time, and lists the changes that its own tests miss.
    Mutants(mutants::Options),
    /// Packages a binary: Debian, npm, Python wheel; tries each in a fresh folder.
    Dist(dist::Options),
    /// Runs every command of docs/first-hour.md and writes what was printed into the page.
    FirstHour,
    /// Regenerates contract/ and docs/reference/ from the code.
    Gen {
        /// Changes nothing; fails and names the files that are out of date.
        #[arg(long)]
        check: bool,
    },
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the command; `false` means that it worked and found something wrong.
fn run(args: &Args) -> Result<bool> {
    let root = root()?;
    match &args.command {
        Command::Check => check::run(&root),
        Command::Tidy { report: true, .. } => tidy::report(&root),
        Command::Tidy { shrink: true, .. } => tidy::shrink(&root),
        Command::Tidy { .. } => tidy::check(&root),
        Command::Bench(options) => bench::run(&root, options),
        Command::Chaos(options) => chaos::run(&root, options),
        Command::Upgrade(options) => upgrade::run(&root, options),
        Command::Sim(options) => sim::run(&root, options),
        Command::Soak(options) => soak::run(&root, options),
        Command::Matrix(options) => matrix::run(&root, options),
        Command::Mutants(options) => mutants::run(&root, options),
        Command::Dist(options) => dist::run(&root, options),
        Command::FirstHour => {
            let test =
                ["FLEET_FIRST_HOUR_UPDATE=1", "cargo", "nextest", "run", "--package", "fleet", "--test", "first_hour"];
            cargo::passes(&root, "env", &test)
        }
        Command::Gen { check: true } => golden::check(&root),
        Command::Gen { check: false } => golden::write(&root),
    }
}

/// The root of the workspace, which is the folder above this crate.
///
/// cargo says where the crate is; the binary started by hand remembers where it was built.
fn root() -> Result<PathBuf> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    PathBuf::from(here).parent().map(PathBuf::from).context("xtask lies in the workspace")
}
