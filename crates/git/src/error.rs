//! What can go wrong between Fleet and git.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::branch::{BranchName, NameError, SnapshotName};

/// A refusal, or a failure of git or the disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// git ran and said no.
    #[error("{0}")]
    Failed(Failure),
    /// git could not be started.
    #[error("cannot start `{program}`")]
    Start {
        /// The program as it was looked for.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// git did not end in time and was killed with its children.
    #[error("cannot wait for `{command}`: it ran longer than {limit:?}")]
    TimedOut {
        /// What was run.
        command: String,
        /// How long it was given.
        limit: Duration,
    },
    /// git answered in a form that this version does not know.
    #[error("cannot read the answer of `{command}`: {found}")]
    Unexpected {
        /// What was run.
        command: String,
        /// What was wrong with the answer.
        found: String,
    },
    /// The path is in no repository.
    #[error("cannot open `{}`: it is in no git repository", path.display())]
    NoRepository {
        /// The path.
        path: PathBuf,
    },
    /// The repository has no files of its own to work on.
    #[error("cannot use `{}`: it is a bare repository", path.display())]
    Bare {
        /// The repository.
        path: PathBuf,
    },
    /// No commit has this name.
    #[error("cannot find commit `{revision}`")]
    NoCommit {
        /// The name as it was given.
        revision: String,
    },
    /// A name is none that git takes.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The branch is there already.
    #[error("cannot make branch `{branch}`: there is one of that name")]
    BranchExists {
        /// The branch, left as it was.
        branch: BranchName,
    },
    /// Something is where a worktree was to be.
    #[error("cannot make a worktree at `{}`: something is there already", path.display())]
    Occupied {
        /// The place, left as it was.
        path: PathBuf,
    },
    /// The path is not a worktree of this repository, or its main one, which is the user's own.
    #[error("cannot use `{}`: not a worktree that was added to this repository", path.display())]
    NoWorktree {
        /// The path.
        path: PathBuf,
    },
    /// The worktree is in use.
    #[error("cannot remove worktree `{}`: {by}", path.display())]
    InUse {
        /// The worktree, left as it was.
        path: PathBuf,
        /// Who or what keeps it.
        by: String,
    },
    /// Files changed while they were captured, so the snapshot may not hold the last of them.
    #[error("cannot capture `{}`: files in it changed meanwhile; stop what works there and try again", path.display())]
    Moving {
        /// The worktree, left as it was.
        path: PathBuf,
    },
    /// There is a snapshot of that name.
    #[error("cannot make snapshot `{name}`: there is one of that name")]
    SnapshotExists {
        /// The snapshot, left as it was.
        name: SnapshotName,
    },
    /// There is no such snapshot.
    #[error("cannot find snapshot `{name}`")]
    NoSnapshot {
        /// The name.
        name: SnapshotName,
    },
    /// A commit under the snapshots was not made as one, or by a later version.
    #[error("cannot use snapshot `{name}`: {reason}")]
    ForeignSnapshot {
        /// The name.
        name: SnapshotName,
        /// What is wrong with it.
        reason: String,
    },
    /// An agent left in its session's git directory what cannot be taken over.
    #[error("cannot take over work from `{}`: {reason}", path.display())]
    PrivateGit {
        /// The git directory, left as it is.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The branch of a session was moved in the repository.
    #[error(
        "cannot update branch `{branch}`: it was moved in the repository while its session works on it; \
         put it back by `git branch --force {branch} {from}`"
    )]
    BranchMoved {
        /// The branch, left where it is.
        branch: BranchName,
        /// Where the session had left it.
        from: String,
        /// Where it is now.
        to: Option<String>,
    },
    /// There is nowhere to push to.
    #[error(
        "cannot push `{branch}`: the repository has no remote `{remote}`; add one by `git remote add {remote} <url>`"
    )]
    NoRemote {
        /// The branch.
        branch: BranchName,
        /// The remote.
        remote: String,
    },
    /// The remote has commits that the branch has not, or does not take the branch.
    #[error("cannot push `{branch}`: the remote refused it; fetch and merge what it has, then try again: {said}")]
    PushRejected {
        /// The branch, on the remote as it was.
        branch: BranchName,
        /// What git said.
        said: String,
    },
    /// The remote does not know who we are.
    #[error(
        "cannot push `{branch}`: the remote asks for a login that git has not stored; \
         push once by hand, or set up a credential helper or key: {said}"
    )]
    PushDenied {
        /// The branch.
        branch: BranchName,
        /// What git said.
        said: String,
    },
    /// A file or directory could not be read or written.
    #[error("cannot {doing} `{}`", path.display())]
    Disk {
        /// What was tried, as a verb.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// What an error of the disk says was done when a lock was taken.
pub(crate) const LOCK: &str = "lock";

impl Error {
    /// Whether git gave up because another git process held a lock, so that trying again may work.
    #[must_use]
    pub fn is_lock(&self) -> bool {
        let taken = |doing: &str, source: &io::Error| doing == LOCK && source.kind() == io::ErrorKind::AlreadyExists;
        matches!(self, Self::Failed(failure) if failure.is_lock())
            || matches!(self, Self::Disk { doing, source, .. } if taken(doing, source))
    }
}

/// A git command that ended with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What was run, for people to read.
    pub command: String,
    /// Its exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// The end of what it said.
    pub stderr: String,
}

/// What git says when a lock file of another process is in its way.
const LOCKED: [&str; 4] = ["could not lock", "Unable to create '", "cannot lock ref", "unable to lock"];

impl Failure {
    fn is_lock(&self) -> bool {
        // A reference that moved is also told as one that cannot be locked; trying again would not help.
        let moved = self.stderr.contains("but expected") || self.stderr.contains("reference already exists");
        !moved && LOCKED.iter().any(|words| self.stderr.contains(words)) && self.stderr.contains("File exists")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.map_or_else(|| "a signal".to_owned(), |code| format!("exit code {code}"));
        write!(f, "cannot run `{}`: git ended with {code}", self.command)?;
        if self.stderr.is_empty() { Ok(()) } else { write!(f, ": {}", self.stderr) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(stderr: &str) -> bool {
        let failure = Failure { command: "git".to_owned(), code: Some(128), stderr: stderr.to_owned() };
        Error::Failed(failure).is_lock()
    }

    #[test]
    fn a_lock_of_another_process_is_told_from_a_lost_race() {
        assert!(said("error: could not lock config file .git/config: File exists"));
        assert!(said("fatal: Unable to create '.git/index.lock': File exists."));
        assert!(!said("cannot lock ref 'refs/heads/a': is at 12 but expected 34"));
        assert!(!said("cannot lock ref 'refs/heads/a': reference already exists"));
        assert!(!said("fatal: not a git repository"));
    }

    #[test]
    fn a_failure_tells_command_code_and_words_of_git() {
        let failure = Failure { command: "git x".to_owned(), code: Some(1), stderr: "no".to_owned() };
        assert_eq!(failure.to_string(), "cannot run `git x`: git ended with exit code 1: no");
    }
}
