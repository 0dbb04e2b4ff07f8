//! The folders that agents work in and what git shows of their work, as sessions see it. The server uses
//! [`workspaces::Workspaces`].

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use types::{Place, Workspace};
use workspaces::{CallOff, Combined, Committed, Error, Naming, PruneReport, RecipeRules, Seen, Workspaces};

/// Says who works in a folder.
pub type InUse = Box<dyn Fn(&Path) -> Option<String> + Send + Sync>;

/// Makes the folders of sessions and looks at the work in them.
pub trait SessionWorkspaces: Debug + Send + Sync + 'static {
    /// Makes or finds the workspace of a session, unless it is called off meanwhile.
    fn prepare<'a>(
        &'a self,
        naming: &'a Naming,
        place: &'a Place,
        off: &'a CallOff,
    ) -> BoxFuture<'a, Result<Workspace, Error>>;

    /// Returns whether the folder of a workspace is there; a worktree may have been removed, and is then made again.
    fn is_there(&self, workspace: &Workspace) -> bool {
        workspace.worktree.is_none() || Path::new(&workspace.path).exists()
    }

    /// Commits what was left uncommitted.
    fn keep<'a>(&'a self, workspace: &'a Workspace, message: &'a str) -> BoxFuture<'a, Result<Committed, Error>>;

    /// Looks at the work on the branch; what the `target` branch has is others' work.
    fn seen<'a>(&'a self, workspace: &'a Workspace, target: Option<&'a str>) -> BoxFuture<'a, Result<Seen, Error>>;

    /// Reads what the agent left in `result.json`, up to some bytes.
    fn result<'a>(&'a self, workspace: &'a Workspace, bytes_max: u64) -> BoxFuture<'a, Option<String>>;

    /// Puts aside what an earlier process left in `result.json`.
    ///
    /// # Errors
    /// When it is there and cannot be moved.
    fn put_result_aside(&self, workspace: &Workspace, run: u32) -> Result<(), Error>;

    /// Makes the git directory of a workspace ready for its agent; returns it with the one that all worktrees of its
    /// repository share.
    fn git_dirs<'a>(&'a self, workspace: &'a Workspace) -> BoxFuture<'a, Result<Option<(PathBuf, PathBuf)>, Error>>;

    /// Returns the branch that a repository is on.
    fn head_branch<'a>(&'a self, folder: &'a Path) -> BoxFuture<'a, Result<Option<String>, Error>>;

    /// Returns whether a file is committed on a branch, or on HEAD.
    fn has_file<'a>(
        &'a self,
        folder: &'a Path,
        branch: Option<&'a str>,
        path: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>>;

    /// Reads a file as it is committed on a branch.
    fn file_on<'a>(
        &'a self,
        folder: &'a Path,
        branch: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, Error>>;

    /// Merges branches in their order on the target branch, in memory.
    fn combine<'a>(
        &'a self,
        folder: &'a Path,
        target: Option<&'a str>,
        branches: &'a [String],
    ) -> BoxFuture<'a, Result<Combined, Error>>;

    /// Removes workspaces that are not in use if the disk is short of space.
    fn make_room(&self, in_use: InUse) -> BoxFuture<'_, Result<Option<PruneReport>, Error>>;

    /// Makes worktrees in advance for the next sessions on a repository, if that is set.
    fn refill<'a>(
        &'a self,
        folder: &'a Path,
        base: Option<&'a str>,
        recipe: &'a RecipeRules,
    ) -> BoxFuture<'a, Result<(), Error>>;
}

impl SessionWorkspaces for Workspaces {
    fn prepare<'a>(
        &'a self,
        naming: &'a Naming,
        place: &'a Place,
        off: &'a CallOff,
    ) -> BoxFuture<'a, Result<Workspace, Error>> {
        self.prepare_unless(naming, place, off).boxed()
    }

    fn keep<'a>(&'a self, workspace: &'a Workspace, message: &'a str) -> BoxFuture<'a, Result<Committed, Error>> {
        self.keep(workspace, message).boxed()
    }

    fn seen<'a>(&'a self, workspace: &'a Workspace, target: Option<&'a str>) -> BoxFuture<'a, Result<Seen, Error>> {
        self.seen(workspace, target).boxed()
    }

    fn result<'a>(&'a self, workspace: &'a Workspace, bytes_max: u64) -> BoxFuture<'a, Option<String>> {
        self.result(workspace, bytes_max).boxed()
    }

    fn put_result_aside(&self, workspace: &Workspace, run: u32) -> Result<(), Error> {
        self.put_result_aside(workspace, run)
    }

    fn git_dirs<'a>(&'a self, workspace: &'a Workspace) -> BoxFuture<'a, Result<Option<(PathBuf, PathBuf)>, Error>> {
        self.git_dirs(workspace).boxed()
    }

    fn head_branch<'a>(&'a self, folder: &'a Path) -> BoxFuture<'a, Result<Option<String>, Error>> {
        self.head_branch(folder).boxed()
    }

    fn has_file<'a>(
        &'a self,
        folder: &'a Path,
        branch: Option<&'a str>,
        path: &'a str,
    ) -> BoxFuture<'a, Result<bool, Error>> {
        self.has_file(folder, branch, path).boxed()
    }

    fn file_on<'a>(
        &'a self,
        folder: &'a Path,
        branch: &'a str,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Option<String>, Error>> {
        self.file_on(folder, branch, path).boxed()
    }

    fn combine<'a>(
        &'a self,
        folder: &'a Path,
        target: Option<&'a str>,
        branches: &'a [String],
    ) -> BoxFuture<'a, Result<Combined, Error>> {
        self.combine(folder, target, branches).boxed()
    }

    fn make_room(&self, in_use: InUse) -> BoxFuture<'_, Result<Option<PruneReport>, Error>> {
        self.govern(in_use).boxed()
    }

    fn refill<'a>(
        &'a self,
        folder: &'a Path,
        base: Option<&'a str>,
        recipe: &'a RecipeRules,
    ) -> BoxFuture<'a, Result<(), Error>> {
        let refill = async move {
            match self.options().pool_size {
                0 => Ok(()),
                _ => self.refill_by(folder, base, recipe).await.map(drop),
            }
        };
        refill.boxed()
    }
}
