//! `cargo xtask bench --sessions`: how fast agents start, what each costs, and how soon others see what it writes.
//!
//! Every figure stands beside what the system itself can do, measured in turns with it in the same run: a plain fork
//! and exec of the same program, a plain `git worktree add` of the same repository, a plain reader of the same file.

mod dispatch;
mod flood;
mod layers;
mod memory;

use std::path::Path;

use anyhow::Result;

use super::{Figures, on_disk};

/// A part that can be measured alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Part {
    /// Starts without a worktree.
    InPlace,
    /// Starts with a worktree of 10,000 files.
    Worktree,
    /// Starts with such a worktree that was made ahead.
    Pool,
    /// Starts in all layers of the sandbox, beside the same starts without any.
    Layers,
    /// Memory of agents that do nothing.
    Memory,
    /// Hundreds of agents that all talk.
    Flood,
}

/// Runs all of it, or `only` some parts, and adds the figures to the report.
pub(super) fn run(root: &Path, program: &Path, starts: usize, only: &[Part], report: &mut Figures) -> Result<()> {
    let folder = on_disk(root)?;
    let folder = folder.path().canonicalize()?;
    std::fs::create_dir_all(folder.join("empty"))?;
    let wanted = |part| only.is_empty() || only.contains(&part);
    if wanted(Part::InPlace) {
        dispatch::in_place(&folder, program, starts, report)?;
    }
    if wanted(Part::Layers) {
        layers::run(&folder, program, starts, report)?;
    }
    if wanted(Part::Worktree) || wanted(Part::Pool) {
        dispatch::repository(&folder)?;
    }
    if wanted(Part::Worktree) {
        dispatch::worktree(&folder, program, starts, report)?;
    }
    if wanted(Part::Pool) {
        dispatch::pool(&folder, program, starts, report)?;
    }
    if wanted(Part::Memory) {
        memory::run(&folder, program, report)?;
    }
    if wanted(Part::Flood) {
        flood::run(&folder, program, report)?;
    }
    Ok(())
}
