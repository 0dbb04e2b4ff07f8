//! What the shim writes down: who runs, and how it ended.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use types::Sandboxed;

use crate::identity::Identity;
use crate::spool::Stream;

/// Who runs in a spool; `shim.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The [`crate::Launch::id`] of this start.
    pub launch: String,
    /// The run of the machine in which it was started.
    pub boot: String,
    /// The shim.
    pub shim: Identity,
    /// The agent, whose process group has its number.
    pub agent: Identity,
    /// When the agent was started.
    pub started_at: Timestamp,
    /// The [`crate::Launch::log_max`] of this start.
    pub log_max: u64,
    /// What the [`crate::Launch::sandbox`] of this start reached.
    #[serde(default)]
    pub sandbox: Option<Sandboxed>,
}

/// How an agent ended; `exit.json`, written when nothing of it runs any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The [`crate::Launch::id`] of this start.
    pub launch: String,
    /// What the agent ended with.
    pub end: End,
    /// Whether it had been asked to stop.
    pub stopped: bool,
    /// The log that grew to [`crate::Launch::log_max`], for which the shim stopped the agent; none otherwise.
    pub capped: Option<Stream>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When the agent itself ended.
    pub ended_at: Timestamp,
    /// The number of the last message that was handed to it whole; 0 if there was none.
    pub input_delivered: u64,
    /// Descendants that not even a kill could end within the time for it; the kernel holds such processes.
    pub survivors: Vec<Identity>,
}

/// What a process ended with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum End {
    /// It ended by itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// A signal ended it.
    Signalled {
        /// The number of the signal.
        signal: i32,
    },
    /// It could not be started.
    NotStarted {
        /// What the system said.
        why: String,
    },
}
