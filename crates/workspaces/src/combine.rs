//! One commit that has the work of several branches: merged in memory, for a session to start from.
//!
//! No reference, worktree or index is touched. The branches were imported when their sessions ended; what an agent has
//! in its own git directory since does not count.

use std::path::Path;

use git::{Apart, BranchName, Identity, Merge, Oid};

use crate::Workspaces;
use crate::error::Error;

/// The most files of a conflict that are named.
const FILES_MAX: usize = 20;

/// What came of merging branches on the target branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Combined {
    /// This commit has all of them.
    Commit(String),
    /// One of them cannot be merged.
    Conflict {
        /// Its place among those that were named.
        place: usize,
        /// The places of those that were merged before it and that the target branch does not have.
        with: Vec<usize>,
        /// The files.
        files: Vec<String>,
    },
    /// There is no such branch.
    Gone {
        /// Its place among those that were named.
        place: usize,
    },
}

impl Workspaces {
    /// Merges branches in their order on the target branch, or on what HEAD is on without one. A commit may be given in
    /// the place of a branch.
    ///
    /// # Errors
    /// When the folder is in no repository, the target does not exist, or git fails.
    pub async fn combine(&self, folder: &Path, target: Option<&str>, branches: &[String]) -> Result<Combined, Error> {
        let repository = self.source(folder).await?.repository;
        let on = match target {
            Some(target) => revision(target)?,
            None => "HEAD".to_owned(),
        };
        let no_base = |error| {
            if matches!(error, git::Error::NoCommit { .. }) {
                Error::NoBase { path: folder.to_owned(), revision: on.clone() }
            } else {
                Error::Git(error)
            }
        };
        let mut on = repository.resolve(&on).await.map_err(no_base)?;
        let mut merged = Vec::new();
        for (place, name) in branches.iter().enumerate() {
            let branch = match repository.resolve(&revision(name)?).await {
                Ok(branch) => branch,
                Err(git::Error::NoCommit { .. }) => return Ok(Combined::Gone { place }),
                Err(error) => return Err(error.into()),
            };
            on = match repository.apart_from(&on, &branch).await? {
                Apart::Contained => continue,
                Apart::Ahead { .. } => branch,
                Apart::Both => match merge(&repository, &on, &branch, name).await? {
                    Ok(commit) => commit,
                    Err(files) => return Ok(Combined::Conflict { place, with: merged, files }),
                },
            };
            merged.push(place);
        }
        Ok(Combined::Commit(on.to_string()))
    }
}

/// Returns what git calls a branch, or a commit that is given by its full id.
fn revision(name: &str) -> Result<String, Error> {
    let is_commit = matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit { Ok(name.to_owned()) } else { Ok(name.parse::<BranchName>()?.reference()) }
}

/// Merges a branch on a commit; the error is the files that conflict.
async fn merge(
    repository: &git::Repository,
    on: &Oid,
    branch: &Oid,
    name: &str,
) -> Result<Result<Oid, Vec<String>>, Error> {
    let tree = match repository.merge_tree(on, branch).await? {
        Merge::Clean(tree) => tree,
        Merge::Conflict(files) => {
            return Ok(Err(files.iter().take(FILES_MAX).map(|file| file.to_string_lossy().into_owned()).collect()));
        }
    };
    let message = format!("Merge branch '{name}' to start from\n");
    let parents = [on.clone(), branch.clone()];
    Ok(Ok(repository.commit_tree(&tree, &parents, &message, &Identity::fleet()).await?))
}
