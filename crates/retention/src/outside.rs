//! What is removed outside of the store: files, worktrees, branches. The server uses [`crate::Machine`].

use std::collections::BTreeSet;
use std::fmt::Debug;

use futures::future::BoxFuture;
use types::{Landing, Session, SessionId};

/// Why something could not be removed, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(pub String);

/// Finds and removes what is not in the store.
pub trait Outside: Debug + Send + Sync + 'static {
    /// Returns whether a session has a task, and so is not over whatever its record says.
    fn is_live(&self, session: &SessionId) -> bool;

    /// Lists the sessions that have a worktree, by id, behind one of them.
    fn with_worktree(&self, after: Option<String>, limit: usize) -> BoxFuture<'_, Result<Vec<String>, Refused>>;

    /// Returns whether a session has a worktree.
    fn has_worktree(&self, session: &Session) -> bool;

    /// Removes the worktree of a session once a snapshot has all of it.
    fn remove_worktree<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), Refused>>;

    /// Lists the branches of a repository, and the snapshots by their names.
    fn references<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<References, Refused>>;

    /// Removes the branch and the snapshots of work that has landed, if the target has all of it.
    /// Returns whether it did; a branch that is checked out stays.
    fn remove_branch<'a>(&'a self, landing: &'a Landing) -> BoxFuture<'a, Result<bool, Refused>>;

    /// Packs the loose objects of a repository if there are many.
    fn pack<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<(), Refused>>;

    /// Returns whether a session has a folder with files.
    fn has_files(&self, session: &Session) -> bool;

    /// Removes the folder of a session.
    fn remove_files<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), Refused>>;

    /// Cuts what agents of ended sessions wrote to its end, as the settings say, and the server's log.
    fn trim_output(&self) -> BoxFuture<'_, ()>;
}

/// Names of what a repository has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct References {
    /// Its branches.
    pub branches: BTreeSet<String>,
    /// Its snapshots.
    pub snapshots: BTreeSet<String>,
}

impl References {
    /// Returns whether there is something of a landing's session.
    #[must_use]
    pub fn has(&self, landing: &Landing) -> bool {
        self.branches.contains(&landing.branch) || self.snapshots.contains(landing.session.as_str())
    }
}
