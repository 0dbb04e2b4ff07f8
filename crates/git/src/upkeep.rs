//! What a repository needs from time to time: which branches it has, and its loose objects packed.

use std::collections::BTreeSet;

use crate::branch::BranchName;
use crate::command::LONG;
use crate::error::Error;
use crate::repository::Repository;

impl Repository {
    /// Lists the names of all branches.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn branches(&self) -> Result<BTreeSet<BranchName>, Error> {
        let printed = self.look(["for-each-ref", "--format=%(refname)", "refs/heads"]).run().await?;
        let names = String::from_utf8_lossy(&printed).into_owned();
        Ok(names.lines().filter_map(BranchName::from_reference).collect())
    }

    /// Packs loose objects if git finds that there are many.
    ///
    /// The commands that people use do this by themselves, those that Fleet uses do not. What `gc.auto` says in the
    /// repository holds, and git keeps unreachable objects for two weeks.
    ///
    /// # Errors
    /// When git fails.
    pub async fn pack_if_needed(&self) -> Result<(), Error> {
        // In the foreground: a process in the background would outlive its limit.
        let args = ["-c", "gc.autoDetach=false", "gc", "--auto", "--quiet"];
        self.command(args).limit(LONG).run().await.map(drop)
    }
}
