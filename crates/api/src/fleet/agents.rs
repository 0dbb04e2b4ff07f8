//! The agents that Fleet can run: whether they are there, what they can do, whether they answer.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SqlTime;

/// List the agents that Fleet can run, and their status
///
/// Each program that is found is asked for its version and, where that can be asked, whether it is logged in. Of its
/// tool calls it says what was found when this version was tried.
#[input(Default)]
pub struct ListAgents {}

/// Test an agent: program, version, login, permission checks
///
/// A version whose tool calls were not tested is tested now, against a model that Fleet plays, at no cost.
/// With `live` it is also given one real task, "say ok", on the account that it uses, which may cost a little. The
/// answer is an error if anything of it fails.
#[input]
pub struct TestAgent {
    /// The agent
    #[schemars(length(min = 1, max = 32))]
    pub agent: String,
    /// Run one real turn, at the cost of its account
    #[serde(default, skip_serializing_if = "is_false")]
    pub live: bool,
}

/// An agent that Fleet can run
#[output]
pub struct AgentRow {
    /// The name to ask for it by
    pub name: String,
    /// Whether its program is there
    pub found: bool,
    /// What it says of its version, or why it says nothing
    pub version: String,
    /// Whether it is logged in
    pub login: LoginState,
    /// What to type to log in, if that is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login_command: Option<String>,
    /// How it is spoken with: `acp`, `codex` for its app-server, or `own` for its own lines
    pub protocol: String,
    /// The model for missions that name none; unset leaves it to the agent
    pub model: Option<String>,
    /// Whether it is the default agent
    pub default: bool,
    /// The program: where it is, or what was looked for
    pub program: String,
    /// The provider's account that it uses
    pub account: String,
    /// Whether the tool calls of this version are judged before they run
    pub calls: CallsState,
    /// What that means for the presets that its sessions run under
    pub calls_note: String,
    /// When that was tried, if it was
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_tried_at: Option<SqlTime>,
    /// What it can do
    pub capabilities: AgentAbilities,
}

/// Whether an agent's tool calls are judged before they run
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallsState {
    /// A call that had to be denied was
    Held,
    /// It was not, or the agent cannot have its calls judged
    Broken,
    /// Unknown: this version was not tried, or could not be
    Untried,
    /// Fleet plays it itself
    NotNeeded,
}

/// Whether an agent is logged in
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginState {
    /// It is
    Yes,
    /// It is not
    No,
    /// It needs no login
    NotNeeded,
    /// Unknown before it runs
    Unknown,
}

/// What an agent can do
#[output]
pub struct AgentAbilities {
    /// Go on with an earlier conversation
    pub resume: bool,
    /// Go on with a copy of one
    pub fork: bool,
    /// Be told something while it runs
    pub live_input: bool,
    /// Use MCP servers
    pub mcp: bool,
    /// Let Fleet decide on its tool calls
    pub asks: bool,
    /// Hold itself to a number of turns
    pub turns_limit: bool,
    /// Hold itself to a number of dollars
    pub budget_limit: bool,
}

/// What came of trying an agent
#[output]
pub struct TestedAgent {
    /// The agent
    #[serde(flatten)]
    pub agent: AgentRow,
    /// The session of the real turn, if there was one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<types::SessionId>,
    /// What it said in that turn
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What that turn has cost
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_cost_usd: Option<f64>,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
