//! The one place that knows which of DevFleet's status words stands for which of Fleet's states.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{LandMode, MissionState, SessionState, SessionStateName, StateName};

/// Shown while an agent is left to choose its model and has not reported which.
const AGENTS_OWN: &str = "default";

/// Says which model an agent gets, where clients want a text: none leaves it to the agent.
#[must_use]
pub fn shown_model(model: Option<String>) -> String {
    model.unwrap_or_else(|| AGENTS_OWN.to_owned())
}

/// A mission's status in this dialect
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissionStatus {
    /// Being written; waits for a person
    Draft,
    /// Starts by itself, once it can
    Queued,
    /// In progress
    Running,
    /// Done
    Completed,
    /// Given up
    Failed,
    /// Called off
    Cancelled,
}

impl MissionStatus {
    /// Every status, in the order of their tabs.
    pub const ALL: [Self; 6] =
        [Self::Draft, Self::Queued, Self::Running, Self::Completed, Self::Failed, Self::Cancelled];

    /// Translates a state.
    #[must_use]
    pub fn of(state: StateName) -> Self {
        match state {
            StateName::Draft => Self::Draft,
            StateName::Ready | StateName::Parked => Self::Queued,
            StateName::Held | StateName::Landing => Self::Running,
            StateName::Done => Self::Completed,
            StateName::Failed => Self::Failed,
            StateName::Cancelled => Self::Cancelled,
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
            Self::Draft => "draft",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What happens to the branch of a finished session
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Land {
    /// It lands by itself once its checks are green
    Auto,
    /// It lands once a person says so
    Review,
    /// It stays where it is
    Never,
}

impl From<Land> for LandMode {
    fn from(land: Land) -> Self {
        match land {
            Land::Auto => Self::Auto,
            Land::Review => Self::Review,
            Land::Never => Self::Never,
        }
    }
}

impl From<LandMode> for Land {
    fn from(mode: LandMode) -> Self {
        match mode {
            LandMode::Auto => Self::Auto,
            LandMode::Review => Self::Review,
            LandMode::Never => Self::Never,
        }
    }
}

/// A session's status in this dialect
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// Not over
    Running,
    /// Its agent says that it is done
    Completed,
    /// It failed
    Failed,
    /// Cancelled
    Cancelled,
}

impl SessionStatus {
    /// Translates a state.
    #[must_use]
    pub fn of(state: SessionStateName) -> Self {
        match state {
            SessionStateName::Starting
            | SessionStateName::Running
            | SessionStateName::Waiting
            | SessionStateName::Stopping => Self::Running,
            SessionStateName::Completed => Self::Completed,
            SessionStateName::Failed => Self::Failed,
            SessionStateName::Cancelled => Self::Cancelled,
        }
    }

    /// Returns the states that this status stands for.
    pub fn states(self) -> impl Iterator<Item = SessionStateName> {
        SessionStateName::ALL.into_iter().filter(move |state| Self::of(*state) == self)
    }

    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<&SessionState> for SessionStatus {
    fn from(state: &SessionState) -> Self {
        Self::of(state.name())
    }
}

impl From<&MissionState> for MissionStatus {
    fn from(state: &MissionState) -> Self {
        Self::of(state.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_one_status_and_every_status_some_state() {
        let covered: usize = MissionStatus::ALL.into_iter().map(|status| status.states().count()).sum();
        assert_eq!(covered, StateName::ALL.len());
        assert!(MissionStatus::ALL.into_iter().all(|status| status.states().next().is_some()));
    }
}
