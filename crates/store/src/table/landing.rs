//! Landings: by team, mission, project and state; those that are not over also by their queue.

use types::{Landing, LandingId, LandingState, Publication};

use super::time_key;
use crate::{Index, Record, Table};

/// Where landings are found, each group by age.
pub mod by {
    use types::{LandingStateName, MissionId, ProjectId, TeamName};

    /// All landings.
    #[must_use]
    pub fn all() -> String {
        "landing/all".to_owned()
    }

    /// The landings of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("landing/team/{team}")
    }

    /// The landings of a project.
    #[must_use]
    pub fn project(project: &ProjectId) -> String {
        format!("landing/project/{project}")
    }

    /// The landings of a mission.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("landing/mission/{mission}")
    }

    /// The landings in a state.
    #[must_use]
    pub fn state(state: LandingStateName) -> String {
        format!("landing/state/{}", state.as_str())
    }

    /// The landings of one queue, those that its agent works on included: of a repository, and its target branch.
    #[must_use]
    pub fn queue(folder: &str, target: Option<&str>) -> String {
        // No branch is called by a name with a blank at its end, so none can be taken for part of a folder.
        format!("landing/queue/{} {folder}", target.unwrap_or_default())
    }

    /// The landings that a remote is still to be told of.
    #[must_use]
    pub fn publishing() -> String {
        "landing/publishing".to_owned()
    }

    /// Counts the landings in a state.
    #[must_use]
    pub fn state_count(state: LandingStateName) -> String {
        format!("landing/{}", state.as_str())
    }
}

impl Record for Landing {
    const TABLE: Table = Table::Landing;
    type Id = LandingId;

    fn id(&self) -> LandingId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.created_at);
        let groups = [by::all(), by::team(&self.team), by::mission(&self.mission), by::state(self.state.name())];
        let groups = groups.into_iter().chain(self.project.iter().map(by::project)).chain(line(self));
        groups.map(|group| Index { group, order: age.clone(), unique: false }).collect()
    }

    fn labels(&self) -> Vec<String> {
        vec![by::state_count(self.state.name())]
    }
}

/// The group of landings that wait for the same thing.
fn line(landing: &Landing) -> Option<String> {
    match (&landing.state, &landing.publication) {
        (
            LandingState::Queued { .. }
            | LandingState::Waiting { .. }
            | LandingState::Cleared { .. }
            | LandingState::Returned { .. },
            _,
        ) => Some(by::queue(&landing.folder, landing.rules.target.as_deref())),
        (LandingState::Landed { .. }, Some(Publication::Pending { .. })) => Some(by::publishing()),
        (
            LandingState::Landed { .. }
            | LandingState::Review { .. }
            | LandingState::Stuck { .. }
            | LandingState::Dropped { .. },
            _,
        ) => None,
    }
}
