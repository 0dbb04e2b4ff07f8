//! What happened to a candidate, with the evidence.

use std::path::PathBuf;

use git::Oid;
use types::CheckRun;

/// What a landing ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The target branch has it, and was green on exactly that tree.
    Landed(Landed),
    /// The target branch had all its commits already.
    Contained {
        /// Where the target branch stood.
        tip: Oid,
    },
    /// It cannot be merged: its agent has to resolve these files.
    Conflict {
        /// The files.
        files: Vec<PathBuf>,
        /// Where the target branch stood.
        tip: Oid,
    },
    /// It has no commit in common with the target branch.
    Unrelated {
        /// Where the target branch stood.
        tip: Oid,
    },
    /// There is no branch of that name.
    Gone {
        /// The branch.
        branch: String,
    },
    /// A check was red on the merged tree, and is not red on the target branch itself.
    Red(Red),
    /// A check was red on the merged tree, and is so on the target branch itself, in a clean worktree: the agent that made the
    /// candidate is not to blame. To be tried again when the target moves or the checks change.
    TargetRed {
        /// Where the target branch stood.
        tip: Oid,
        /// The target branch.
        target: String,
        /// The check, as it ran on the target.
        check: CheckRun,
    },
    /// The user's checkout is on the target branch and has changes to files that would move, or files in their way.
    /// Nothing was moved: a branch that moves under a checkout which stays behind would make what landed look like the
    /// user's own undoing of it. To be tried again when they are committed or put away; what was green is then not
    /// checked again as long as the target has not moved.
    CheckoutDirty {
        /// The checkout.
        checkout: PathBuf,
        /// The files, from its top.
        files: Vec<PathBuf>,
    },
    /// A git process of the user's, or the rest of one, holds a lock on the checkout or the branch. Nothing was moved.
    Locked {
        /// What git said, which names the lock file.
        said: String,
    },
    /// It was dropped while it was checked. Nothing of it has landed.
    Withdrawn,
    /// Others moved the target branch each time before this one could. To be tried again.
    Moving {
        /// How often it was tried.
        tries: u32,
    },
}

/// What landed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landed {
    /// The target branch's commit now.
    pub commit: Oid,
    /// Where it stood.
    pub from: Oid,
    /// The candidates that landed by the same move, this one included, in the order of the queue.
    pub together: Vec<String>,
    /// The checks, all green on the tree of `commit`.
    pub checks: Vec<CheckRun>,
    /// Checks that changed files which git knows. What they changed was put back and did not land.
    pub meddled: Vec<Meddled>,
    /// The user's checkout that went forward with the branch, if one did.
    pub checkout: Option<PathBuf>,
}

/// A check that left other files than it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meddled {
    /// The check.
    pub command: String,
    /// The files, from the top.
    pub files: Vec<PathBuf>,
}

/// What was red.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Red {
    /// The commit that was checked.
    pub commit: Oid,
    /// Where the target branch stood then.
    pub tip: Oid,
    /// The candidates in that commit beside those in `tip`, this one last; the others have landed.
    pub together: Vec<String>,
    /// The checks; at least one is not green.
    pub checks: Vec<CheckRun>,
}

/// What a push ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Push {
    /// The remote has the target branch as it is here.
    Done,
    /// The remote has commits that are not here, or does not let the branch be moved. It is as it was.
    Rejected {
        /// What git said.
        said: String,
    },
    /// The remote does not know who we are.
    Denied {
        /// What git said.
        said: String,
    },
    /// There is no remote of that name.
    NoRemote,
}
