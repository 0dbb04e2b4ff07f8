//! Roles: what kind of work a token's bearer does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the bearer of a token is in its team.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The person who holds the local key; may do everything, in every team
    Owner,
    /// Leads a team: spawns workers, assigns tasks, merges
    TeamLead,
    /// Orchestrates a team on a lead's behalf
    Coordinator,
    /// Claims tasks, completes them, sends messages
    Worker,
    /// Reads everything in its team and raises alerts
    Monitor,
    /// Reads status and notifies people
    Notifier,
    /// Merges branches and pushes code
    Merger,
}

impl Role {
    /// Every role, in the order people read them.
    pub const ALL: [Self; 7] =
        [Self::Owner, Self::TeamLead, Self::Coordinator, Self::Worker, Self::Monitor, Self::Notifier, Self::Merger];

    /// Returns whether it leads a team: it may give orders, and act for members.
    #[must_use]
    pub const fn leads(self) -> bool {
        match self {
            Self::Owner | Self::TeamLead | Self::Coordinator => true,
            Self::Worker | Self::Monitor | Self::Notifier | Self::Merger => false,
        }
    }

    /// Returns the word tokens and clients use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::TeamLead => "team-lead",
            Self::Coordinator => "coordinator",
            Self::Worker => "worker",
            Self::Monitor => "monitor",
            Self::Notifier => "notifier",
            Self::Merger => "merger",
        }
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

/// A word that is not a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a role is one of owner, team-lead, coordinator, worker, monitor, notifier, merger")]
pub struct UnknownRole;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_of_a_role_is_the_same_in_tokens_and_in_json() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
            assert_eq!(role.as_str().parse(), Ok(role));
        }
    }
}
