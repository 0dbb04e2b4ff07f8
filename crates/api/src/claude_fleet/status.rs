//! What the server says of itself.

use api_macros::{input, output};
use types::{Handle, TeamName};

use super::{AgentView, TaskView};

/// Show the server's health and counts
#[input(Default)]
pub struct GetHealth {}

/// Show the server's metrics
#[input(Default)]
pub struct GetMetrics {}

/// Show debugging information
#[input(Default)]
pub struct GetDebug {}

/// The server's health
#[output(camelCase)]
pub struct Health {
    /// `ok` while the store answers, takes writes, and its disk has room; otherwise the call fails and names the part
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
#[output]
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
#[output(Default, camelCase)]
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
#[output(Default)]
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
#[output(Default, camelCase)]
pub struct TaskMetrics {
    /// All of them
    pub total: u64,
    /// By status
    pub by_status: TasksByStatus,
}

/// Tasks by status
#[output(Default)]
pub struct TasksByStatus {
    /// Not started
    pub open: u64,
    /// In progress
    pub in_progress: u64,
    /// Nothing more is to be done
    pub resolved: u64,
    /// They need help
    pub blocked: u64,
}

/// Restarts of workers
#[output(Default, camelCase)]
pub struct RestartMetrics {
    /// Since the start
    pub total: u64,
    /// In the last hour
    pub last_hour: u64,
}

/// What the server knows; lists are cut to their newest 100
#[output(camelCase)]
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
#[output(camelCase)]
pub struct DebugChat {
    /// Its id
    pub id: String,
    /// The team
    pub team_name: TeamName,
}

/// A running worker
#[output]
pub struct DebugWorker {
    /// Its id
    pub id: String,
    /// Its name
    pub handle: Handle,
    /// Its status
    pub state: String,
}
