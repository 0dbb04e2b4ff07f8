//! What is wanted of a sandbox, before it is asked what the machine can do.

use std::path::PathBuf;

use types::{Access, Network, Wanted};

/// Everything that decides what an agent reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// How much it matters.
    pub wanted: Wanted,
    /// How far the agent may reach.
    pub access: Access,
    /// The folder that it works in.
    pub workspace: PathBuf,
    /// Where git keeps what belongs to the workspace, if that is not in it.
    pub git: Option<GitDirs>,
    /// The home of the user as whom the agent runs.
    pub home: Option<PathBuf>,
    /// What is nobody's business but Fleet's: its home, the worktrees of all sessions.
    pub hidden: Vec<PathBuf>,
    /// What it reads, also where everything around is hidden.
    pub read: Vec<PathBuf>,
    /// What it writes to, however far it may reach: its own files, caches.
    pub write: Vec<PathBuf>,
    /// What it reaches of the network.
    pub network: Network,
    /// The ports it reaches, for [`Network::Ports`].
    pub ports: Vec<u16>,
}

/// Where git keeps what belongs to a worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDirs {
    /// What is of this worktree alone.
    pub own: PathBuf,
    /// What all worktrees of the repository share.
    pub common: PathBuf,
}

impl GitDirs {
    /// Returns what git writes to.
    ///
    /// All of what is shared: git makes a lock beside `packed-refs` whenever a reference goes, as after every merge,
    /// rebase and cherry-pick, and landlock cannot let that through and keep the hooks beside it away.
    #[must_use]
    pub fn written(&self) -> Vec<PathBuf> {
        vec![self.own.clone(), self.common.clone()]
    }
}
