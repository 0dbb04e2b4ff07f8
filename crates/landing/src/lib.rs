//! Lands finished branches: merges in memory, checks exactly what was merged, and moves the target branch.
//!
//! Nothing lands whose checks were not green on the very tree that lands; the target moves by compare-and-swap from the
//! commit that was merged on. The user's checkout is moved only forward with its branch, and keeps what the user has
//! changed; a branch is never moved under a checkout that does not follow. Nothing is pushed unless asked, and never by force. The
//! crate keeps no queue; [`decide`] says what is tried next and what follows from an outcome, and others do it. The
//! process that drives a queue is asked before the target moves, which is where a drop and a crash are decided
//! ([`Clearance`]). Start with [`Lander::batch`].
//!
//! Each target branch of a repository has a queue with a scratch worktree of its own, and queues do not wait for each
//! other's checks. One process may own a scratch folder at a time, which a lock in it sees to.

mod batch;
mod bisect;
mod check;
mod check_runner;
mod clearance;
mod decide;
mod engine;
mod error;
mod files;
mod git_target;
mod journal;
mod merge;
mod orphan;
mod outcome;
mod project;
mod push;
mod scratch;
mod swap;
mod target_queue;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use runtime::{Clock, Tree};
use sandbox::CommandSandboxes;

pub use batch::{Batch, Target};
pub use check::Checked;
pub use clearance::{Clearance, Cleared, Word};
pub use decide::{Follows, RETURNS_MAX, TOGETHER_MAX, follows, next, slim};
pub use engine::{AnyClearance, LandingEngine};
pub use error::Error;
pub use git::Oid;
pub use merge::Merged;
pub use outcome::{Landed, Meddled, Outcome, Push, Red};
pub use sandbox::CommandRules;
pub use swap::Swapped;

/// What is decided once.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where checks run: a folder for each repository below it, with the scratch worktree in that.
    pub root: PathBuf,
    /// All that a check sees of the environment.
    pub variables: BTreeMap<OsString, OsString>,
    /// What makes the sandboxes that checks run in; none if there are none.
    pub sandboxes: Option<CommandSandboxes>,
}

/// Where to land.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ground {
    /// The user's repository, or any folder in it.
    pub folder: PathBuf,
    /// The target branch; none for the one that HEAD is on in that folder.
    pub target: Option<String>,
    /// Lines for the shell, each of which must end with code 0; without any, whatever merges lands.
    pub checks: Vec<String>,
    /// How long one check may run.
    pub check_timeout: Duration,
    /// What checks may reach.
    pub sandbox: CommandRules,
}

/// A finished branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The caller's id of it; it is in the message of the merge commit.
    pub id: String,
    /// The branch.
    pub branch: String,
    /// What it does, as the merge commit's first line says it.
    pub title: String,
}

/// Lands branches; clones are the same.
#[derive(Debug, Clone)]
pub struct Lander(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    git: git::Git,
    clock: Clock,
    tasks: Tree,
    root: PathBuf,
    variables: Arc<BTreeMap<OsString, OsString>>,
    sandboxes: Option<CommandSandboxes>,
    /// What was opened, by the folder that was named and by repository.
    opened: tokio::sync::Mutex<HashMap<PathBuf, project::Opened>>,
}

impl Lander {
    /// Lands as `options` say; what must not stop half-way runs as a task of `tasks`.
    #[must_use]
    pub fn new(git: git::Git, clock: Clock, tasks: Tree, options: Options) -> Self {
        let Options { root, variables, sandboxes } = options;
        let (variables, opened) = (Arc::new(variables), tokio::sync::Mutex::default());
        Self(Arc::new(Inner { git, clock, tasks, root, variables, sandboxes, opened }))
    }

    /// Tries to land one candidate.
    ///
    /// May be dropped at any await: a check that runs is ended with all it started, and a move of the branch that has
    /// begun goes on to its end.
    ///
    /// # Errors
    /// As [`Lander::batch`].
    pub async fn attempt(&self, ground: &Ground, candidate: &Candidate) -> Result<Outcome, Error> {
        let mut outcome = None;
        let tell = |_: &Candidate, told: Outcome| outcome = Some(told);
        self.batch(ground, std::slice::from_ref(candidate), tell).await?;
        // Each candidate is told of exactly once, unless there was an error.
        outcome.ok_or(Error::ShuttingDown)
    }
}
