//! Agents: by uid, and by team.

use types::{Agent, Uid};

use crate::{Index, Record, Table};

/// Where agents are found.
pub mod by {
    use types::TeamName;

    /// The members of a team, by handle.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("agent/team/{team}")
    }

    /// Counts all agents.
    pub const ALL: &str = "agent";
}

impl Record for Agent {
    const TABLE: Table = Table::Agent;
    type Id = Uid;

    fn id(&self) -> Uid {
        self.uid.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index { group: by::team(&self.team), order: self.handle.to_string(), unique: true }]
    }

    fn labels(&self) -> Vec<String> {
        vec![by::ALL.to_owned()]
    }
}
