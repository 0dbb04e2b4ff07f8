//! Who works in a worktree: an advisory lock on `fleet.lock` in its git directory.
//!
//! The operating system drops it when its last holder dies, however that happens. The file lies where neither the agent
//! nor a status sees it.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use crate::disk::failed;
use crate::error::Error;
use crate::repository::{Kind, Repository};

/// The name of the lock file.
pub(crate) const LOCK: &str = "fleet.lock";

/// Keeps a worktree from being removed until it is dropped, and until every process that inherited it has ended.
#[derive(Debug)]
pub struct Hold(File);

impl Hold {
    pub(crate) fn take(git_dir: &Path, root: &Path) -> Result<Self, Error> {
        let path = git_dir.join(LOCK);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(&path).map_err(failed("lock", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {
                Err(Error::InUse { path: root.to_owned(), by: "a session works in it".to_owned() })
            }
            Err(TryLockError::Error(source)) => Err(failed("lock", &path)(source)),
        }
    }
}

impl AsFd for Hold {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Repository {
    /// Marks the added worktree that this repository was opened at as in use.
    ///
    /// # Errors
    /// [`Error::InUse`] if it is held; [`Error::NoWorktree`] if it is not an added worktree.
    pub fn hold(&self) -> Result<Hold, Error> {
        match &self.kind {
            Kind::Linked { root } => Hold::take(&self.git_dir, root),
            Kind::Bare | Kind::Main { .. } | Kind::Submodule { .. } => {
                Err(Error::NoWorktree { path: self.root().unwrap_or(&self.git_dir).to_owned() })
            }
        }
    }
}
