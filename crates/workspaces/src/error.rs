//! What can go wrong with a workspace, each with what to do about it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::command::Ran;
use crate::recipe::RecipeError;

/// A refusal, or a failure of git, the disk or a command of a recipe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The folder is not there, or it is a file.
    #[error("cannot work in `{}`: there is no such folder", path.display())]
    NoFolder {
        /// The folder.
        path: PathBuf,
    },
    /// The branch is the only one with its commits, or is checked out.
    #[error("branch `{branch}` stays: it is checked out, or nothing else has its commits")]
    BranchNeeded {
        /// The branch.
        branch: String,
    },
    /// The folder is in no git repository, so it has no worktrees.
    #[error("cannot make a worktree of `{}`: it is in no git repository; choose in place, or run `git init` and commit there first", path.display())]
    NotARepository {
        /// The folder.
        path: PathBuf,
    },
    /// The repository has no files of its own.
    #[error("cannot make a worktree of `{}`: it is a bare repository; name a clone of it that has files", path.display())]
    Bare {
        /// The folder.
        path: PathBuf,
    },
    /// The folder belongs to a submodule.
    #[error("cannot make a worktree of `{}`: it is a submodule; name the repository it is part of, `{}`", path.display(), superproject.display())]
    Submodule {
        /// The folder.
        path: PathBuf,
        /// The repository it is part of.
        superproject: PathBuf,
    },
    /// The repository has no commit to start from.
    #[error("cannot make a worktree of `{}`: it has no commit yet; make a first commit, or choose in place", path.display())]
    NoCommits {
        /// The folder.
        path: PathBuf,
    },
    /// The base or branch to start from does not exist.
    #[error("cannot start from `{revision}`: `{}` has no such branch or commit", path.display())]
    NoBase {
        /// The folder.
        path: PathBuf,
        /// What was asked for.
        revision: String,
    },
    /// The session's id cannot name a folder, or is another's in all but its signs.
    #[error("cannot make a workspace for session `{session}`: {reason}")]
    Session {
        /// The id.
        session: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Another task is making this workspace, or a command of an earlier attempt still runs.
    #[error(
        "cannot make the workspace of session `{session}`: an earlier attempt is still at work; wait for it, or end its commands and try again"
    )]
    Busy {
        /// The session.
        session: String,
    },
    /// The recipe of the project cannot be followed.
    #[error("{wrong}; correct it in `{}` and commit, then try again", repository.display())]
    Recipe {
        /// The repository.
        repository: PathBuf,
        /// What is wrong.
        wrong: RecipeError,
    },
    /// A setup command of the recipe failed; nothing is left of the worktree.
    #[error("cannot set up a workspace of `{}`: {ran}; correct `setup` in `fleet.toml`, or what the command needs, and try again", repository.display())]
    Setup {
        /// The repository.
        repository: PathBuf,
        /// What was run, and how it ended.
        ran: Box<Ran>,
    },
    /// Commands of recipes may run in a sandbox only, and there is none.
    #[error("cannot run the recipe of `{}`: {why}", path.display())]
    Sandbox {
        /// The worktree.
        path: PathBuf,
        /// What is missing, and what to do about it.
        why: String,
    },
    /// The workspace was cancelled; nothing is left of it.
    #[error("the workspace `{}` was called off while it was made", path.display())]
    CalledOff {
        /// Where it would have been.
        path: PathBuf,
    },
    /// It is in use.
    #[error("cannot remove `{}`: {by}", path.display())]
    InUse {
        /// The folder, left as it was.
        path: PathBuf,
        /// Who works there.
        by: String,
    },
    /// The workspace is a folder of the user's, which is never removed or committed to unasked.
    #[error("cannot {doing} `{}`: it is worked in in place, and has no worktree or branch of its own", path.display())]
    InPlace {
        /// What was asked for, as a verb.
        doing: &'static str,
        /// The folder.
        path: PathBuf,
    },
    /// A merge is not settled, and committing would commit its marks.
    #[error("cannot commit in `{}`: a merge is not settled in {}", path.display(), files.join(", "))]
    Unsettled {
        /// The worktree.
        path: PathBuf,
        /// The files.
        files: Vec<String>,
    },
    /// No program to open pull requests with.
    #[error(
        "cannot open a pull request: neither `gh` nor `glab` is on PATH; install the command line of your forge and sign in (`gh auth login`, `glab auth login`)"
    )]
    NoGh,
    /// The program that opens pull requests said no.
    #[error("cannot open a pull request for `{branch}`: {ran}")]
    PullRequest {
        /// The branch.
        branch: String,
        /// What was run, and how it ended.
        ran: Box<Ran>,
    },
    /// No port is free on the loopback interface.
    #[error("cannot find a free port for a workspace")]
    Port {
        /// Why.
        source: io::Error,
    },
    /// A command of a recipe could not be started.
    #[error("cannot start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
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
    /// The server goes down, and what was begun is finished after its next start.
    #[error("cannot continue `{what}`: Fleet is shutting down; try again when it is back")]
    ShuttingDown {
        /// What was asked for.
        what: &'static str,
    },
    /// git refused or failed.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A name is none that git takes.
    #[error(transparent)]
    Name(#[from] git::NameError),
}

impl Error {
    /// Puts an error of git into the terms of the caller that wanted a worktree of `folder`.
    pub(crate) fn opening(folder: &Path, error: git::Error) -> Self {
        if let git::Error::NoRepository { .. } = error {
            return Self::NotARepository { path: folder.to_owned() };
        }
        Self::Git(error)
    }

    /// Keeps what git said about a tree that is in use.
    pub(crate) fn removing(error: git::Error) -> Self {
        if let git::Error::InUse { path, by } = error {
            return Self::InUse { path, by };
        }
        Self::Git(error)
    }
}

/// How a failed command is shown in time.
pub(crate) fn seconds(limit: Duration) -> String {
    format!("{} s", limit.as_secs())
}
