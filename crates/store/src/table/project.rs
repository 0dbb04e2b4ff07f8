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
        [by::all(), by::team(&self.team)].map(|group| Index { group, order: order.clone(), unique: false }).into()
    }

    fn labels(&self) -> Vec<String> {
        vec![by::ALL.to_owned()]
    }
}
