//! What keeps a landing from being tried at all, each with what to do about it.

use std::io;
use std::path::PathBuf;

/// A refusal, or a failure of git or the disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No target was named and the user's checkout is on no branch.
    #[error("cannot tell where to land in `{}`: its HEAD is on no branch; name the target branch", folder.display())]
    NoTarget {
        /// The repository.
        folder: PathBuf,
    },
    /// The target branch does not exist.
    #[error("cannot land on `{target}`: `{}` has no such branch; make it, or name another target", folder.display())]
    TargetGone {
        /// The repository.
        folder: PathBuf,
        /// The target.
        target: String,
    },
    /// Another server uses the folder where checks run, or something of an earlier check still works there.
    #[error(
        "cannot check anything in `{}`: another server or a process of an earlier check works there; end it and try again",
        folder.display()
    )]
    Busy {
        /// The folder.
        folder: PathBuf,
    },
    /// git failed.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file of ours could not be read or written.
    #[error("cannot {doing} `{}`", path.display())]
    Disk {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Checks may run in a sandbox only, and there is none.
    #[error("cannot run checks: {why}")]
    Sandbox {
        /// What is missing, and what to do about it.
        why: String,
    },
    /// The owner of the queue cannot say whether what was checked may still land.
    #[error("cannot land anything: {why}")]
    NotCleared {
        /// Why.
        why: String,
    },
    /// The server stops.
    #[error("cannot land anything: the server is shutting down; what was checked will be tried again")]
    ShuttingDown,
}

impl From<git::NameError> for Error {
    fn from(error: git::NameError) -> Self {
        Self::Git(error.into())
    }
}
