//! `cargo xtask mutants CRATE`: changes a crate in many small ways, one at a time, and runs its own tests on each.
//!
//! A change that no test notices is a property that no test states. The tree itself is never changed: cargo-mutants
//! works on a copy, one job at a time at a low priority, and builds into `target/mutants`, which later runs reuse.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::cargo;

/// How to get the tool that this command runs.
const INSTALL: &str = "cargo install cargo-mutants --locked";

/// What to change.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The crate, such as `policy`
    name: String,
    /// How many changes to try, spread over the crate; all of them, when unset
    #[arg(long)]
    sample: Option<usize>,
    /// Which sample: another seed tries other changes
    #[arg(long, default_value_t = 0)]
    seed: usize,
    /// Only changes in these files, such as `crates/landing/src/decide.rs`
    #[arg(long)]
    file: Vec<String>,
    /// Percent of the changes that the tests must notice
    #[arg(long, default_value_t = 80)]
    least: usize,
    /// Runs tests with nextest, each in its own process
    #[arg(long)]
    nextest: bool,
}

/// What happened to the changes, as cargo-mutants writes it.
#[derive(Debug, Deserialize)]
struct Outcomes {
    caught: usize,
    missed: usize,
    timeout: usize,
    unviable: usize,
}

/// Tries a sample; `false` if the tests noticed too few changes.
pub(crate) fn run(root: &Path, options: &Options) -> Result<bool> {
    if cargo::output(root, "cargo", &["mutants", "--version"]).is_err() {
        bail!("cargo-mutants is not installed; run `{INSTALL}`");
    }
    let package = package(&options.name);
    let files: Vec<&str> = options.file.iter().flat_map(|file| ["--file", file]).collect();
    let listed =
        cargo::output(root, "cargo", &[&["mutants", "--list", "--package", &package], files.as_slice()].concat())?;
    let total = listed.lines().count();
    let shard = shard(total, options.sample, options.seed);
    println!("{total} changes in {package}; trying shard {shard}");
    let folder = root.join("target/mutants");
    std::fs::create_dir_all(&folder).context("cannot create target/mutants")?;
    let status = command(root, &folder, &package, &shard, options).args(files).status();
    let status = status.context("cannot start cargo mutants")?;
    // 2: some were missed, 3: some took too long. Anything else is a failure to try them at all.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        bail!("cargo mutants failed: {status}");
    }
    report(&folder.join("mutants.out"), options.least)
}

fn command(root: &Path, folder: &Path, package: &str, shard: &str, options: &Options) -> Command {
    let tool = if options.nextest { "nextest" } else { "cargo" };
    let mut command =
        cargo::command(root, "nice", &["cargo", "mutants", "--package", package, "--test-package", package]);
    command.args(["--jobs", "1", "--shard", shard, "--sharding", "round-robin", "--test-tool", tool, "--no-shuffle"]);
    command.args(["--colors", "never", "--output"]).arg(folder);
    command.env("CARGO_TARGET_DIR", folder.join("build"));
    command
}

/// The package that a short name refers to.
fn package(name: &str) -> String {
    if name.starts_with("fleet-") || matches!(name, "fleet" | "xtask") {
        return name.to_owned();
    }
    format!("fleet-{name}")
}

/// Every n-th change, so that about as many as asked for are tried; the seed says from which one on.
fn shard(total: usize, sample: Option<usize>, seed: usize) -> String {
    let parts = sample.map_or(1, |sample| total.div_ceil(sample.max(1))).max(1);
    format!("{}/{parts}", seed % parts)
}

fn report(folder: &Path, least: usize) -> Result<bool> {
    let read = |name: &str| -> Result<String> {
        let path: PathBuf = folder.join(name);
        std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    };
    let Outcomes { caught, missed, timeout, unviable } =
        serde_json::from_str(&read("outcomes.json")?).context("outcomes.json is malformed")?;
    for missed in read("missed.txt")?.lines() {
        println!("missed: {missed}");
    }
    // A change that makes a test run for ever is noticed; one that does not compile says nothing.
    let (noticed, tried) = (caught + timeout, caught + timeout + missed);
    println!("{noticed} of {tried} changes noticed ({}%), {unviable} did not compile", percent(noticed, tried));
    Ok(percent(noticed, tried) >= least)
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).checked_div(whole).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_every_nth_change_beginning_at_the_seed() {
        assert_eq!(shard(270, Some(27), 3), "3/10");
        assert_eq!(shard(270, Some(27), 13), "3/10");
        assert_eq!(shard(5, Some(27), 7), "0/1");
        assert_eq!(shard(5, None, 7), "0/1");
        assert_eq!(shard(0, Some(0), 7), "0/1");
    }

    #[test]
    fn a_crate_is_named_as_its_folder_or_as_its_package() {
        assert_eq!(package("policy"), "fleet-policy");
        assert_eq!(package("fleet-policy"), "fleet-policy");
        assert_eq!(package("fleet"), "fleet");
    }

    #[test]
    fn the_percentage_is_rounded_down_and_nothing_tried_is_all_noticed() {
        assert_eq!((percent(19, 20), percent(20, 27), percent(0, 0)), (95, 74, 100));
    }

    #[test]
    fn too_few_noticed_changes_fail_and_a_time_limit_counts_as_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let outcomes =
            r#"{"outcomes": [], "total_mutants": 12, "caught": 7, "missed": 1, "timeout": 2, "unviable": 2}"#;
        std::fs::write(folder.path().join("outcomes.json"), outcomes).unwrap();
        std::fs::write(folder.path().join("missed.txt"), "src/lib.rs:1:1: replace it\n").unwrap();
        assert!(report(folder.path(), 90).unwrap());
        assert!(!report(folder.path(), 91).unwrap());
        assert!(report(Path::new("/no/such/folder"), 0).is_err());
    }
}
