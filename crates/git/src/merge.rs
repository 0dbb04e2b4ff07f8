//! A merge in memory: no worktree and no index is touched.

use std::path::PathBuf;

use crate::error::Error;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};

/// What came of merging two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The merged tree.
    Clean(Oid),
    /// The files that a person or an agent has to settle.
    Conflict(Vec<PathBuf>),
}

impl Repository {
    /// Merges the commit `branch` into the commit `tip` and returns the tree, without writing a commit.
    ///
    /// # Errors
    /// When a commit does not exist, or the two have no commit in common.
    pub async fn merge_tree(&self, tip: &Oid, branch: &Oid) -> Result<Merge, Error> {
        let args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", tip.as_str(), branch.as_str()];
        let output = self.command(args).run_to(&[0, 1]).await?;
        let mut fields = output.stdout.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        // The code of a conflict is also that of commits which do not exist; then there is no tree.
        let tree = fields.next().and_then(Oid::from_bytes).ok_or(Error::Failed(output.failure))?;
        Ok(if output.code == 0 { Merge::Clean(tree) } else { Merge::Conflict(fields.map(path_from).collect()) })
    }

    /// Returns the tree of a commit.
    ///
    /// # Errors
    /// When there is no such commit.
    pub async fn tree_of(&self, commit: &Oid) -> Result<Oid, Error> {
        let command = self.look(["rev-parse", "--verify", "--end-of-options", &format!("{commit}^{{tree}}")]);
        let printed = command.clone().run().await?;
        Oid::from_bytes(&printed).ok_or_else(|| command.unexpected("no object name"))
    }
}
