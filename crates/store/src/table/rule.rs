//! Rules by team, and calls that were not let through by team, session, mission and rule.

use types::{Rule, RuleId, Violation, ViolationId};

use super::time_key;
use crate::{Index, Record, Table};

/// Where rules are found, each group by age.
pub mod by {
    use types::{Decision, TeamName};

    /// All rules.
    #[must_use]
    pub fn all() -> String {
        "rule/all".to_owned()
    }

    /// The rules of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("rule/team/{team}")
    }

    /// Counts the rules of a team that count, or do not, by what they decide.
    #[must_use]
    pub fn count(team: &TeamName, decision: Decision, enabled: bool) -> String {
        let state = if enabled { "on" } else { "off" };
        format!("rule/{state}/{}/{team}", decision.as_str())
    }
}

/// Where calls that were not let through are found, each group by age.
pub mod violations {
    use types::{MissionId, RuleId, SessionId, TeamName};

    /// All of them.
    #[must_use]
    pub fn all() -> String {
        "violation/all".to_owned()
    }

    /// Those of a team.
    #[must_use]
    pub fn team(team: &TeamName) -> String {
        format!("violation/team/{team}")
    }

    /// Those of a session.
    #[must_use]
    pub fn session(session: &SessionId) -> String {
        format!("violation/session/{session}")
    }

    /// Those of a mission.
    #[must_use]
    pub fn mission(mission: &MissionId) -> String {
        format!("violation/mission/{mission}")
    }

    /// Those that a rule stopped.
    #[must_use]
    pub fn rule(rule: &RuleId) -> String {
        format!("violation/rule/{rule}")
    }
}

impl Record for Rule {
    const TABLE: Table = Table::Rule;
    type Id = RuleId;

    fn id(&self) -> RuleId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.created_at);
        let groups = [by::all(), by::team(&self.team)].into_iter();
        groups.map(|group| Index { group, order: age.clone(), unique: false }).collect()
    }

    fn labels(&self) -> Vec<String> {
        vec![by::count(&self.team, self.decision, self.enabled)]
    }
}

impl Record for Violation {
    const TABLE: Table = Table::Violation;
    type Id = ViolationId;

    fn id(&self) -> ViolationId {
        self.id.clone()
    }

    fn indexes(&self) -> Vec<Index> {
        let age = time_key(self.at);
        let groups = [violations::all(), violations::team(&self.team), violations::session(&self.session)].into_iter();
        let groups = groups.chain(self.mission.as_ref().map(violations::mission));
        let groups = groups.chain(self.rule.as_ref().map(violations::rule));
        groups.map(|group| Index { group, order: age.clone(), unique: false }).collect()
    }

    fn labels(&self) -> Vec<String> {
        // Counted where they are found: the same name for both.
        let of_rule = self.rule.as_ref().map(violations::rule);
        [violations::team(&self.team)].into_iter().chain(of_rule).collect()
    }
}
