//! What claude-fleet's tools on a team answer where it differs from REST.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::TeamName;

use super::{AgentView, Health, ListTeamTasks, TaskView, WorkerView};
use crate::Listing;

/// Show the caller's team: the server's health and the members
#[input(Default)]
pub struct GetTeamStatus {}

/// Which tasks of a team
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskFilter {
    /// All of them
    #[default]
    All,
    /// Those assigned to the caller
    Mine,
    /// Those assigned to no one
    Unassigned,
}

/// A team and the server's health
#[output]
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

impl From<(ListTeamTasks, Listing<TaskView>)> for TeamTasks {
    fn from((asked, list): (ListTeamTasks, Listing<TaskView>)) -> Self {
        Self { filter: asked.filter, count: list.items.len(), tasks: list.items }
    }
}

impl From<Listing<WorkerView>> for TeamWorkers {
    fn from(list: Listing<WorkerView>) -> Self {
        Self { count: list.items.len(), workers: list.items }
    }
}

/// The live workers of a team
#[output]
pub struct TeamWorkers {
    /// How many there are
    pub count: usize,
    /// The oldest first
    pub workers: Vec<WorkerView>,
}

/// The tasks of a team
#[output]
pub struct TeamTasks {
    /// Which tasks were asked for
    pub filter: TaskFilter,
    /// How many are listed
    pub count: usize,
    /// The newest first
    pub tasks: Vec<TaskView>,
}
