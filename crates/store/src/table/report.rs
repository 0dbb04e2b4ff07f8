//! Reports: by team, project, mission and session; and what sessions at work have submitted.

use types::{Report, ReportId, SessionId, Submission};

use super::time_key;
use crate::{Error, Index, Query, Record, Store, Table};

/// Where reports are found, each group by age.
pub mod by {
    use types::{MissionId, ProjectId, SessionId, TeamName};

    /// All reports.
    #[must_use]
    pub fn all() -> String {
        "report/all".to_owned()
    }

    /// The reports of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("report/team/{team}")
    }

    /// The reports of a project.
    #[must_use]
    pub fn project(project: &ProjectId) -> String {
        format!("report/project/{project}")
    }

    /// The reports of a mission.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("report/mission/{mission}")
    }

    /// The reports of a session.
    #[must_use]
    pub fn session(session: &SessionId) -> String {
        format!("report/session/{session}")
    }
}

impl Record for Report {
    const TABLE: Table = Table::Report;
    type Id = ReportId;

    fn id(&self) -> ReportId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.created_at);
        let groups = [by::all(), by::team(&self.team)].into_iter();
        let groups = groups.chain(self.project.as_ref().map(by::project));
        let groups = groups.chain(self.mission.as_ref().map(by::mission)).chain(self.session().map(by::session));
        groups.map(|group| Index { group, order: age.clone(), unique: false }).collect()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Record for Submission {
    const TABLE: Table = Table::Submission;
    type Id = SessionId;

    fn id(&self) -> SessionId {
        self.session.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        Vec::new()
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Store {
    /// Reads the newest report of a group, made by the functions in [`by`].
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn latest_report(&self, group: String) -> Result<Option<Report>, Error> {
        Ok(self.list::<Report>(Query::latest(group, 1)).await?.records.pop())
    }
}
