//! Executions of workflows: by team, workflow and state; and those in which something may still happen.

use types::{Execution, ExecutionId};

use super::time_key;
use crate::{Index, Record, Table};

/// Where executions are found, each group by age.
pub mod by {
    use types::{ExecutionStateName, TeamName, WorkflowId};

    /// All executions.
    #[must_use]
    pub fn all() -> String {
        "execution/all".to_owned()
    }

    /// The executions of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("execution/team/{team}")
    }

    /// The executions of a workflow.
    #[must_use]
    pub fn workflow(workflow: &WorkflowId) -> String {
        format!("execution/workflow/{workflow}")
    }

    /// The executions in a state.
    #[must_use]
    pub fn state(state: ExecutionStateName) -> String {
        format!("execution/state/{}", state.as_str())
    }

    /// The executions that are not over, or whose missions are not.
    #[must_use]
    pub fn unsettled() -> String {
        "execution/unsettled".to_owned()
    }

    /// Counts the executions in a state.
    #[must_use]
    pub fn state_count(state: ExecutionStateName) -> String {
        format!("execution/{}", state.as_str())
    }
}

impl Record for Execution {
    const TABLE: Table = Table::Execution;
    type Id = ExecutionId;

    fn id(&self) -> ExecutionId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.created_at);
        let unsettled = self.state.is_live() || !self.stopping.is_empty();
        let groups = [by::all(), by::team(&self.team), by::state(self.state.name())].into_iter();
        let groups = groups.chain(self.workflow.iter().map(by::workflow)).chain(unsettled.then(by::unsettled));
        groups.map(|group| Index { group, order: age.clone(), unique: false }).collect()
    }

    fn labels(&self) -> Vec<String> {
        vec![by::state_count(self.state.name())]
    }
}
