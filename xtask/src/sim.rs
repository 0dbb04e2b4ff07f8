//! Plays storms of the simulation. It is a program of its own, since this tool depends on no crate of ours.

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
    /// One seed alone, with the end of what happens in it
    #[arg(long)]
    seed: Option<u64>,
    /// Builds with optimizations first: worth it for tens of thousands of seeds
    #[arg(long)]
    release: bool,
}

/// Plays; `false` if a promise was broken.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    let (seeds, seed) = (options.seeds.to_string(), options.seed.map(|seed| seed.to_string()));
    let mut args = vec!["run", "--quiet", "--locked", "--package", "fleet-simulation"];
    args.extend(options.release.then_some("--release"));
    args.extend(["--", "--seeds", &seeds]);
    args.extend(seed.iter().flat_map(|seed| ["--seed", seed]));
    cargo::passes(root, "cargo", &args)
}
