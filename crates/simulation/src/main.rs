//! Plays seeds until one breaks a promise, and prints what happened in it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool prints what it finds")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::Parser;
use fleet_simulation::Report;

/// Runs the control plane through storms that seeds make, and says which seed broke a promise.
#[derive(Debug, Parser)]
struct Args {
    /// How many seeds to play
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first seed; alone, the only one
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let first = args.seed.unwrap_or(0);
    let seeds = if args.seed.is_some() { 1 } else { args.seeds };
    let reports = play(first, first.saturating_add(seeds));
    if let Some(failed) = reports.iter().filter(|report| report.violation.is_some()).min_by_key(|report| report.seed) {
        print(failed);
        return ExitCode::FAILURE;
    }
    if let (Some(_), Some(report)) = (args.seed, reports.first()) {
        report.tail.iter().for_each(|line| println!("{line}"));
    }
    let sum = |count: fn(&Report) -> u64| reports.iter().map(count).sum::<u64>();
    println!(
        "{seeds} seeds clean: {} events, {} crashes, {} missions, {} of them done",
        sum(|report| report.lines),
        sum(|report| report.crashes.into()),
        sum(|report| report.missions.0 as u64),
        sum(|report| report.missions.1 as u64),
    );
    ExitCode::SUCCESS
}

/// Plays seeds on all cores, each seed on one; no seed is begun after one has failed.
fn play(first: u64, end: u64) -> Vec<Report> {
    let (next, reports) = (AtomicU64::new(first), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let report = fleet_simulation::run(seed);
                    if report.violation.is_some() {
                        next.store(end, Ordering::Relaxed);
                    }
                    reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
                }
            });
        }
    });
    reports.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn print(failed: &Report) {
    failed.tail.iter().for_each(|line| eprintln!("{line}"));
    let (seed, violation) = (failed.seed, failed.violation.as_deref().unwrap_or_default());
    eprintln!("seed {seed} breaks a promise: {violation}");
    eprintln!("play it again: cargo xtask sim --seed {seed}");
}
