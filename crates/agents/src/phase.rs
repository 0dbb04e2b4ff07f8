//! The phase of a session's process, as the contracts name it.

use serde::{Deserialize, Serialize};

use crate::{Event, RateLimited, Stage};

/// The phase of a session's process.
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
    /// Returns the phase of the process after an event.
    ///
    /// A process that was told to exit is stopping whatever it still says, and a process that is gone stays gone.
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

    /// Returns the phase of the process once it is told to exit.
    #[must_use]
    pub fn told_to_go(self) -> Self {
        match self {
            Self::Stopped => Self::Stopped,
            Self::Starting | Self::Ready | Self::Working | Self::Stopping => Self::Stopping,
        }
    }
}
