//! Removes a worktree: checks that it is not in use, takes a snapshot on disk, then deletes it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::branch::{BranchName, SnapshotName};
use crate::command::LONG;
use crate::disk;
use crate::error::Error;
use crate::hold::Hold;
use crate::locks::patiently;
use crate::oid::Oid;
use crate::repository::{Head, Repository};
use crate::snapshot::{Ignored, Snapshot};
use crate::walk;
use crate::worktree::{registration, resolved};

/// Says in a git directory that its worktree is on its way out or back, and which snapshot has it all.
const PARTIAL: &str = "fleet.partial";

/// How often a lock is asked for that may be held by accident.
const HOLD_TRIES: u32 = 5;

/// How long to wait in between.
const HOLD_WAIT: Duration = Duration::from_millis(10);

/// How a worktree is removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remove {
    /// The name of the snapshot that is taken first.
    pub snapshot: SnapshotName,
    /// What the snapshot does with ignored files.
    pub ignored: Ignored,
    /// What happens to the branch.
    pub branch: BranchFate,
}

/// What happens to the branch of a removed worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BranchFate {
    /// It stays.
    #[default]
    Keep,
    /// It goes if another branch, a remote's branch or a tag has all of its commits.
    DeleteIfContained,
}

/// A worktree that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removal {
    /// Everything that was in it.
    pub snapshot: Snapshot,
    /// The branch, if it was deleted.
    pub deleted_branch: Option<BranchName>,
}

impl Repository {
    /// Removes the added worktree at `path`; `in_use` may name a user of it beyond what the lock shows.
    ///
    /// # Errors
    /// [`Error::InUse`] if it is in use or locked; [`Error::NoWorktree`] for the user's own checkout; any
    /// failure of the snapshot. The worktree is then as it was. If git fails after that, the snapshot has everything
    /// and another attempt needs another name for its own.
    pub async fn remove(
        &self,
        path: &Path,
        how: &Remove,
        in_use: impl Fn(&Path) -> Option<String>,
    ) -> Result<Removal, Error> {
        let worktree = self.worktree(path).await?;
        let root = worktree.root().unwrap_or(path).to_owned();
        let held = worktree.hold_alone().await?;
        if let Some(by) = in_use(&root).or(self.kept_by_git(&root).await?) {
            return Err(Error::InUse { path: root, by });
        }
        worktree.dissolve().await?;
        let head = worktree.head().await?;
        let snapshot = worktree.snapshot(&how.snapshot, &how.ignored).await?;
        worktree.is_partial(&how.snapshot)?;
        if let Err(error) = self.unregister(&root, &held).await {
            // Work may continue in what is left, so the snapshot no longer has everything.
            worktree.is_whole()?;
            return Err(error);
        }
        let deleted_branch = match (how.branch, head) {
            (BranchFate::DeleteIfContained, Head::Branch { name, commit }) => {
                self.delete_contained(name, &commit).await?
            }
            (BranchFate::Keep | BranchFate::DeleteIfContained, _) => None,
        };
        Ok(Removal { snapshot, deleted_branch })
    }

    /// Ends a removal, or takes back a restoring, that the end of a process cut short, and returns the snapshot that
    /// holds everything.
    ///
    /// None if none was begun at `path`; then nothing is changed.
    ///
    /// # Errors
    /// [`Error::InUse`] if what is left is in use; what git or the disk says.
    pub async fn finish_removal(&self, path: &Path) -> Result<Option<SnapshotName>, Error> {
        let (common_dir, wanted) = (self.common_dir.clone(), resolved(path));
        // The link in the worktree may be gone by now, so git's own list is asked.
        let found = runtime::blocking(move || registration(&common_dir, &wanted)).await;
        let Some((git_dir, root)) = found else { return Ok(None) };
        let Ok(written) = disk::read(&git_dir.join(PARTIAL)) else { return Ok(None) };
        let name = String::from_utf8(written).ok().and_then(|name| name.parse::<SnapshotName>().ok());
        let Some(name) = name else { return Ok(None) };
        if self.reference(&name.reference()).await?.is_none() {
            return Ok(None);
        }
        drop(Hold::take(&git_dir, &root)?);
        self.discard(path).await?;
        Ok(Some(name))
    }

    /// Says that what is in this worktree may be a part of what a snapshot has.
    pub(crate) fn is_partial(&self, name: &SnapshotName) -> Result<(), Error> {
        let path = self.git_dir.join(PARTIAL);
        disk::create_over(&path)?.write_all(name.as_str().as_bytes()).map_err(disk::failed("write", &path))
    }

    /// Says that this worktree is whole.
    pub(crate) fn is_whole(&self) -> Result<(), Error> {
        disk::remove_file(&self.git_dir.join(PARTIAL))
    }

    /// Takes the lock. A process of ours that is just being started may share it for an instant, so it is asked again.
    async fn hold_alone(&self) -> Result<Hold, Error> {
        for _ in 1..HOLD_TRIES {
            match self.hold() {
                Err(Error::InUse { .. }) => self.git.clock().sleep(HOLD_WAIT).await,
                held => return held,
            }
        }
        self.hold()
    }

    /// Says why git would keep the worktree, or why removing it would take another one along.
    async fn kept_by_git(&self, root: &Path) -> Result<Option<String>, Error> {
        let worktrees = self.list().await?;
        let locked = worktrees.iter().find(|other| other.path == root).and_then(|found| found.locked.as_ref());
        let inside = worktrees.iter().find(|other| other.path != root && other.path.starts_with(root) && !other.gone);
        let locked = locked.map(|why| format!("it is locked by `git worktree lock` ({why})"));
        Ok(locked.or(inside.map(|other| format!("worktree `{}` lies in it", other.path.display()))))
    }

    /// Removes directory and registration; the hold proves that no other task does.
    async fn unregister(&self, root: &PathBuf, _held: &Hold) -> Result<(), Error> {
        let directory = root.clone();
        runtime::blocking(move || if directory.is_dir() { walk::open_up(&directory) } else { Ok(()) }).await?;
        let _alone = self.git.locks().take(&self.common_dir).await;
        patiently(self.git.clock(), || {
            let command = self.apart(["worktree", "remove", "--force", "--"]).arg(root).limit(LONG);
            async { command.run().await.map(drop) }
        })
        .await
    }

    /// Deletes a branch that is still at `tip`, if another branch, a remote's branch or a tag has all of its commits.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn delete_contained(&self, branch: BranchName, tip: &Oid) -> Result<Option<BranchName>, Error> {
        let own = branch.reference();
        let args = ["for-each-ref", "--format=%(refname)", "--contains", tip.as_str()];
        let printed = self.look(args.into_iter().chain(["refs/heads", "refs/remotes", "refs/tags"])).run().await?;
        let contained = String::from_utf8_lossy(&printed).lines().any(|reference| reference != own);
        if !contained {
            return Ok(None);
        }
        // A branch that moved meanwhile has work that was not looked at.
        Ok(self.delete_ref(&own, tip).await?.is_ok().then_some(branch))
    }
}
