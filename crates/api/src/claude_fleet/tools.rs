//! claude-fleet's MCP tools on teams and tasks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::TeamName;

use super::{AgentView, Health, TaskView};

/// Show the caller's team: the server's health and the members
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamStatusTool {}

/// List the tasks of the caller's team
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamTasksTool {
    /// Which tasks; all, when unset
    #[serde(default)]
    pub filter: TaskFilter,
}

/// Which tasks of a team
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskFilter {
    /// All of them
    #[default]
    All,
    /// Those the caller is to do
    Mine,
    /// Those nobody is to do
    Unassigned,
}

/// A team and the server's health
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamStatus {
    /// The team
    pub team: TeamName,
    /// The server's health
    pub health: Health,
    /// The members
    pub agents: Vec<AgentView>,
    /// How many members there are
    pub count: usize,
}

/// The tasks of a team
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamTasks {
    /// Which tasks were asked for
    pub filter: TaskFilter,
    /// How many are listed
    pub count: usize,
    /// The newest first
    pub tasks: Vec<TaskView>,
}
