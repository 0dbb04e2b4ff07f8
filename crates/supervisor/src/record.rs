//! What the shim writes down: who runs, and how it ended.
//!
//! A server of another version may read it. What is needed to end an agent never changes: launch, run of the machine,
//! shim and agent. Everything else has a default, and what cannot be read of it is taken to be missing.

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use types::Sandboxed;

use crate::identity::Identity;
use crate::launch::Launch;
use crate::secret::Secret;
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
    #[serde(default, deserialize_with = "known")]
    pub started_at: Timestamp,
    /// The [`crate::Launch::log_max`] of this start.
    #[serde(default = "log_max")]
    pub log_max: u64,
    /// What the [`crate::Launch::sandbox`] of this start reached.
    #[serde(default, deserialize_with = "known")]
    pub sandbox: Option<Sandboxed>,
    /// The version of what the shim says and writes; 0 of one that was started before versions were written down.
    #[serde(default)]
    pub version: u32,
    /// What the shim wants to be shown; none of version 0.
    #[serde(default)]
    pub secret: Option<Secret>,
}

/// How an agent ended; `exit.json`, written when nothing of it runs any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// The [`crate::Launch::id`] of this start.
    pub launch: String,
    /// What the agent ended with.
    pub end: End,
    /// Whether it had been asked to stop.
    #[serde(default)]
    pub stopped: bool,
    /// The log that grew to [`crate::Launch::log_max`], for which the shim stopped the agent; none otherwise.
    #[serde(default, deserialize_with = "known")]
    pub capped: Option<Stream>,
    /// When it was started.
    pub started_at: Timestamp,
    /// When the agent itself ended.
    pub ended_at: Timestamp,
    /// The number of the last message that was handed to it whole; 0 if there was none.
    #[serde(default)]
    pub input_delivered: u64,
    /// Descendants that not even a kill could end within the time for it; the kernel holds such processes.
    #[serde(default, deserialize_with = "known")]
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

/// Reads a value if it has a form that this version knows; the default otherwise.
fn known<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(deserializer: D) -> Result<T, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

const fn log_max() -> u64 {
    Launch::LOG_MAX
}

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
