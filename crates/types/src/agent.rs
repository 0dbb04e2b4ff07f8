//! An agent: a member of a team that may act under a role.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Handle, Role, TeamName, Uid};

/// A registered member of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agent {
    /// Derived from team and handle.
    pub uid: Uid,
    /// Its name within the team.
    pub handle: Handle,
    /// The team it belongs to.
    pub team: TeamName,
    /// What it may do.
    pub role: Role,
    /// When it was first registered.
    pub created_at: Timestamp,
    /// When it last asked for a token.
    pub seen_at: Timestamp,
}
