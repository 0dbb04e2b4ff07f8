//! `cargo xtask bench --missions`: how soon a mission starts that waited for another, and what each costs the server.
//!
//! Beside each figure stands what git and the system do without Fleet in the same run: a plain `git worktree add` and a
//! plain fork and exec of the same agents.

mod dag;
mod hops;

use std::path::Path;

use anyhow::Result;

use super::{Figures, Options, on_disk, plain};

/// Files of the small repository.
const FILES: usize = 20;

/// Missions that wait for something that never comes, while a chain runs.
const WAITING: usize = 10_000;

/// Runs all of it and adds the figures to the report.
pub(super) fn run(root: &Path, program: &Path, options: &Options, report: &mut Figures) -> Result<()> {
    let folder = on_disk(root)?;
    let folder = folder.path().canonicalize()?;
    for waiting in [0, WAITING] {
        let place = folder.join(format!("hops-{waiting}"));
        plain::repository(&place.join("repository"), FILES)?;
        hops::run(&place, program, options.hops, waiting, report)?;
    }
    dag::run(&folder.join("dag"), program, options.dag, report)
}
