//! Which worktrees go when the disk is nearly full: a pure decision, and the two measurements it needs.
//!
//! Acting on a plan is [`crate::Repository::remove`], one worktree at a time, each with its snapshot.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::disk::failed;
use crate::error::Error;
use crate::walk;

/// A worktree that could go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Where it is.
    pub path: PathBuf,
    /// What it is for.
    pub purpose: Use,
    /// The space it takes.
    pub bytes: u64,
    /// When it was last worked in.
    pub last_used: Timestamp,
    /// Whether it is in use now.
    pub in_use: bool,
}

/// What a worktree is for; the first goes before the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It saves time and can be made again, as those of a pool.
    Cache,
    /// A session worked in it.
    Session,
}

/// Why a worktree stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is in use.
    InUse,
    /// There is space enough without it.
    NotNeeded,
}

/// What to remove, and what not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// What goes, in this order.
    pub remove: Vec<PathBuf>,
    /// What stays, and why.
    pub keep: Vec<(PathBuf, Reason)>,
    /// The space that comes free.
    pub freed: u64,
    /// The space that is missing even then.
    pub missing: u64,
}

/// Decides what goes so that `target` bytes are free when `free` are now: caches first, then what was used least
/// recently.
///
/// Nothing in use goes, and nothing goes that need not. The order does not depend on the order of the candidates.
#[must_use]
pub fn plan(candidates: &[Candidate], free: u64, target: u64) -> Plan {
    let mut order: Vec<&Candidate> = candidates.iter().collect();
    order.sort_by_key(|candidate| (candidate.purpose, candidate.last_used, &candidate.path));
    let wanted = target.saturating_sub(free);
    let mut plan = Plan::default();
    for candidate in order {
        let path = candidate.path.clone();
        match () {
            () if candidate.in_use => plan.keep.push((path, Reason::InUse)),
            () if plan.freed >= wanted || candidate.bytes == 0 => plan.keep.push((path, Reason::NotNeeded)),
            () => {
                plan.freed = plan.freed.saturating_add(candidate.bytes);
                plan.remove.push(path);
            }
        }
    }
    plan.missing = wanted.saturating_sub(plan.freed);
    plan
}

/// Measures the space that a directory takes on disk.
///
/// # Errors
/// When something in it cannot be read.
pub async fn used_bytes(path: &Path) -> Result<u64, Error> {
    let path = path.to_owned();
    runtime::blocking(move || walk::blocks(&path)).await
}

/// Measures the space that is free for us on the file system of `path`.
///
/// # Errors
/// When the path does not exist.
pub fn free_bytes(path: &Path) -> Result<u64, Error> {
    let found = rustix::fs::statvfs(path).map_err(|error| failed("measure", path)(error.into()))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(test)]
#[path = "prune_tests.rs"]
mod tests;
