//! Rules about what agents may do, and the calls that were held against them.

use api_macros::{input, output};
use serde_json::{Map, Value};
use types::{Decision, Handle, MissionId, Pattern, ProjectId, Rule, RuleId, SessionId, TeamName};

use super::session_node::millis;
use crate::Page;

/// Create a rule about the tool calls of a team's agents
///
/// A call is what a rule is about if everything that the rule names fits. Rules of a higher priority come first; of
/// equals, one that blocks, then one that asks. A rule that allows does not give an agent more tools than it has.
#[input(camelCase, update(
    UpdatePolicy,
    "Update a rule\n\nOmitted fields are unchanged. A pattern can be replaced but not removed: create another rule for that.",
    id: RuleId,
    "The rule"
))]
pub struct CreatePolicy {
    /// Its name
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What happens to the calls it matches
    pub decision: Decision,
    /// The tool, such as `WebFetch`, `mcp__shop__*` or `Bash(git push *)`
    pub tool: Option<Pattern>,
    /// The command that a shell is to run
    pub command: Option<Pattern>,
    /// A file or folder
    pub path: Option<Pattern>,
    /// A host on the network
    pub host: Option<Pattern>,
    /// Message to the agent; the name, when unset
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// Priority; higher wins; 0, when unset
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: Option<i32>,
    /// Whether it is enabled; default: yes
    pub enabled: Option<bool>,
    /// Only for agents that work on this project
    #[create]
    pub project_id: Option<ProjectId>,
    /// The team; the caller's own, when unset
    #[create]
    pub team_name: Option<TeamName>,
}

/// List rules, newest first
#[input(Default, camelCase)]
pub struct ListPolicies {
    #[group]
    pub page: Page,
}

/// Show a rule
#[input]
pub struct GetPolicy {
    /// The rule
    pub id: RuleId,
}

/// Delete a rule
#[input]
pub struct DeletePolicy {
    /// The rule
    pub id: RuleId,
}

/// A rule
#[output(camelCase)]
pub struct PolicyView {
    /// Its id
    pub id: RuleId,
    /// Its name
    pub name: String,
    /// What happens to the calls it matches
    pub decision: Decision,
    /// The tool it is about
    pub tool: Option<Pattern>,
    /// The command it is about
    pub command: Option<Pattern>,
    /// The path it is about
    pub path: Option<Pattern>,
    /// The host it is about
    pub host: Option<Pattern>,
    /// Message to the agent
    pub reason: Option<String>,
    /// Priority; higher wins
    pub priority: i32,
    /// Whether it is enabled
    pub enabled: bool,
    /// The team whose agents it is for
    pub team_name: TeamName,
    /// The project it is for; null for all of them
    pub project_id: Option<ProjectId>,
    /// Who made it
    pub created_by: Handle,
    /// When it was made, in milliseconds since 1970
    pub created_at: u64,
    /// When it was last changed, in milliseconds since 1970
    pub updated_at: u64,
}

impl From<Rule> for PolicyView {
    fn from(rule: Rule) -> Self {
        Self {
            id: rule.id,
            name: rule.name,
            decision: rule.decision,
            tool: rule.about.tool,
            command: rule.about.command,
            path: rule.about.path,
            host: rule.about.host,
            reason: rule.why,
            priority: rule.priority,
            enabled: rule.enabled,
            team_name: rule.team,
            project_id: rule.project,
            created_by: rule.created_by,
            created_at: millis(rule.created_at),
            updated_at: millis(rule.updated_at),
        }
    }
}

/// A rule that is gone
#[output]
pub struct PolicyDeleted {
    /// Always true
    pub success: bool,
    /// The rule
    pub id: RuleId,
}

/// Evaluate a tool call without running it
///
/// Nothing runs and nothing is recorded.
#[input(camelCase)]
pub struct EvaluatePolicy {
    /// The tool, such as `Bash` or `Write`
    #[schemars(length(min = 1, max = 200))]
    pub tool: String,
    /// The command that a shell is to run
    #[schemars(length(max = 65_536))]
    pub command: Option<String>,
    /// A file or folder
    #[schemars(length(max = 4096))]
    pub path: Option<String>,
    /// An address on the network
    #[schemars(length(max = 4096))]
    pub address: Option<String>,
    /// The whole input of the call, where it has more than that
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// The preset of the agent; without it only rules are looked at
    #[schemars(length(min = 1, max = 32))]
    pub preset: Option<String>,
    /// The project that the agent works on
    pub project_id: Option<ProjectId>,
}

/// The decision about a call
#[output(camelCase)]
pub struct PolicyVerdict {
    /// What happens to it
    pub decision: Decision,
    /// Why; null if nothing stops it
    pub reason: Option<String>,
    /// The rule that stops it; null if none does
    pub rule_id: Option<RuleId>,
    /// What people call that rule
    pub rule_name: Option<String>,
    /// The tool by the name that rules know it by
    pub tool: String,
}

/// List blocked calls, newest first
#[input(Default, camelCase)]
pub struct ListViolations {
    /// Filter by session
    pub session_id: Option<SessionId>,
    /// Filter by mission
    pub mission_id: Option<MissionId>,
    /// Filter by rule
    pub rule_id: Option<RuleId>,
    #[group]
    pub page: Page,
}
