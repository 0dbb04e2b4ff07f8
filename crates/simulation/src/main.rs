//! Plays seeds until one violates an invariant, and prints what happened in it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer's tool prints what it finds")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use clap::Parser;
use fleet_simulation::{Bug, Report, kept_seeds, run_with};
use runtime::Rng;

/// Fresh seeds are drawn below this, so that they are short to type.
const FRESH_BELOW: u64 = 1_000_000_000;

/// Runs the control plane under seeded faults and names the seed that violates an invariant.
#[derive(Debug, Parser)]
struct Args {
    /// How many seeds to play
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first seed [default: a fresh one, after the seeds that once failed]
    #[arg(long)]
    from: Option<u64>,
    /// Play this seed alone and print the end of its trace
    #[arg(long, conflicts_with = "from")]
    seed: Option<u64>,
    /// Plant a bug, by its name in `bug.rs`, or `all` of them in turn; the first seed that notices it is printed
    #[arg(long)]
    bug: Option<String>,
}

impl Args {
    /// Returns the seeds to play, in order, and says which they are.
    fn seeds(&self) -> Vec<u64> {
        let range = |from: u64| from..from.saturating_add(self.seeds);
        match (self.seed, self.from) {
            (Some(seed), _) => vec![seed],
            (None, Some(from)) => range(from).collect(),
            (None, None) => {
                let from = Rng::from_os().below(FRESH_BELOW);
                let kept = kept_seeds();
                println!("playing {} kept seeds, then --from {from} --seeds {}", kept.len(), self.seeds);
                kept.into_iter().chain(range(from)).collect()
            }
        }
    }
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(name) = &args.bug {
        return plant(name, args.from.unwrap_or(0), args.seeds);
    }
    let seeds = args.seeds();
    let reports = play(&seeds);
    if let Some(failed) = reports.iter().find(|report| report.violation.is_some()) {
        print(failed);
        return ExitCode::FAILURE;
    }
    if let (Some(_), Some(report)) = (args.seed, reports.first()) {
        report.tail.iter().for_each(|line| println!("{line}"));
    }
    let sum = |count: fn(&Report) -> u64| reports.iter().map(count).sum::<u64>();
    println!(
        "{} seeds clean: {} events, {} crashes, {} missions, {} of them done",
        seeds.len(),
        sum(|report| report.lines),
        sum(|report| report.crashes.into()),
        sum(|report| report.missions.0 as u64),
        sum(|report| report.missions.1 as u64),
    );
    ExitCode::SUCCESS
}

/// Plays seeds with a planted bug until one notices; fails if none does.
fn plant(name: &str, from: u64, seeds: u64) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for bug in Bug::ALL.into_iter().filter(|bug| name == "all" || format!("{bug:?}") == name) {
        let noticed =
            (from..from.saturating_add(seeds)).find_map(|seed| run_with(seed, Some(bug)).violation.zip(Some(seed)));
        match noticed {
            Some((violation, seed)) => println!("{bug:?}: seed {seed}: {violation}"),
            None => {
                println!("{bug:?}: not noticed");
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// Plays seeds on all cores, each seed on one; no seed is begun after one has failed.
fn play(seeds: &[u64]) -> Vec<Report> {
    let (next, reports) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let report = fleet_simulation::run(*seed);
                    if report.violation.is_some() {
                        next.store(seeds.len(), Ordering::Relaxed);
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
    eprintln!("seed {seed} violates an invariant: {violation}");
    eprintln!("replay it: cargo xtask sim --seed {seed}");
}
