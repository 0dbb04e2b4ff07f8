//! Questions: by team, mission, session and state; and by their words, of which a session has one that counts.

use types::{Question, QuestionId, QuestionState};

use super::time_key;
use crate::{Index, Record, Table};

/// Where questions are found, each group by age.
pub mod by {
    use types::{MissionId, QuestionStateName, SessionId, TeamName};

    /// All questions.
    #[must_use]
    pub fn all() -> String {
        "question/all".to_owned()
    }

    /// The questions in a state.
    #[must_use]
    pub fn state(state: QuestionStateName) -> String {
        format!("question/state/{}", state.as_str())
    }

    /// The questions of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("question/team/{team}")
    }

    /// The questions of a team in a state.
    #[must_use]
    pub fn team_state(team: &TeamName, state: QuestionStateName) -> String {
        format!("question/team-state/{team}/{}", state.as_str())
    }

    /// The questions of a mission.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("question/mission/{mission}")
    }

    /// The questions of a session.
    #[must_use]
    pub fn session(session: &SessionId) -> String {
        format!("question/session/{session}")
    }

    /// The questions of a session whose end its agent has not heard of.
    #[must_use]
    pub fn unheard(session: &SessionId) -> String {
        format!("question/unheard/{session}")
    }

    /// The one question of a session with these words that was not withdrawn.
    #[must_use]
    pub fn words(session: &SessionId, key: &str) -> String {
        format!("question/words/{session}/{key}")
    }

    /// Counts the questions in a state.
    #[must_use]
    pub fn state_count(state: QuestionStateName) -> String {
        format!("question/{}", state.as_str())
    }
}

impl Record for Question {
    const TABLE: Table = Table::Question;
    type Id = QuestionId;

    fn id(&self) -> QuestionId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let (age, state) = (time_key(self.asked_at), self.state.name());
        let groups = [by::all(), by::state(state), by::team(&self.team), by::team_state(&self.team, state)];
        let unheard = self.heard.is_none().then(|| by::unheard(&self.session));
        let groups = groups.into_iter().chain([by::session(&self.session)]);
        let groups = groups.chain(self.mission.iter().map(by::mission)).chain(unheard);
        let mut indexes: Vec<Index> = groups.map(|group| Index { group, order: age.clone(), unique: false }).collect();
        if !matches!(self.state, QuestionState::Withdrawn { .. }) {
            let group = by::words(&self.session, &self.key);
            indexes.push(Index { group, order: "0".to_owned(), unique: true });
        }
        indexes
    }

    fn labels(&self) -> Vec<String> {
        vec![by::state_count(self.state.name())]
    }
}
