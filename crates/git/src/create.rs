//! A worktree with a branch of its own: registered one at a time, filled beside others.
//!
//! Nothing here writes to the repository's settings: the branch is made by compare-and-swap and follows no other, so
//! that parallel creations do not meet at `.git/config`. What fails half-way is taken back.

use std::path::{Path, PathBuf};

use crate::branch::{BranchName, NameError};
use crate::command::LONG;
use crate::commit::Swap;
use crate::disk;
use crate::error::Error;
use crate::locks::patiently;
use crate::oid::Oid;
use crate::pattern::slug;
use crate::register::NewHead;
use crate::repository::Repository;
use crate::worktree::resolved;

/// The worktree to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWorktree {
    /// Where; nothing may be there but an empty directory.
    pub path: PathBuf,
    /// The branch to make for it.
    pub branch: BranchName,
    /// What the branch starts from.
    pub strategy: Strategy,
    /// Which files it gets.
    pub checkout: Checkout,
    /// What happens to submodules.
    pub submodules: Submodules,
}

/// What the branch of a worktree starts from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Strategy {
    /// Any commit, mostly the tip of the target branch.
    New {
        /// A revision as people write it.
        base: String,
    },
    /// The tip of another session's branch: a new branch and a new worktree with that session's commits.
    Inherit {
        /// The branch.
        from: BranchName,
    },
    /// The commit that another session's worktree is at, whatever branch it is on.
    InheritWorktree {
        /// That worktree.
        from: PathBuf,
    },
}

/// Which files a new worktree gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checkout {
    /// All that the user's sparse patterns let through, written by this many workers of git.
    Files {
        /// Workers; git counts cores if it is 0.
        workers: u32,
    },
    /// None yet.
    Nothing,
}

impl Default for Checkout {
    /// Four workers halve the time on two cores, since writing waits for the disk.
    fn default() -> Self {
        Self::Files { workers: 4 }
    }
}

/// What happens to submodules of a new worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Submodules {
    /// Their directories stay empty, as `git worktree add` leaves them.
    #[default]
    Leave,
    /// They are fetched and checked out, which may need the network.
    Init,
}

/// A worktree that was made.
#[derive(Debug, Clone)]
pub struct Created {
    /// The repository, seen from the worktree.
    pub worktree: Repository,
    /// The commit that the branch started from.
    pub base: Oid,
}

impl Repository {
    /// Returns the usual place for a session's worktree: a folder for the repository below `root`, one for the session.
    ///
    /// # Errors
    /// When the session's id leaves nothing that can name a folder.
    pub fn place(&self, root: &Path, session: &str) -> Result<PathBuf, NameError> {
        let refused = || NameError::new("session", session, "it holds neither letter nor digit");
        let session = slug(session, 100).ok_or_else(refused)?;
        Ok(root.join(self.folder()).join(session))
    }

    /// Makes a worktree and its branch.
    ///
    /// Runs to its end only if it is awaited to its end: dropped half-way, it leaves what it has made so far.
    ///
    /// # Errors
    /// When the branch or something at the path is there already, the base is not a commit, or git or the disk fails;
    /// then neither branch nor worktree is left behind.
    pub async fn create(&self, new: &NewWorktree) -> Result<Created, Error> {
        let base = self.base(&new.strategy).await?;
        let path = resolved(&new.path);
        self.register(&path, &new.branch, &base).await?;
        match self.fill(&path, new.checkout, new.submodules).await {
            Ok(worktree) => Ok(Created { worktree, base }),
            Err(error) => {
                self.take_back(&path, &new.branch, &base).await;
                Err(error)
            }
        }
    }

    async fn base(&self, strategy: &Strategy) -> Result<Oid, Error> {
        match strategy {
            Strategy::New { base } => self.resolve(base).await,
            Strategy::Inherit { from } => self.resolve(&from.reference()).await,
            Strategy::InheritWorktree { from } => self.worktree(from).await?.resolve("HEAD").await,
        }
    }

    /// Makes branch and registration, without files.
    async fn register(&self, path: &Path, branch: &BranchName, base: &Oid) -> Result<(), Error> {
        let _alone = self.git.locks().take(&self.common_dir).await;
        if !disk::is_free(path) {
            return Err(Error::Occupied { path: path.to_owned() });
        }
        match self.update_ref(&branch.reference(), base, Swap::Absent).await? {
            Ok(()) => {}
            Err(_) => return Err(Error::BranchExists { branch: branch.clone() }),
        }
        let added = self.add_new(path, NewHead::Branch(branch.clone())).await;
        if added.is_err() {
            self.forget(path).await;
            self.drop_branch(branch, base).await;
        }
        added
    }

    /// Registers a worktree at a branch that no other worktree can be on; the caller holds the lock.
    pub(crate) async fn add_new(&self, path: &Path, head: NewHead) -> Result<(), Error> {
        let (repository, place, at) = (self.clone(), path.to_owned(), head.clone());
        if runtime::blocking(move || repository.add_plainly(&place, &at)).await? {
            return Ok(());
        }
        match head {
            NewHead::Branch(branch) => self.add(path, branch.as_str(), &[]).await,
            NewHead::Commit(commit) => self.add(path, commit.as_str(), &["--detach"]).await,
        }
    }

    /// Registers a worktree at a branch or commit that is known to exist; the caller holds the lock.
    pub(crate) async fn add(&self, path: &Path, at: &str, options: &[&str]) -> Result<(), Error> {
        if let Some(above) = path.parent() {
            disk::create_dirs(above)?;
        }
        patiently(self.git.clock(), || {
            let args = ["worktree", "add", "--quiet", "--no-checkout"].iter().chain(options).copied();
            let command = self.command(args).arg("--").arg(path).arg(at);
            async { command.run().await.map(drop) }
        })
        .await
    }

    pub(crate) async fn fill(&self, path: &Path, checkout: Checkout, submodules: Submodules) -> Result<Self, Error> {
        let worktree = self.worktree(path).await?;
        if let Checkout::Files { workers } = checkout {
            let workers = format!("checkout.workers={workers}");
            worktree.command(["-c", &workers, "checkout", "--quiet"]).limit(LONG).run().await?;
        }
        if submodules == Submodules::Init {
            let update = ["submodule", "--quiet", "update", "--init", "--recursive"];
            worktree.command(update).limit(LONG).run().await?;
        }
        Ok(worktree)
    }

    /// Undoes a creation: the worktree has only what git wrote, since it was not handed out.
    async fn take_back(&self, path: &Path, branch: &BranchName, base: &Oid) {
        let _alone = self.git.locks().take(&self.common_dir).await;
        self.forget(path).await;
        self.drop_branch(branch, base).await;
    }

    /// Removes a registration that was never worked in; the caller holds the lock.
    pub(crate) async fn forget(&self, path: &Path) {
        if self.worktree(path).await.is_err() {
            return;
        }
        let command = self.command(["worktree", "remove", "--force", "--force", "--"]).arg(path).limit(LONG);
        if let Err(error) = command.run().await {
            tracing::warn!(path = %path.display(), %error, "could not take back a worktree");
        }
    }

    async fn drop_branch(&self, branch: &BranchName, base: &Oid) {
        // Only if it is still at our commit: a commit made meanwhile is work.
        if let Err(error) = self.delete_ref(&branch.reference(), base).await {
            tracing::warn!(%branch, %error, "could not take back a branch");
        }
    }

    /// A folder name that people recognise and that two repositories do not share.
    fn folder(&self) -> String {
        // The same from wherever the repository was opened, so only the shared directory counts.
        let named = match self.common_dir.file_name() {
            Some(name) if !name.as_encoded_bytes().starts_with(b".") => Some(name),
            Some(_) | None => self.common_dir.parent().and_then(Path::file_name),
        };
        let name = named.and_then(|name| slug(&name.to_string_lossy(), 40)).unwrap_or_else(|| "repository".to_owned());
        format!("{name}-{:08x}", checksum(&self.common_dir))
    }
}

/// FNV-1a: the same on every machine and in every version, which the standard library's hasher is not.
fn checksum(path: &Path) -> u32 {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
