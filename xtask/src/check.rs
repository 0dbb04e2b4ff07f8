//! `cargo xtask check`: what has to pass before a commit, cheapest first.
//!
//! It stops at the first step that fails. It installs nothing and tests no surface; `scripts/test` does both.

use std::path::Path;

use anyhow::Result;

use crate::{cargo, tidy};

const FORMAT: &[&str] = &["fmt", "--all", "--check"];
const CLIPPY: &[&str] = &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
const TESTS: &[&str] = &["nextest", "run", "--workspace"];

/// Runs every step; `false` if one found something wrong.
pub(crate) fn run(root: &Path) -> Result<bool> {
    Ok(cargo_passes(root, FORMAT)? && tidy::check(root)? && cargo_passes(root, CLIPPY)? && cargo_passes(root, TESTS)?)
}

fn cargo_passes(root: &Path, args: &[&str]) -> Result<bool> {
    println!("==> cargo {}", args.join(" "));
    cargo::passes(root, "cargo", args)
}
