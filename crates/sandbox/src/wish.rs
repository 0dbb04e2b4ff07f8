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
    /// Where git keeps what belongs to the workspace, in it or elsewhere.
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

/// What of a git directory all worktrees write to: contents, references, what they were, and packed references.
const SHARED: [&str; 6] = ["objects", "refs", "logs", "fleet", "lfs", "reftable"];

/// Where git keeps what belongs to a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitDirs {
    /// What is of this workspace alone.
    pub own: PathBuf,
    /// What all worktrees of the repository share; the same as `own` for a checkout that is no added worktree.
    pub common: PathBuf,
}

impl GitDirs {
    /// Returns what git writes to.
    ///
    /// Of what is shared not the folder itself, in which settings and hooks lie: whoever writes there runs programs as
    /// whoever uses git next. Git locks packed references beside the file that they are in; that file is in a
    /// folder of its own, which crate `git` sees to.
    #[must_use]
    pub fn written(&self) -> Vec<PathBuf> {
        if self.own == self.common {
            return vec![self.own.clone()];
        }
        SHARED.iter().map(|name| self.common.join(name)).chain([self.own.clone()]).collect()
    }
}
