//! A worktree for internal use, to be at one commit after the other: its content may be deleted.

use crate::command::LONG;
use crate::error::Error;
use crate::locks::patiently;
use crate::oid::Oid;
use crate::repository::{Kind, Repository};

impl Repository {
    /// Puts the added worktree that this repository was opened at to a commit, over whatever its files have become.
    ///
    /// Files that git does not know stay; hooks do not run. Only for worktrees that the caller made for itself.
    ///
    /// # Errors
    /// [`Error::NoWorktree`] if it is not an added worktree; otherwise what git said.
    pub async fn force_to(&self, commit: &Oid) -> Result<(), Error> {
        self.only_added()?;
        let fixed = ["-c", "core.hooksPath=/dev/null", "-c", "checkout.workers=4", "checkout", "--quiet", "--force"];
        let args = fixed.into_iter().chain(["--detach", commit.as_str(), "--"]);
        patiently(self.git.clock(), || self.command(args.clone()).limit(LONG).run()).await.map(drop)
    }

    /// Removes every file that git does not know from the added worktree, but for those it ignores.
    ///
    /// # Errors
    /// As [`Repository::force_to`].
    pub async fn clear_untracked(&self) -> Result<(), Error> {
        self.only_added()?;
        let clean = self.command(["-c", "clean.requireForce=false", "clean", "-ffdq"]).limit(LONG);
        clean.run().await.map(drop)
    }

    fn only_added(&self) -> Result<(), Error> {
        match &self.kind {
            Kind::Linked { .. } => Ok(()),
            Kind::Bare | Kind::Main { .. } | Kind::Submodule { .. } => {
                Err(Error::NoWorktree { path: self.root().unwrap_or(&self.git_dir).to_owned() })
            }
        }
    }
}
