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

    /// The missions with a schedule, in force or not.
    #[must_use]
    pub fn scheduled() -> String {
        "mission/scheduled".to_owned()
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
        let found = |group, order| Index { group, order, unique: false };
        let mut indexes = vec![found(by::team_age(&self.team), age)];
        indexes.extend(groups(self).map(|group| found(group, urgency.clone())));
        if let (Some(project), Some(number)) = (&self.project, self.number) {
            indexes.push(Index { group: by::number(project), order: format!("{number:012}"), unique: true });
        }
        indexes
    }

    fn stands_in(&self, group: &str) -> bool {
        by::team_age(&self.team) == group
            || groups(self).any(|own| own == group)
            || self.project.as_ref().is_some_and(|project| by::number(project) == group)
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

/// The groups in which a mission is found by urgency, each made when it is asked for.
fn groups(mission: &Mission) -> impl Iterator<Item = String> {
    let state = mission.state.name();
    let project = mission.project.iter();
    std::iter::once_with(by::all)
        .chain(std::iter::once_with(|| by::team(&mission.team)))
        .chain(std::iter::once_with(move || by::team_state(&mission.team, state)))
        .chain(std::iter::once_with(move || by::state(state)))
        .chain(project.clone().map(by::project))
        .chain(project.map(move |project| by::project_state(project, state)))
        .chain(mission.parent.iter().map(by::parent))
        .chain(mission.schedule.iter().map(|_| by::scheduled()))
        .chain(mission.tags.iter().map(|tag| by::tag(tag)))
        .chain(mission.depends_on.iter().map(by::dependency))
}

/// Writes a priority so that text order is the order of numbers, below zero too.
fn priority_key(priority: i32) -> String {
    format!("{:010}", i64::from(priority) - i64::from(i32::MIN))
}
