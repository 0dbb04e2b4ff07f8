//! A workspace: the folder that a session works in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Where a session is to work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Place {
    /// In a worktree of its own, with a branch of its own.
    Worktree {
        /// The repository, or any folder in it.
        folder: String,
        /// What the branch starts from; none for what the repository's HEAD is at.
        base: Option<String>,
    },
    /// In a worktree of its own that starts at the commit of another session's branch.
    Inherit {
        /// The repository, or any folder in it.
        folder: String,
        /// That session's branch.
        branch: String,
    },
    /// Directly in a folder, without isolation.
    InPlace {
        /// The folder.
        folder: String,
    },
}

impl Place {
    /// Returns the folder that was named.
    #[must_use]
    pub fn folder(&self) -> &str {
        match self {
            Self::Worktree { folder, .. } | Self::Inherit { folder, .. } | Self::InPlace { folder } => folder,
        }
    }
}

/// The folder that a session works in, made and ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    /// The folder.
    pub path: String,
    /// The worktree it is; none where a session works in place.
    pub worktree: Option<Tree>,
    /// What the project's recipe sets for the agent.
    pub env: BTreeMap<String, String>,
}

/// A worktree with its branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// The repository it belongs to.
    pub repository: String,
    /// Its branch.
    pub branch: String,
    /// The commit that the branch started from.
    pub base: String,
}
