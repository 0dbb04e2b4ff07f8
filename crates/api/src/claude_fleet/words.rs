//! The one place that knows which of claude-fleet's words stands for which of Fleet's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{MissionState, SpawnMode, StateName};

/// A task's status in this dialect
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not started
    Open,
    /// In progress
    InProgress,
    /// Nothing more is to be done
    Resolved,
    /// Cannot continue without help
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
            StateName::Held | StateName::Landing => Self::InProgress,
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

/// The status of a worker
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerState {
    /// Being started, or waiting for its turn to be
    Starting,
    /// Up, with nothing to do
    Ready,
    /// At work
    Working,
    /// Told to go
    Stopping,
    /// Gone
    Stopped,
}

impl WorkerState {
    /// Every state, in the order in which a worker meets them.
    pub const ALL: [Self; 5] = [Self::Starting, Self::Ready, Self::Working, Self::Stopping, Self::Stopped];

    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Working => "working",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
        }
    }
}

/// How a worker is
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerHealth {
    /// Heard lately, at work on a call, or waiting for a person
    Healthy,
    /// Silent for some time
    Degraded,
    /// Silent for too long
    Unhealthy,
}

impl WorkerHealth {
    /// Every health, the best first.
    pub const ALL: [Self; 3] = [Self::Healthy, Self::Degraded, Self::Unhealthy];

    /// Returns the word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Degraded => "degraded",
            Self::Unhealthy => "unhealthy",
        }
    }
}

/// How a worker was started
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkerMode {
    /// As a process
    Process,
    /// In a terminal
    Tmux,
    /// As the agent's own kind does it
    Native,
    /// By another program
    External,
}

impl From<SpawnMode> for WorkerMode {
    fn from(mode: SpawnMode) -> Self {
        match mode {
            SpawnMode::Process => Self::Process,
            SpawnMode::Tmux => Self::Tmux,
            SpawnMode::Native => Self::Native,
        }
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
