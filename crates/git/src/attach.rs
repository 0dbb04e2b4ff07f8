//! Worktrees in single steps, for callers that must resume after a crash: attach, move to a branch, discard.
//!
//! [`Repository::create`] does it all at once and takes back what fails; here the caller has written down what it is
//! about to do, and after a crash does it again. Nothing is discarded that the caller has not made itself.

use std::path::{Path, PathBuf};

use crate::branch::BranchName;
use crate::command::LONG;
use crate::create::{Checkout, Submodules};
use crate::disk;
use crate::error::Error;
use crate::locks::patiently;
use crate::oid::Oid;
use crate::private::private_of;
use crate::register::NewHead;
use crate::repository::Repository;
use crate::stage::DIRTY;
use crate::walk;
use crate::worktree::{registration, resolved};

/// A worktree to be made at something that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attach {
    /// Where; nothing may be there but an empty directory.
    pub path: PathBuf,
    /// What it is at.
    pub at: At,
    /// Which files it gets.
    pub checkout: Checkout,
    /// What happens to submodules.
    pub submodules: Submodules,
}

/// What a worktree is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A branch that no other worktree is on.
    Branch(BranchName),
    /// A branch that was made for this worktree just now.
    NewBranch(BranchName),
    /// A commit, on no branch.
    Commit(Oid),
}

impl Repository {
    /// Makes a worktree at a branch or commit that exists.
    ///
    /// # Errors
    /// When something is at the path, another worktree has the branch, or git or the disk fails; then no worktree is
    /// left.
    pub async fn attach(&self, new: &Attach) -> Result<Self, Error> {
        let path = resolved(&new.path);
        {
            let _alone = self.git.locks().take(&self.common_dir).await;
            if !disk::is_free(&path) {
                return Err(Error::Occupied { path });
            }
            let added = match &new.at {
                At::Branch(branch) => self.add(&path, branch.as_str(), &[]).await,
                At::NewBranch(branch) => self.add_new(&path, NewHead::Branch(branch.clone())).await,
                At::Commit(commit) => self.add_new(&path, NewHead::Commit(commit.clone())).await,
            };
            if added.is_err() {
                self.forget(&path).await;
            }
            added?;
        }
        let filled = self.fill(&path, new.checkout, new.submodules).await;
        if filled.is_err() {
            let _alone = self.git.locks().take(&self.common_dir).await;
            self.forget(&path).await;
        }
        filled
    }

    /// Makes a branch at `commit` and puts the worktree that this repository was opened at on it.
    ///
    /// One process of git, which writes only the files that differ between the two commits, and looks at none if the
    /// worktree is at that commit already, on no branch. Hooks do not run: they ran when the files were written.
    ///
    /// # Errors
    /// [`Error::BranchExists`] if there is one of that name; otherwise what git said, for example that a file is in the
    /// way. The worktree is then where it was.
    pub async fn switch_to_new(&self, branch: &BranchName, commit: &Oid) -> Result<(), Error> {
        let fixed = ["-c", "core.hooksPath=/dev/null", "switch", "--quiet", "--no-track", "-c", branch.as_str()];
        // Given a commit, git compares every file even if it is the same one.
        let head = disk::read(&self.git_dir.join("HEAD")).unwrap_or_default();
        let other = (head.trim_ascii_end() != commit.as_str().as_bytes()).then_some(commit.as_str());
        let switched = patiently(self.git.clock(), || self.command(fixed.into_iter().chain(other)).limit(LONG).run());
        match switched.await {
            Ok(_) => Ok(()),
            Err(error) => match self.reference(&branch.reference()).await? {
                Some(_) => Err(Error::BranchExists { branch: branch.clone() }),
                None => Err(error),
            },
        }
    }

    /// Moves the worktree that this repository was opened at to another commit, on no branch.
    ///
    /// # Errors
    /// When something in it is in the way.
    pub async fn detach_at(&self, commit: &Oid) -> Result<(), Error> {
        let checkout = || self.command(["checkout", "--quiet", "--detach", commit.as_str(), "--"]).limit(LONG).run();
        patiently(self.git.clock(), checkout).await.map(drop)
    }

    /// Throws away a worktree of the caller's that was never worked in, whatever state its creation was left in.
    ///
    /// There is no snapshot: use [`Repository::remove`] for everything that was handed out.
    ///
    /// # Errors
    /// When the path is the user's own checkout, or something in it cannot be removed.
    pub async fn discard(&self, path: &Path) -> Result<(), Error> {
        let (path, common_dir) = (resolved(path), self.common_dir.clone());
        if common_dir.starts_with(&path) || self.root().is_some_and(|root| root.starts_with(&path)) {
            return Err(Error::NoWorktree { path });
        }
        let _alone = self.git.locks().take(&self.common_dir).await;
        runtime::blocking(move || {
            let registered = registration(&common_dir, &path);
            if path.is_dir() {
                walk::open_up(&path)?;
                disk::remove_tree(&path)?;
            }
            if let Some((git_dir, _)) = registered {
                if let Some(private) = private_of(&git_dir)? {
                    disk::remove_tree(&private.path)?;
                }
                disk::remove_tree(&git_dir)?;
            }
            half_registered(&common_dir, &path).iter().try_for_each(|git_dir| disk::remove_tree(git_dir))
        })
        .await
    }

    /// Returns those of `paths`, all relative to the top, at or below which the index knows a file.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn tracked(&self, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
        if paths.is_empty() {
            return Ok(vec![]);
        }
        let mut command = self.look(["--literal-pathspecs", "ls-files", "--cached", "-z", "--"]);
        for path in paths {
            command = command.arg(path);
        }
        let printed = command.run().await?;
        let found: Vec<PathBuf> = printed.split(|byte| *byte == 0).map(crate::repository::path_from).collect();
        Ok(paths.iter().filter(|path| found.iter().any(|found| found.starts_with(path))).cloned().collect())
    }

    /// Returns whether git sees any change, untracked files included.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn is_changed(&self) -> Result<bool, Error> {
        Ok(!self
            .look(["status", "--porcelain", "-z", "--untracked-files=normal", DIRTY])
            .limit(LONG)
            .run()
            .await?
            .is_empty())
    }
}

/// Registrations of that name which a killed git left before they said where their worktree is.
fn half_registered(common_dir: &Path, path: &Path) -> Vec<PathBuf> {
    let Some(wanted) = path.file_name().and_then(|name| name.to_str()) else { return vec![] };
    let entries = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let ours = entries.map(|entry| entry.path()).filter(|git_dir| {
        let name = git_dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let number = name.strip_prefix(wanted);
        number.is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) && !git_dir.join("gitdir").exists()
    });
    ours.collect()
}
