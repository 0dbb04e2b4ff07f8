//! What is left of work that has landed: which sessions still have a worktree, and their branches and snapshots.

use std::collections::BTreeSet;
use std::path::Path;

use git::{Apart, BranchName};

use crate::Workspaces;
use crate::error::Error;
use crate::list::directories;
use crate::prepare::folder_name;
use crate::record::Record;

/// Names of what a repository has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Left {
    /// Its branches.
    pub branches: BTreeSet<String>,
    /// Its snapshots.
    pub snapshots: BTreeSet<String>,
}

impl Workspaces {
    /// Lists the sessions that have a worktree, in order.
    ///
    /// # Errors
    /// When the root cannot be read.
    pub fn sessions(&self) -> Result<BTreeSet<String>, Error> {
        let mut sessions = BTreeSet::new();
        for home in directories(&self.root()?) {
            sessions.extend(Record::all(&home)?.into_iter().map(|record| record.session));
        }
        Ok(sessions)
    }

    /// Lists the branches and snapshots of a repository.
    ///
    /// # Errors
    /// When the folder is in no repository, or git cannot tell.
    pub async fn left(&self, folder: &Path) -> Result<Left, Error> {
        let repository = self.source(folder).await?.repository;
        let branches = repository.branches().await?.into_iter().map(|name| name.as_str().to_owned()).collect();
        let snapshots = repository.snapshots().await?.into_iter().map(|(name, _)| name.to_string()).collect();
        Ok(Left { branches, snapshots })
    }

    /// Packs the loose objects of a repository if there are many.
    ///
    /// # Errors
    /// When the folder is in no repository, or git fails.
    pub async fn pack(&self, folder: &Path) -> Result<(), Error> {
        Ok(self.source(folder).await?.repository.pack_if_needed().await?)
    }

    /// Removes the branch of a session whose worktree is gone, if a snapshot of that has all of its commits, or another
    /// branch. Returns whether it was removed; one that is not there is not.
    ///
    /// # Errors
    /// [`Error::BranchNeeded`] if nothing else has its commits, or it is checked out; what git says.
    pub async fn remove_kept_branch(&self, folder: &Path, session: &str, branch: &str) -> Result<bool, Error> {
        let source = self.source(folder).await?;
        let (repository, branch) = (&source.repository, branch.parse::<BranchName>()?);
        let Some(tip) = repository.tips(std::slice::from_ref(&branch)).await?.remove(&branch) else { return Ok(false) };
        let needed = || Error::BranchNeeded { branch: branch.to_string() };
        if tip.checkout.is_some() {
            return Err(needed());
        }
        let slug = folder_name(session)?;
        for (name, commit) in repository.snapshots().await? {
            let is_own = name.as_str().strip_prefix(&slug).is_some_and(is_numbered);
            if is_own && repository.apart_from(&commit, &tip.commit).await? == Apart::Contained {
                return Ok(repository.delete_ref(&branch.reference(), &tip.commit).await?.is_ok());
            }
        }
        repository.delete_contained(branch.clone(), &tip.commit).await?.map(|_| true).ok_or_else(needed)
    }

    /// Removes the branch of a session that has landed, and the snapshots of its worktree.
    ///
    /// A branch that is checked out, or has a commit that no other branch has, stays; so do the snapshots then. Returns
    /// whether they are gone.
    ///
    /// # Errors
    /// When the folder is in no repository, or git fails.
    pub async fn remove_landed(&self, folder: &Path, session: &str, branch: &str) -> Result<bool, Error> {
        let source = self.source(folder).await?;
        let (repository, branch) = (&source.repository, branch.parse::<BranchName>()?);
        if let Some(tip) = repository.tips(std::slice::from_ref(&branch)).await?.remove(&branch) {
            let is_used = tip.checkout.is_some();
            if is_used || repository.delete_contained(branch, &tip.commit).await?.is_none() {
                return Ok(false);
            }
        }
        let slug = folder_name(session)?;
        for (name, commit) in repository.snapshots().await? {
            let is_own = name.as_str().strip_prefix(&slug).is_some_and(is_numbered);
            if is_own {
                // One that moved meanwhile has something that was not looked at.
                let _ = repository.delete_ref(&name.reference(), &commit).await?;
            }
        }
        crate::files::remove(&Record::removed_at(&source.home, &slug))?;
        Ok(true)
    }
}

/// Whether it is what follows the session in the name of a snapshot: nothing, or `-2` and so on.
fn is_numbered(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok())
}
