//! What stands on a branch of a user's repository, read from git and never from files that somebody works on.

use std::path::Path;

use git::{BranchName, Oid};

use crate::Workspaces;
use crate::error::Error;
use crate::recipe::RECIPE_FILE;

/// The largest file that is read.
const BYTES_MAX: u64 = 256 * 1024;

impl Workspaces {
    /// Returns the branch that HEAD is on in a folder; none if it is on none.
    ///
    /// # Errors
    /// When the folder is in no repository, or git cannot tell.
    pub async fn head_branch(&self, folder: &Path) -> Result<Option<String>, Error> {
        let source = self.source(folder).await?;
        Ok(source.repository.head_branch().await?.map(|branch| branch.as_str().to_owned()))
    }

    /// Tells whether a file is committed on a branch, or on what HEAD is on, with one look at git.
    ///
    /// # Errors
    /// When the folder is in no repository, or there is no such branch.
    pub async fn has_file(&self, folder: &Path, branch: Option<&str>, path: &str) -> Result<bool, Error> {
        let source = self.source(folder).await?;
        let rev = branch.map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
        Ok(source.repository.has_path(&rev, path).await?)
    }

    /// Learns what the recipe of a commit is that a branch is about to move to. Whoever waits for that move starts from
    /// there, and then need not ask git any more. What cannot be learnt now is asked then.
    pub async fn look_ahead(&self, folder: Option<&str>, commit: &Oid) {
        let Some(folder) = folder else { return };
        if let Ok(source) = self.source(Path::new(folder)).await {
            drop(source.repository.file_in(commit, RECIPE_FILE, BYTES_MAX).await);
        }
    }

    /// Returns the text of a file, by its path from the top, as it is committed on a branch; none if there is no such
    /// branch, no such file, or it is no text of a reasonable size.
    ///
    /// # Errors
    /// When the folder is in no repository, or git cannot tell.
    pub async fn file_on(&self, folder: &Path, branch: &str, path: &str) -> Result<Option<String>, Error> {
        let source = self.source(folder).await?;
        let Ok(branch) = branch.parse::<BranchName>() else { return Ok(None) };
        let commit = match source.repository.resolve(&branch.reference()).await {
            Ok(commit) => commit,
            Err(git::Error::NoCommit { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = source.repository.file_in(&commit, path, BYTES_MAX).await?;
        Ok(bytes.and_then(|bytes| String::from_utf8(bytes).ok()))
    }
}
