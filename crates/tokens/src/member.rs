//! Who a token speaks for.

use types::{Handle, Role, SessionId, TeamName, Uid};

/// A member of a team, as proved by a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name within the team.
    pub handle: Handle,
    /// The team.
    pub team: TeamName,
    /// What it may do.
    pub role: Role,
    /// The session whose agent it is, if Fleet started it; it speaks only as long as that is live.
    pub session: Option<SessionId>,
}

impl Member {
    /// The person who holds the local key.
    #[must_use]
    pub fn owner() -> Self {
        Self { handle: Handle::owner(), team: TeamName::default_team(), role: Role::Owner, session: None }
    }

    /// The agent of a session.
    #[must_use]
    pub fn agent(session: SessionId, handle: Handle, team: TeamName) -> Self {
        Self { handle, team, role: Role::Worker, session: Some(session) }
    }

    /// Returns the name of the member in bodies and records.
    #[must_use]
    pub fn uid(&self) -> Uid {
        Uid::of(&self.team, &self.handle)
    }

    /// Returns whether the member may see what belongs to a team.
    #[must_use]
    pub fn sees(&self, team: &TeamName) -> bool {
        self.role == Role::Owner || self.team == *team
    }
}
