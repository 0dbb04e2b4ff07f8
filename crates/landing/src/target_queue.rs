//! A target queue: one target branch of a repository, with a scratch worktree of its own.
//!
//! Queues of one repository check in parallel; only the moves of branches take turns, since they share a journal.

use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git::{BranchName, Oid, Repository};

use crate::check::Known;
use crate::merge::Merged;

/// The folder of all target queues of a repository.
const LANES: &str = "lanes";

/// The file that names the process that leads the check of a queue.
pub(crate) const LEADER: &str = "check";

/// A target branch that is landed on.
#[derive(Debug)]
pub(crate) struct TargetQueue {
    pub(crate) repository: Repository,
    /// Locked as long as anything of ours is at work.
    pub(crate) lock: Arc<File>,
    home: PathBuf,
    /// One landing at a time.
    pub(crate) state: tokio::sync::Mutex<State>,
}

/// What is only worth keeping, not needed.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What happened to merging a branch on a commit.
    pub(crate) merged: HashMap<(Oid, Oid), Merged>,
    /// The commits that hold several branches, by what they stand on and the last of the branches.
    pub(crate) bundles: HashMap<(Oid, Oid), Oid>,
    /// What was green last, for when it could not land at once.
    pub(crate) green: Option<Known>,
    /// What the checks said of the target branch itself.
    pub(crate) target: Option<Known>,
    /// What was red on a target that was red itself, so that waiting costs no further runs.
    pub(crate) red: Vec<Known>,
    /// Whether the scratch worktree is known to hold no file but its commit's and ignored ones.
    pub(crate) pristine: bool,
    /// The user's checkouts that were met, by their top.
    pub(crate) checkouts: HashMap<PathBuf, Repository>,
}

impl State {
    /// Forgets what was made of commits that may be gone.
    pub(crate) fn forget(&mut self) {
        self.merged.clear();
        self.bundles.clear();
        self.green = None;
        self.check_again();
    }

    /// Forgets what was red.
    pub(crate) fn check_again(&mut self) {
        self.target = None;
        self.red.clear();
    }
}

impl TargetQueue {
    pub(crate) fn new(repository: Repository, lock: Arc<File>, home: &Path, target: &BranchName) -> Self {
        let home = folder(home).join(named(target.as_str()));
        Self { repository, lock, home, state: tokio::sync::Mutex::default() }
    }

    /// Where the scratch worktree is.
    pub(crate) fn tree(&self) -> PathBuf {
        self.home.join("tree")
    }

    /// Where it is written down which process leads the check that runs.
    pub(crate) fn leader(&self) -> PathBuf {
        self.home.join(LEADER)
    }

    /// Where checks keep what is theirs, such as caches.
    pub(crate) fn private(&self) -> PathBuf {
        self.home.join("private")
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }
}

/// The folder of all target queues below the folder of a repository.
pub(crate) fn folder(home: &Path) -> PathBuf {
    home.join(LANES)
}

/// A folder's name for a branch, another one for each.
fn named(branch: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let part = |byte: u8| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") };
    branch.bytes().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_branch_has_a_folder_of_its_own_and_none_leads_out() {
        let names = ["main", "release/1", "release%2f1", "a b", "ä"].map(named);
        assert_eq!(names, ["main", "release%2f1", "release%252f1", "a%20b", "%c3%a4"]);
        assert!(names.iter().all(|name| !name.contains('/')));
    }
}
