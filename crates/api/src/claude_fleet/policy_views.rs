//! Calls that were not let through, and how many there are.

use api_macros::{input, output};
use types::{Handle, MissionId, ProjectId, RuleId, SessionId, TeamName, Violation, ViolationId};

use super::session_node::millis;

/// A call that was not let through
#[output(camelCase)]
pub struct ViolationView {
    /// Its id
    pub id: ViolationId,
    /// The session whose agent wanted it
    pub session_id: SessionId,
    /// The name of the agent
    pub handle: Handle,
    /// The team
    pub team_name: TeamName,
    /// The mission it worked on
    pub mission_id: Option<MissionId>,
    /// The project it worked on
    pub project_id: Option<ProjectId>,
    /// The tool
    pub tool: String,
    /// What it was to do: the command, the paths or the hosts
    pub operation: String,
    /// The rule that stopped it; null if its tools did, or a person
    pub rule_id: Option<RuleId>,
    /// Why, as the agent was told
    pub reason: String,
    /// When, in milliseconds since 1970
    pub timestamp: u64,
}

impl From<Violation> for ViolationView {
    fn from(violation: Violation) -> Self {
        Self {
            id: violation.id,
            session_id: violation.session,
            handle: violation.handle,
            team_name: violation.team,
            mission_id: violation.mission,
            project_id: violation.project,
            tool: violation.tool,
            operation: violation.what,
            rule_id: violation.rule,
            reason: violation.why,
            timestamp: millis(violation.at),
        }
    }
}

/// Count rules and blocked calls of the team
#[input(Default)]
pub struct GetPolicyStats {}

/// How many rules there are, and what they stopped
#[output(camelCase)]
pub struct PolicyStats {
    /// All rules
    pub total_rules: u64,
    /// Those that count
    pub enabled_rules: u64,
    /// Those that count, by what they decide
    pub by_decision: DecisionCounts,
    /// Calls that were not let through, for whatever reason
    pub total_violations: u64,
    /// The rules that stopped something, those first that stopped most
    pub violations_by_rule: Vec<RuleCount>,
}

/// How many rules decide what
#[output(Copy, Default)]
pub struct DecisionCounts {
    /// Rules that block
    pub block: u64,
    /// Rules that ask
    pub ask: u64,
    /// Rules that allow
    pub allow: u64,
}

/// How much a rule stopped
#[output(camelCase)]
pub struct RuleCount {
    /// The rule
    pub rule_id: RuleId,
    /// Its name
    pub name: String,
    /// How many calls
    pub count: u64,
}
