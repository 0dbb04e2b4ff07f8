//! The one place that knows which of claude-fleet's task statuses stands for which of Fleet's states.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{MissionState, StateName};

/// A task's status in this dialect
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Nobody works on it yet
    Open,
    /// Somebody works on it
    InProgress,
    /// Nothing more is to be done
    Resolved,
    /// Cannot go on without somebody's help
    Blocked,
}

impl TaskStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Open, Self::InProgress, Self::Resolved, Self::Blocked];

    /// Translates a state.
    #[must_use]
    pub fn of(state: StateName) -> Self {
        match state {
            StateName::Draft | StateName::Ready => Self::Open,
            StateName::Held => Self::InProgress,
            StateName::Parked | StateName::Failed => Self::Blocked,
            StateName::Done | StateName::Cancelled => Self::Resolved,
        }
    }

    /// Returns the states that this status stands for.
    pub fn states(self) -> impl Iterator<Item = StateName> {
        StateName::ALL.into_iter().filter(move |state| Self::of(*state) == self)
    }

    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in_progress",
            Self::Resolved => "resolved",
            Self::Blocked => "blocked",
        }
    }
}

impl From<&MissionState> for TaskStatus {
    fn from(state: &MissionState) -> Self {
        Self::of(state.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_status_and_every_status_some_state() {
        let covered: usize = TaskStatus::ALL.into_iter().map(|status| status.states().count()).sum();
        assert_eq!(covered, StateName::ALL.len());
        assert!(TaskStatus::ALL.into_iter().all(|status| status.states().next().is_some()));
    }
}
