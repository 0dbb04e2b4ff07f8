//! Sessions: by team, mission, name and state; and the accounts that are not good for now.

use types::{Letter, LetterId, ParkedAccount, Session, SessionId};

use super::time_key;
use crate::{Index, Record, Table};

/// Where sessions are found, each group by age.
pub mod by {
    use types::{Handle, MissionId, ProjectId, SessionId, SessionStateName, TeamName};

    /// All sessions.
    #[must_use]
    pub fn all() -> String {
        "session/all".to_owned()
    }

    /// Sessions that are not over.
    #[must_use]
    pub fn live() -> String {
        "session/live".to_owned()
    }

    /// The sessions of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("session/team/{team}")
    }

    /// The sessions of a team that are not over.
    #[must_use]
    pub fn team_live(team: &TeamName) -> String {
        format!("session/team-live/{team}")
    }

    /// The sessions of a mission.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("session/mission/{mission}")
    }

    /// The sessions of a project.
    #[must_use]
    pub fn project(project: &ProjectId) -> String {
        format!("session/project/{project}")
    }

    /// The sessions in a state.
    #[must_use]
    pub fn state(state: SessionStateName) -> String {
        format!("session/state/{}", state.as_str())
    }

    /// The sessions that went by a handle, ever.
    #[must_use]
    pub fn handle(team: &TeamName, handle: &Handle) -> String {
        format!("session/handle/{team}/{handle}")
    }

    /// The one live session with a handle.
    #[must_use]
    pub fn live_handle(team: &TeamName, handle: &Handle) -> String {
        format!("session/live-handle/{team}/{handle}")
    }

    /// The sessions that come from a session.
    #[must_use]
    pub fn parent(parent: &SessionId) -> String {
        format!("session/parent/{parent}")
    }

    /// The messages to a session, by number.
    #[must_use]
    pub fn letters(session: &SessionId) -> String {
        format!("session/letters/{session}")
    }

    /// All accounts that are not good for now.
    #[must_use]
    pub fn parked() -> String {
        "parked/all".to_owned()
    }

    /// Counts the sessions in a state.
    #[must_use]
    pub fn state_count(state: SessionStateName) -> String {
        format!("session/{}", state.as_str())
    }
}

impl Record for Session {
    const TABLE: Table = Table::Session;
    type Id = SessionId;

    fn id(&self) -> SessionId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.created_at);
        let mut indexes: Vec<Index> =
            groups(self).map(|group| Index { group, order: age.clone(), unique: false }).collect();
        if self.state.is_live() {
            let group = by::live_handle(&self.team, &self.handle);
            indexes.push(Index { group, order: "0".to_owned(), unique: true });
        }
        indexes
    }

    fn stands_in(&self, group: &str) -> bool {
        groups(self).any(|own| own == group)
            || (self.state.is_live() && by::live_handle(&self.team, &self.handle) == group)
    }

    fn labels(&self) -> Vec<String> {
        vec![by::state_count(self.state.name())]
    }
}

fn groups(session: &Session) -> impl Iterator<Item = String> {
    let live = session.state.is_live();
    std::iter::once_with(by::all)
        .chain(std::iter::once_with(|| by::team(&session.team)))
        .chain(std::iter::once_with(|| by::state(session.state.name())))
        .chain(std::iter::once_with(|| by::handle(&session.team, &session.handle)))
        .chain(live.then(by::live))
        .chain(live.then(|| by::team_live(&session.team)))
        .chain(session.mission.iter().map(|assignment| by::mission(&assignment.mission)))
        .chain(session.project.iter().map(by::project))
        .chain(session.origin.parent().map(by::parent))
}

impl Record for Letter {
    const TABLE: Table = Table::Letter;
    type Id = LetterId;

    fn id(&self) -> LetterId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index { group: by::letters(&self.session), order: format!("{:012}", self.number), unique: true }]
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}

impl Record for ParkedAccount {
    const TABLE: Table = Table::ParkedAccount;
    type Id = String;

    fn id(&self) -> String {
        self.account.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        vec![Index { group: by::parked(), order: time_key(self.since), unique: false }]
    }

    fn labels(&self) -> Vec<String> {
        Vec::new()
    }
}
