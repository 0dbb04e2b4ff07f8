//! What the queues need of workspaces beside what sessions do: a look ahead, pushes and pull requests.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use landing::Oid;
use sessions::SessionWorkspaces;
use types::Workspace;
use workspaces::{Error, PullRequest, Workspaces};

/// Reads rules, pushes branches and opens pull requests.
pub trait LandingWorkspaces: SessionWorkspaces {
    /// Returns this as what sessions see, to read the rules of a repository.
    fn of_sessions(&self) -> &dyn SessionWorkspaces;

    /// Reads ahead what the next session on a repository needs of a commit that is about to land.
    fn look_ahead<'a>(&'a self, folder: Option<&'a str>, commit: &'a Oid) -> BoxFuture<'a, ()>;

    /// Pushes the branch of a workspace.
    fn push_to<'a>(&'a self, workspace: &'a Workspace, remote: &'a str) -> BoxFuture<'a, Result<(), Error>>;

    /// Opens a pull request and returns its address.
    fn open_pr<'a>(&'a self, workspace: &'a Workspace, asked: &'a PullRequest) -> BoxFuture<'a, Result<String, Error>>;
}

impl LandingWorkspaces for Workspaces {
    fn of_sessions(&self) -> &dyn SessionWorkspaces {
        self
    }

    fn look_ahead<'a>(&'a self, folder: Option<&'a str>, commit: &'a Oid) -> BoxFuture<'a, ()> {
        self.look_ahead(folder, commit).boxed()
    }

    fn push_to<'a>(&'a self, workspace: &'a Workspace, remote: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        self.push_to(workspace, remote).boxed()
    }

    fn open_pr<'a>(&'a self, workspace: &'a Workspace, asked: &'a PullRequest) -> BoxFuture<'a, Result<String, Error>> {
        self.open_pr(workspace, asked).boxed()
    }
}
