//! claude-fleet's REST contract (root paths) and MCP tools, on Fleet's records.

mod auth;
mod status;
mod tasks;
mod tools;
mod words;

pub use auth::{AgentView, Authenticate, Authenticated, ListTeamAgents};
pub use status::{
    Debug, DebugChat, DebugWorker, GetDebug, GetHealth, GetMetrics, Health, Metrics, RestartMetrics, TaskMetrics,
    TasksByStatus, WorkerMetrics, WorkersByState,
};
pub use tasks::{CreateTask, GetTask, ListTeamTasks, TaskView, UpdateTask};
pub use tools::{TaskFilter, TeamStatus, TeamStatusTool, TeamTasks, TeamTasksTool};
pub use words::TaskStatus;
