//! What the server says of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Handle, TeamName};

use super::{AgentView, TaskView};

/// Show that the server is up, with counts
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetHealth {}

/// Show the server's figures
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetMetrics {}

/// Show what the server knows, for finding faults
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetDebug {}

/// The server's health
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// `ok` while the store answers
    pub status: String,
    /// Fleet's version
    pub version: String,
    /// The storage engine
    pub persistence: String,
    /// The database's file name, without its folder
    pub db_path: String,
    /// Registered agents
    pub agents: u64,
    /// Chats
    pub chats: u64,
    /// Messages
    pub messages: u64,
    /// Running workers
    pub workers: u64,
}

/// The server's figures
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Metrics {
    /// Milliseconds since the start
    pub uptime: u64,
    /// Workers
    pub workers: WorkerMetrics,
    /// Tasks
    pub tasks: TaskMetrics,
    /// Registered agents
    pub agents: u64,
    /// Chats
    pub chats: u64,
    /// Messages
    pub messages: u64,
    /// Restarts of workers
    pub restarts: RestartMetrics,
}

/// Workers, counted
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorkerMetrics {
    /// All of them
    pub total: u64,
    /// Those that work well
    pub healthy: u64,
    /// Those that have been silent for a while
    pub degraded: u64,
    /// Those that have been silent for too long
    pub unhealthy: u64,
    /// By state
    pub by_state: WorkersByState,
}

/// Workers by state
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkersByState {
    /// Being started
    pub starting: u64,
    /// Waiting for work
    pub ready: u64,
    /// At work
    pub working: u64,
    /// Being stopped
    pub stopping: u64,
    /// Ended
    pub stopped: u64,
}

/// Tasks, counted
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskMetrics {
    /// All of them
    pub total: u64,
    /// By status
    pub by_status: TasksByStatus,
}

/// Tasks by status
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TasksByStatus {
    /// Nobody works on them yet
    pub open: u64,
    /// Somebody works on them
    pub in_progress: u64,
    /// Nothing more is to be done
    pub resolved: u64,
    /// They need help
    pub blocked: u64,
}

/// Restarts of workers
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RestartMetrics {
    /// Since the start
    pub total: u64,
    /// In the last hour
    pub last_hour: u64,
}

/// What the server knows; lists are cut to their newest 100
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Debug {
    /// Registered agents
    pub users: Vec<AgentView>,
    /// Chats
    pub chats: Vec<DebugChat>,
    /// Messages
    pub message_count: u64,
    /// Tasks
    pub tasks: Vec<TaskView>,
    /// Running workers
    pub workers: Vec<DebugWorker>,
}

/// A chat
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DebugChat {
    /// Its id
    pub id: String,
    /// The team
    pub team_name: TeamName,
}

/// A running worker
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DebugWorker {
    /// Its id
    pub id: String,
    /// Its name
    pub handle: Handle,
    /// Where it stands
    pub state: String,
}
