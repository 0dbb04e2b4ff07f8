//! Plays seeds of the simulation, which is a program of its own, since this tool depends on no crate of ours.

use std::path::Path;

use anyhow::Result;
use clap::Args;

use crate::cargo;

/// What to play.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many seeds
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first seed [default: a fresh one, after the seeds that once failed]
    #[arg(long)]
    from: Option<u64>,
    /// One seed alone, with the end of its trace
    #[arg(long, conflicts_with = "from")]
    seed: Option<u64>,
    /// Builds with optimizations first: worth it for tens of thousands of seeds
    #[arg(long)]
    release: bool,
}

/// Plays; `false` if an invariant was violated.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let (seeds, seed) = (options.seeds.to_string(), options.seed.map(|seed| seed.to_string()));
    let from = options.from.map(|from| from.to_string());
    let mut args = vec!["run", "--quiet", "--locked", "--package", "fleet-simulation"];
    args.extend(options.release.then_some("--release"));
    args.extend(["--", "--seeds", &seeds]);
    args.extend(from.iter().flat_map(|from| ["--from", from]));
    args.extend(seed.iter().flat_map(|seed| ["--seed", seed]));
    cargo::passes(root, "cargo", &args)
}
