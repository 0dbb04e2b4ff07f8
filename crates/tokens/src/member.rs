//! Who a token speaks for.

use types::{Handle, Role, TeamName, Uid};

/// A member of a team, as proved by a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name within the team.
    pub handle: Handle,
    /// The team.
    pub team: TeamName,
    /// What it may do.
    pub role: Role,
}

impl Member {
    /// The person who holds the local key.
    #[must_use]
    pub fn owner() -> Self {
        Self { handle: Handle::owner(), team: TeamName::default_team(), role: Role::Owner }
    }

    /// Returns what stands for the member in bodies and records.
    #[must_use]
    pub fn uid(&self) -> Uid {
        Uid::of(&self.team, &self.handle)
    }

    /// Tells whether the member may see what belongs to a team.
    #[must_use]
    pub fn sees(&self, team: &TeamName) -> bool {
        self.role == Role::Owner || self.team == *team
    }
}
