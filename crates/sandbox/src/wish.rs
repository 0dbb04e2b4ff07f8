//! What is wanted of a sandbox, before it is asked what the machine can do.

use std::path::PathBuf;

use types::{Access, Network, Wanted};

use crate::layers::Caches;
use crate::limits::Limits;
use crate::network::Listen;

/// Everything that decides what an agent reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wish {
    /// How much it matters.
    pub wanted: Wanted,
    /// How far the agent may reach.
    pub access: Access,
    /// The folder that it works in.
    pub workspace: PathBuf,
    /// Where git keeps what belongs to the workspace, in it or elsewhere.
    pub git: Option<GitDirs>,
    /// The home of the user as whom the agent runs.
    pub home: Option<PathBuf>,
    /// What belongs to Fleet alone: its home, its database, the worktrees of all sessions.
    pub hidden: Vec<PathBuf>,
    /// What it reads, also where everything around is hidden.
    pub read: Vec<PathBuf>,
    /// What it writes to, however far it may reach: its own files, caches.
    pub write: Vec<PathBuf>,
    /// Caches of its user that it changes for itself alone, where there are namespaces; for all, elsewhere.
    pub caches: Caches,
    /// What it reaches of the network.
    pub network: Network,
    /// The ports it reaches, for [`Network::Ports`].
    pub ports: Vec<u16>,
    /// The ports of its own network on which a process outside listens, for [`Network::Hosts`].
    pub listen: Option<Listen>,
    /// Folders of this session alone, each with the path at which its programs find it, such as `/tmp`.
    pub private: Vec<(PathBuf, PathBuf)>,
    /// How much of the machine it may use.
    pub limits: Limits,
}

/// Where git keeps what belongs to a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDirs {
    /// What git writes to: of a worktree the session's own git directory.
    pub own: PathBuf,
    /// What all worktrees of the repository share, and git reads; the same as `own` for a checkout.
    pub common: PathBuf,
}

impl GitDirs {
    /// Whether the workspace is a checkout that is worked in directly.
    #[must_use]
    pub fn is_checkout(&self) -> bool {
        self.own == self.common
    }
}
