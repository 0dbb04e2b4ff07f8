//! Missions: by project, team, state, tag, parent, dependency and number.

use types::{Mission, MissionId};

use super::time_key;
use crate::{Index, Record, Table};

/// Where missions are found. Groups are ordered by priority and age, so a descending read gives the most urgent first;
/// where it says "by age", by age alone.
pub mod by {
    use types::{MissionId, ProjectId, StateName, TeamName};

    /// All missions.
    #[must_use]
    pub fn all() -> String {
        "mission/all".to_owned()
    }

    /// The missions of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("mission/team/{team}")
    }

    /// The missions of a team, by age.
    #[must_use]
    pub fn team_age(team: &TeamName) -> String {
        format!("mission/team-age/{team}")
    }

    /// The missions of a team in a state.
    #[must_use]
    pub fn team_state(team: &TeamName, state: StateName) -> String {
        format!("mission/team-state/{team}/{}", state.as_str())
    }

    /// The missions of a project.
    #[must_use]
    pub fn project(project: &ProjectId) -> String {
        format!("mission/project/{project}")
    }

    /// The missions of a project in a state.
    #[must_use]
    pub fn project_state(project: &ProjectId, state: StateName) -> String {
        format!("mission/project-state/{project}/{}", state.as_str())
    }

    /// The missions of a project, by number.
    #[must_use]
    pub fn number(project: &ProjectId) -> String {
        format!("mission/number/{project}")
    }

    /// The missions in a state.
    #[must_use]
    pub fn state(state: StateName) -> String {
        format!("mission/state/{}", state.as_str())
    }

    /// The missions with a tag.
    #[must_use]
    pub fn tag(tag: &str) -> String {
        format!("mission/tag/{tag}")
    }

    /// The missions made for a mission.
    #[must_use]
    pub fn parent(parent: &MissionId) -> String {
        format!("mission/parent/{parent}")
    }

    /// The missions that wait for a mission.
    #[must_use]
    pub fn dependency(on: &MissionId) -> String {
        format!("mission/dependency/{on}")
    }

    /// Counts the missions in a state.
    #[must_use]
    pub fn state_count(state: StateName) -> String {
        format!("mission/{}", state.as_str())
    }

    /// Counts the missions of a project in a state.
    #[must_use]
    pub fn project_count(project: &ProjectId, state: StateName) -> String {
        format!("mission/{project}/{}", state.as_str())
    }

    /// Counts the missions with a schedule in force.
    pub const SCHEDULED: &str = "mission-scheduled";
}

impl Record for Mission {
    const TABLE: Table = Table::Mission;
    type Id = MissionId;

    fn id(&self) -> MissionId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.created_at);
        let urgency = format!("{}.{age}", priority_key(self.priority));
        let state = self.state.name();
        let mut groups = vec![by::all(), by::team(&self.team), by::team_state(&self.team, state), by::state(state)];
        groups.extend(self.tags.iter().map(|tag| by::tag(tag)));
        groups.extend(self.parent.iter().map(by::parent));
        groups.extend(self.depends_on.iter().map(by::dependency));
        if let Some(project) = &self.project {
            groups.push(by::project(project));
            groups.push(by::project_state(project, state));
        }
        let found = |(group, order)| Index { group, order, unique: false };
        let mut indexes: Vec<_> = groups.into_iter().map(|group| found((group, urgency.clone()))).collect();
        indexes.push(found((by::team_age(&self.team), age)));
        if let (Some(project), Some(number)) = (&self.project, self.number) {
            indexes.push(Index { group: by::number(project), order: format!("{number:012}"), unique: true });
        }
        indexes
    }

    fn labels(&self) -> Vec<String> {
        let state = self.state.name();
        let mut labels = vec![by::state_count(state)];
        labels.extend(self.project.as_ref().map(|project| by::project_count(project, state)));
        if self.schedule.as_ref().is_some_and(|schedule| schedule.enabled) {
            labels.push(by::SCHEDULED.to_owned());
        }
        labels
    }
}

/// Writes a priority so that text order is the order of numbers, below zero too.
fn priority_key(priority: i32) -> String {
    format!("{:010}", i64::from(priority) - i64::from(i32::MIN))
}
