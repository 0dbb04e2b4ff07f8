//! What is done with the work in a workspace: look, count, commit, push.

use std::path::{Path, PathBuf};

use git::{BranchName, Oid, Repository, Status};
use types::{Tree, Workspace};

use crate::Workspaces;
use crate::error::Error;
use crate::record::Marker;
use crate::report_files::TALK;

/// Where branches are pushed to unless it is said.
pub(crate) const ORIGIN: &str = "origin";

/// What came of committing everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// A commit of this name was made.
    Commit(String),
    /// There was nothing to commit.
    Nothing,
}

impl Workspaces {
    /// Compares the files with the last commit, and that with the commit that the branch started from.
    ///
    /// # Errors
    /// When the folder is gone or in no repository.
    pub async fn status(&self, workspace: &Workspace) -> Result<Status, Error> {
        match &workspace.worktree {
            Some(tree) => {
                let base: Oid = tree.base.parse()?;
                Ok(self.worktree(tree, &workspace.path).await?.status(Some(&base)).await?)
            }
            None => {
                let path = Path::new(&workspace.path);
                let repository = self.inner().git.open(path).await.map_err(|error| Error::opening(path, error))?;
                Ok(repository.status(None).await?)
            }
        }
    }

    /// Counts the commits on the branch since the commit that it started from; also when the worktree is gone.
    ///
    /// # Errors
    /// When the branch is gone, or the workspace has none.
    pub async fn commits(&self, workspace: &Workspace) -> Result<u64, Error> {
        let tree = own_tree(workspace, "count commits in")?;
        let (branch, base): (BranchName, Oid) = (tree.branch.parse()?, tree.base.parse()?);
        let source = self.source(Path::new(&tree.repository)).await?;
        self.take_over(&source, Path::new(&workspace.path)).await?;
        Ok(source.repository.commits_since(&base, &branch.reference()).await?)
    }

    /// Commits everything in the worktree but ignored files and what the recipe brought; the user's hooks run.
    ///
    /// The author is the one in the user's git settings, or Fleet if they name none.
    ///
    /// # Errors
    /// [`Error::Unsettled`] if a merge is under way; when git or a hook refuses.
    pub async fn commit_all(&self, workspace: &Workspace, message: &str) -> Result<Committed, Error> {
        let (worktree, brought) = self.committing(workspace).await?;
        committed(workspace, worktree.commit_all_but(&brought, message, None).await?)
    }

    /// Commits what an agent has left in the worktree, so that it is on the branch: no hook is asked, and what agents
    /// and Fleet tell each other in [`TALK`] stays out.
    ///
    /// # Errors
    /// [`Error::Unsettled`] if a merge is under way; when git refuses.
    pub async fn keep(&self, workspace: &Workspace, message: &str) -> Result<Committed, Error> {
        let (worktree, mut left_alone) = self.committing(workspace).await?;
        left_alone.push(PathBuf::from(TALK));
        committed(workspace, worktree.keep_all_but(&left_alone, message, None).await?)
    }

    /// Finds where a commit is made, and what stays out of it.
    async fn committing(&self, workspace: &Workspace) -> Result<(Repository, Vec<PathBuf>), Error> {
        let tree = own_tree(workspace, "commit in")?;
        let worktree = self.worktree(tree, &workspace.path).await?;
        let brought = Marker::read(worktree.git_dir())?.map(|marker| marker.brought).unwrap_or_default();
        Ok((worktree, brought))
    }

    /// Pushes the branch to `origin`, under its own name and never by force; also when the worktree is gone.
    ///
    /// # Errors
    /// When there is no such remote, it refuses, or it asks for a login; each says what to do.
    pub async fn push(&self, workspace: &Workspace) -> Result<(), Error> {
        self.push_to(workspace, ORIGIN).await
    }

    /// As [`Workspaces::push`], to a remote of this name.
    ///
    /// # Errors
    /// As there.
    pub async fn push_to(&self, workspace: &Workspace, remote: &str) -> Result<(), Error> {
        let tree = own_tree(workspace, "push from")?;
        let branch: BranchName = tree.branch.parse()?;
        let source = self.source(Path::new(&tree.repository)).await?;
        self.take_over(&source, Path::new(&workspace.path)).await?;
        Ok(source.repository.push_to(remote, &branch).await?)
    }

    pub(crate) async fn worktree(&self, tree: &Tree, path: &str) -> Result<Repository, Error> {
        let source = self.source(Path::new(&tree.repository)).await?;
        Ok(source.repository.worktree(Path::new(path)).await?)
    }
}

fn committed(workspace: &Workspace, made: git::Committed) -> Result<Committed, Error> {
    match made {
        git::Committed::Commit(id) => Ok(Committed::Commit(id.to_string())),
        git::Committed::Nothing => Ok(Committed::Nothing),
        git::Committed::Unsettled(files) => {
            let files = files.iter().map(|file| format!("`{}`", file.display())).collect();
            Err(Error::Unsettled { path: PathBuf::from(&workspace.path), files })
        }
    }
}

pub(crate) fn own_tree<'a>(workspace: &'a Workspace, doing: &'static str) -> Result<&'a Tree, Error> {
    workspace.worktree.as_ref().ok_or_else(|| Error::InPlace { doing, path: PathBuf::from(&workspace.path) })
}
