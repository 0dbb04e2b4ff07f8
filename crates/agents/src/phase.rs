//! Where a session's process stands, as the contracts name it.

use serde::{Deserialize, Serialize};

use crate::{Event, RateLimited, Stage};

/// Where a session's process stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// It was started and has not been heard of.
    #[default]
    Starting,
    /// It is up and has nothing to do.
    Ready,
    /// It is in a turn.
    Working,
    /// It was told to go.
    Stopping,
    /// It is gone.
    Stopped,
}

impl Phase {
    /// Returns where the process stands after an event.
    ///
    /// Whoever was told to go is on the way out whatever it still says, and nobody comes back from being gone.
    #[must_use]
    pub fn after(self, event: &Event) -> Self {
        match (self, event) {
            (Self::Stopped, _) | (_, Event::Ended { .. }) => Self::Stopped,
            (Self::Stopping, _) => Self::Stopping,
            (_, Event::Result(_)) => Self::Ready,
            (
                _,
                Event::Text { .. }
                | Event::Thinking { .. }
                | Event::ToolCall { .. }
                | Event::ToolResult { .. }
                | Event::Usage(_)
                | Event::Asking { .. }
                | Event::RateLimited(RateLimited::Retrying { .. })
                | Event::Acknowledged { stage: Stage::Begun, .. },
            ) => Self::Working,
            (Self::Starting, Event::Started(_) | Event::Acknowledged { .. }) => Self::Ready,
            (
                Self::Starting | Self::Ready | Self::Working,
                Event::Started(_)
                | Event::RateLimited(RateLimited::Window { .. })
                | Event::Acknowledged { .. }
                | Event::Background { .. }
                | Event::Raw { .. },
            ) => self,
        }
    }

    /// Returns where the process stands once it is told to go.
    #[must_use]
    pub fn told_to_go(self) -> Self {
        match self {
            Self::Stopped => Self::Stopped,
            Self::Starting | Self::Ready | Self::Working | Self::Stopping => Self::Stopping,
        }
    }
}
