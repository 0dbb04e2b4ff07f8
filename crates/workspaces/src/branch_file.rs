//! Reads files of a branch of a user's repository from git, never from a checkout.

use std::path::{Path, PathBuf};

use git::{BranchName, Oid, Repository};

use crate::Workspaces;
use crate::error::Error;
use crate::options::RecipeRules;
use crate::recipe::{RECIPE_FILE, RecipeError};
use crate::source::Source;

/// The most branches that are compared with a name.
const BRANCHES_MAX: usize = 1_000;

/// The largest file that is read.
const BYTES_MAX: u64 = 256 * 1024;

impl Workspaces {
    /// Returns the branch that HEAD is on in a folder; none if it is on none. In a worktree of a session it is what HEAD
    /// is on in the user's checkout.
    ///
    /// # Errors
    /// When the folder is in no repository, or git cannot tell.
    pub async fn head_branch(&self, folder: &Path) -> Result<Option<String>, Error> {
        let source = self.source(folder).await?;
        Ok(self.of_user(&source).await?.head_branch().await?.map(|branch| branch.as_str().to_owned()))
    }

    /// Returns the branches that a repository has if it does not have this one; none if it does, or if its HEAD is on it
    /// before the first commit.
    ///
    /// # Errors
    /// When the folder is in no repository, or git cannot tell.
    pub async fn instead_of_branch(&self, folder: &Path, branch: &str) -> Result<Option<Vec<String>>, Error> {
        let source = self.source(folder).await?;
        let repository = self.of_user(&source).await?;
        if let Ok(name) = branch.parse::<BranchName>() {
            match repository.resolve(&name.reference()).await {
                Ok(_) => return Ok(None),
                Err(git::Error::NoCommit { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            if repository.head_branch().await? == Some(name) {
                return Ok(None);
            }
        }
        Ok(Some(repository.branch_names(BRANCHES_MAX).await?))
    }

    /// Returns whether a file is committed on a branch, or on what HEAD is on, with one look at git.
    ///
    /// # Errors
    /// When the folder is in no repository, or there is no such branch.
    pub async fn has_file(&self, folder: &Path, branch: Option<&str>, path: &str) -> Result<bool, Error> {
        let source = self.source(folder).await?;
        let rev = branch.map_or_else(|| "HEAD".to_owned(), |branch| format!("refs/heads/{branch}"));
        Ok(self.of_user(&source).await?.has_path(&rev, path).await?)
    }

    /// Returns the repository as the user's checkout shows it: what HEAD means in a worktree of a session is an agent's
    /// word.
    async fn of_user(&self, source: &Source) -> Result<Repository, Error> {
        if source.repository.root() == Some(source.checkout.as_path()) {
            return Ok(source.repository.clone());
        }
        Ok(self.source(&source.checkout).await?.repository)
    }

    /// Returns the text of the recipe that counts for a repository; empty if there is none.
    pub(crate) async fn recipe_text(&self, source: &Source, rules: &RecipeRules) -> Result<String, Error> {
        let revision = match &rules.branch {
            Some(branch) => branch.parse::<BranchName>()?.reference(),
            None => "HEAD".to_owned(),
        };
        let repository = self.of_user(source).await?;
        let commit = match repository.resolve(&revision).await {
            Ok(commit) => commit,
            Err(git::Error::NoCommit { .. }) => return Ok(String::new()),
            Err(error) => return Err(error.into()),
        };
        let bytes = repository.file_in(&commit, RECIPE_FILE, BYTES_MAX).await?.unwrap_or_default();
        String::from_utf8(bytes).map_err(|error| Error::Recipe {
            repository: PathBuf::from(&source.name),
            wrong: RecipeError::Text { reason: error.utf8_error().to_string() },
        })
    }

    /// Learns the recipe of a commit that a branch is about to move to. A mission that waits for that move starts from
    /// there, and then need not ask git any more. What cannot be learnt now is asked then.
    pub async fn look_ahead(&self, folder: Option<&str>, commit: &Oid) {
        let Some(folder) = folder else { return };
        if let Ok(source) = self.source(Path::new(folder)).await {
            drop(source.repository.file_in(commit, RECIPE_FILE, BYTES_MAX).await);
        }
    }

    /// Returns the text of a file, by its path from the top, as it is committed on a branch; none if there is no such
    /// branch, no such file, or it is not text of a reasonable size.
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
