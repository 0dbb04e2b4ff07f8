//! Rules about what agents may do, and the calls that were held against them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use types::{Decision, Handle, MissionId, Pattern, ProjectId, Rule, RuleId, SessionId, TeamName};

use super::session_node::millis;

/// Make a rule about the tool calls of a team's agents
///
/// A call is what a rule is about if everything that the rule names fits. Rules of a higher priority come first; of
/// equals, one that blocks, then one that asks. A rule that allows does not give an agent more tools than it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreatePolicy {
    /// What people call it
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// What becomes of the calls it is about
    pub decision: Decision,
    /// The tool, such as `WebFetch`, `mcp__shop__*` or `Bash(git push *)`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Pattern>,
    /// The command that a shell is to run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Pattern>,
    /// A file or folder
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Pattern>,
    /// A host on the network
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Pattern>,
    /// What the agent is told; the name, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// Rules of a higher priority come first; 0, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: Option<i32>,
    /// Whether it counts; it does, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Only for agents that work on this project
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The team; the caller's own, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_name: Option<TeamName>,
}

/// List rules, newest first
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ListPolicies {
    /// Most rules to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// Show a rule
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetPolicy {
    /// The rule
    pub id: RuleId,
}

/// Change a rule
///
/// What is not said stays. A pattern can be replaced, not taken out: make another rule for that.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct UpdatePolicy {
    /// The rule
    pub id: RuleId,
    /// What people call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// What becomes of the calls it is about
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The tool
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Pattern>,
    /// The command that a shell is to run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Pattern>,
    /// A file or folder
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Pattern>,
    /// A host on the network
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<Pattern>,
    /// What the agent is told
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub reason: Option<String>,
    /// Rules of a higher priority come first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: Option<i32>,
    /// Whether it counts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Remove a rule
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeletePolicy {
    /// The rule
    pub id: RuleId,
}

/// A rule
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyView {
    /// Its id
    pub id: RuleId,
    /// What people call it
    pub name: String,
    /// What becomes of the calls it is about
    pub decision: Decision,
    /// The tool it is about
    pub tool: Option<Pattern>,
    /// The command it is about
    pub command: Option<Pattern>,
    /// The path it is about
    pub path: Option<Pattern>,
    /// The host it is about
    pub host: Option<Pattern>,
    /// What the agent is told
    pub reason: Option<String>,
    /// Rules of a higher priority come first
    pub priority: i32,
    /// Whether it counts
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PolicyDeleted {
    /// Always true
    pub success: bool,
    /// The rule
    pub id: RuleId,
}

/// Say what would become of a tool call
///
/// Nothing runs and nothing is written down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EvaluatePolicy {
    /// The tool, such as `Bash` or `Write`
    #[schemars(length(min = 1, max = 200))]
    pub tool: String,
    /// The command that a shell is to run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 65_536))]
    pub command: Option<String>,
    /// A file or folder
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4096))]
    pub path: Option<String>,
    /// An address on the network
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 4096))]
    pub address: Option<String>,
    /// The whole input of the call, where it has more than that
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub input: Map<String, Value>,
    /// The preset of the agent; without it only rules are looked at
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub preset: Option<String>,
    /// The project that the agent works on
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}

/// What would become of a call
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicyVerdict {
    /// What becomes of it
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

/// List calls that were not let through, newest first
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ListViolations {
    /// Only those of this session
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Only those of this mission
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    /// Only those that this rule stopped
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<RuleId>,
    /// Most to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}
