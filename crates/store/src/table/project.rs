//! Projects: by id, and by age.

use types::{Project, ProjectId};

use super::time_key;
use crate::{Index, Record, Table};

/// Where projects are found.
pub mod by {
    use types::TeamName;

    /// All projects, by age.
    #[must_use]
    pub fn all() -> String {
        "project/all".to_owned()
    }

    /// The projects of a team, by age.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("project/team/{team}")
    }

    /// The projects with a budget, by age.
    #[must_use]
    pub fn budgeted() -> String {
        "project/budgeted".to_owned()
    }

    /// Counts the projects with a budget.
    pub const BUDGETED: &str = "project-budgeted";

    /// Counts the projects that name an agent.
    pub const STAFFED: &str = "project-staffed";

    /// Counts all projects.
    pub const ALL: &str = "project";
}

impl Record for Project {
    const TABLE: Table = Table::Project;
    type Id = ProjectId;

    fn id(&self) -> ProjectId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let order = time_key(self.created_at);
        let budgeted = (!self.budget.is_open()).then(by::budgeted);
        let groups = [by::all(), by::team(&self.team)].into_iter().chain(budgeted);
        groups.map(|group| Index { group, order: order.clone(), unique: false }).collect()
    }

    fn labels(&self) -> Vec<String> {
        let budgeted = (!self.budget.is_open()).then_some(by::BUDGETED);
        let staffed = self.agent.is_some().then_some(by::STAFFED);
        [by::ALL].into_iter().chain(budgeted).chain(staffed).map(str::to_owned).collect()
    }
}
