//! Makes, fills, keeps and removes the folders that sessions work in.
//!
//! A workspace is a worktree with a branch of its own, or a folder of the user's as it is. What is about to be made is
//! written down first and marked when it is ready, so that after a kill at any moment the same call makes the same
//! workspace, and a half-made one is never handed out. Nothing that was worked in is removed before a snapshot has
//! every byte of it. The user's own checkout is only ever read. The crate knows no session but its name, stores nothing
//! outside of its folders, and never polls. Start with [`Workspaces::prepare`].
//!
//! One process may own a root at a time: what the pool has given away is known to its memory and to the records.

mod branch_file;
mod combine;
mod command;
mod copy_in;
mod error;
mod files;
mod git_dirs;
mod landed;
mod list;
mod make;
mod options;
mod pool;
mod port;
mod prepare;
mod prune;
mod pull_request;
mod recipe;
mod recipe_commands;
mod record;
mod remove;
mod report_files;
mod source;
mod teardown;
mod work;
mod work_summary;

use std::collections::HashMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use runtime::{Clock, Kind};
use tokio::sync::oneshot;

pub use combine::Combined;
pub use command::{End, Ran};
pub use error::Error;
pub use git::{BranchFate, Checkout, Ignored, Pattern, PatternError, Status, Submodules, free_bytes};
pub use landed::Left;
pub use list::{Kept, Listed, Purpose};
pub use options::{CallOff, Naming, Options, RecipeRules};
pub use prune::{PruneReport, Pruned};
pub use pull_request::PullRequest;
pub use recipe::{RECIPE_FILE, Recipe, RecipeError};
pub use remove::Removed;
pub use report_files::TALK;
pub use work::Committed;
pub use work_summary::Seen;

/// All workspaces below one root; clones are the same.
#[derive(Debug, Clone)]
pub struct Workspaces(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: Options,
    git: git::Git,
    clock: Clock,
    tasks: runtime::Tree,
    ports: port::Ports,
    /// Repositories that were opened, by the folder that was named.
    opened: Mutex<HashMap<PathBuf, source::Opened>>,
    pools: pool::Pools,
}

impl Workspaces {
    /// Keeps workspaces as `options` say; what must not stop half-way runs as a task of `tasks`.
    #[must_use]
    pub fn new(options: Options, git: git::Git, clock: Clock, tasks: runtime::Tree) -> Self {
        let (ports, opened, pools) = Default::default();
        Self(Arc::new(Inner { options, git, clock, tasks, ports, opened, pools }))
    }

    /// Returns what was decided.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// Runs work to its end even if no caller waits for it any more.
    async fn to_the_end<T, F>(&self, what: &'static str, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        let (answer, answered) = oneshot::channel();
        self.0.tasks.spawn(Kind::Job, what, move |_| async move {
            // The caller may be gone; the work counts all the same.
            let _ = answer.send(work.await);
        });
        answered.await.unwrap_or(Err(Error::ShuttingDown { what }))
    }
}
