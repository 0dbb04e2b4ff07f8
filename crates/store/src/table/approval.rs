//! Approvals: by team, mission, session and state; and by the call, of which a session has one that counts.

use types::{Approval, ApprovalId, ApprovalStateName};

use super::time_key;
use crate::{Index, Record, Table};

/// Where approvals are found, each group by age.
pub mod by {
    use types::{ApprovalStateName, MissionId, SessionId, TeamName};

    /// All approvals.
    #[must_use]
    pub fn all() -> String {
        "approval/all".to_owned()
    }

    /// The approvals in a state.
    #[must_use]
    pub fn state(state: ApprovalStateName) -> String {
        format!("approval/state/{}", state.as_str())
    }

    /// The approvals of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("approval/team/{team}")
    }

    /// The approvals of a team in a state.
    #[must_use]
    pub fn team_state(team: &TeamName, state: ApprovalStateName) -> String {
        format!("approval/team-state/{team}/{}", state.as_str())
    }

    /// The approvals of a mission.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("approval/mission/{mission}")
    }

    /// The approvals of a session.
    #[must_use]
    pub fn session(session: &SessionId) -> String {
        format!("approval/session/{session}")
    }

    /// The one approval of a session's call that has not lapsed.
    #[must_use]
    pub fn call(session: &SessionId, key: &str) -> String {
        format!("approval/call/{session}/{key}")
    }

    /// Counts the approvals in a state.
    #[must_use]
    pub fn state_count(state: ApprovalStateName) -> String {
        format!("approval/{}", state.as_str())
    }
}

impl Record for Approval {
    const TABLE: Table = Table::Approval;
    type Id = ApprovalId;

    fn id(&self) -> ApprovalId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let (age, state) = (time_key(self.created_at), self.state.name());
        let groups = [by::all(), by::state(state), by::team(&self.team), by::team_state(&self.team, state)];
        let groups = groups.into_iter().chain([by::session(&self.session)]).chain(self.mission.iter().map(by::mission));
        let mut indexes: Vec<Index> = groups.map(|group| Index { group, order: age.clone(), unique: false }).collect();
        if state != ApprovalStateName::Lapsed {
            let group = by::call(&self.session, &self.key);
            indexes.push(Index { group, order: "0".to_owned(), unique: true });
        }
        indexes
    }

    fn labels(&self) -> Vec<String> {
        vec![by::state_count(self.state.name())]
    }
}
