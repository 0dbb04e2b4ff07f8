//! Workflows: by team and name, each name once in a team.

use types::{Workflow, WorkflowId};

use crate::{Index, Record, Table};

/// Where workflows are found, each group by name.
pub mod by {
    use types::TeamName;

    /// All workflows.
    #[must_use]
    pub fn all() -> String {
        "workflow/all".to_owned()
    }

    /// The workflows of a team: each name once.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("workflow/team/{team}")
    }
}

impl Record for Workflow {
    const TABLE: Table = Table::Workflow;
    type Id = WorkflowId;

    fn id(&self) -> WorkflowId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let order = self.name.clone();
        vec![
            Index { group: by::all(), order: order.clone(), unique: false },
            Index { group: by::team(&self.team), order, unique: true },
        ]
    }

    fn labels(&self) -> Vec<String> {
        vec![by::team(&self.team)]
    }
}
