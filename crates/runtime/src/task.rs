//! What a task of the tree is given, what it may return, and what others can know of it.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::kind::{Kind, Phase};
use crate::signal::Signal;

/// Asks a task to end.
#[derive(Debug, Clone)]
pub struct Stop(pub(crate) CancellationToken);

/// A spawned task, for a caller that stops or awaits only this one; dropping it changes nothing.
#[derive(Debug, Clone)]
pub struct Task {
    pub(crate) stop: CancellationToken,
    pub(crate) ended: CancellationToken,
}

/// A task that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// The name it was spawned under.
    pub name: String,
    /// What sort of task it is.
    pub kind: Kind,
    /// When in a shutdown it is stopped.
    pub phase: Phase,
    /// How long ago it was spawned.
    pub age: Duration,
}

/// Why the server stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// Requested from outside.
    Signal(Signal),
    /// A command of a user asked, in its own words.
    Asked(String),
    /// A task that the server cannot do without has failed.
    TaskFailed {
        /// The name it was spawned under.
        task: String,
        /// Its error with all causes, or the message of its panic.
        error: String,
    },
}

/// What a task may return: nothing, or a result whose error the tree deals with.
///
/// A task that loops for ever has no type of its own to return; write the loop as an `async fn`, whose type is `()`.
pub trait Outcome {
    /// Returns the error with all its causes, if there is one.
    fn error(self) -> Option<String>;
}

impl Stop {
    /// Waits until the task is asked to end.
    pub async fn asked(&self) {
        self.0.cancelled().await;
    }

    /// Returns whether the task has been asked to end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl Task {
    /// Asks this one task to end, as its kind says.
    pub fn cancel(&self) {
        self.stop.cancel();
    }

    /// Waits until the task is gone, however it ended.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }
}

impl Outcome for () {
    fn error(self) -> Option<String> {
        None
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> Outcome for Result<(), E> {
    fn error(self) -> Option<String> {
        let error: Box<dyn Error + Send + Sync> = self.err()?.into();
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            text.push_str(": ");
            text.push_str(&inner.to_string());
            cause = inner.source();
        }
        Some(text)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(signal) => write!(f, "{signal} signal"),
            Self::Asked(why) => f.write_str(why),
            Self::TaskFailed { task, error } => write!(f, "task `{task}` failed: {error}"),
        }
    }
}
