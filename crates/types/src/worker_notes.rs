//! What a client says about a worker beside its work.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The tag of missions that a client started as workers: they are found by it.
pub const WORKER_TAG: &str = "worker";

/// What was said about a worker beside its work: stored and shown again, and arguments for its agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerNotes {
    /// A name that the client gives a kind of worker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The client's own words to find it by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The client's own data.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// Arguments for its agent's program, after those that Fleet gives it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extra_args: Vec<String>,
}
