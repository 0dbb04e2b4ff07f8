//! Operations on projects under `/api/projects`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::ProjectId;

use super::sandbox::{SandboxLevel, SandboxNetwork};
use super::words::Land;

/// List projects, newest first, with counts of their missions
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListProjects {
    /// Most projects to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// Add a project: a directory that missions work on
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateProject {
    /// What to call it
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// An existing directory, as an absolute path
    #[schemars(length(min = 1, max = 4096))]
    pub path: String,
    /// What it is
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 10000))]
    pub description: String,
    /// Added to the system prompt of every agent that works on it
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 50000))]
    pub system_prompt: String,
    /// The agent that works on it where its missions name none; the configuration's, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub agent: Option<String>,
    /// Another word for `agent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub coder: Option<String>,
    /// Another word for `agent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub executor: Option<String>,
    /// The model of that agent; the configuration's, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// Active, on_hold, completed or archived; kept as a note
    #[serde(default = "active", skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub state: String,
    /// Who owns it; kept as a note
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub owner: String,
    /// When it begins; kept as a note
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub start_date: String,
    /// When it should end; kept as a note
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub target_end_date: String,
    /// The team above it; kept as a note
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub parent_team: String,
    /// A chat channel's id; kept as a note
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub teams_channel_id: String,
    /// A chat channel's name; kept as a note
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 200))]
    pub teams_channel_name: String,
    /// Lines for the shell that must all be green on exactly what lands; those in `fleet.toml`, when there are none
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 50), inner(length(min = 1, max = 2000)))]
    pub checks: Vec<String>,
    /// The branch that finished work lands on; the one the folder is on, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub target_branch: Option<String>,
    /// What becomes of finished work; without a check nothing lands by itself
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<Land>,
    /// Seconds that one check may run; the server's own setting, when unset, and again with 0
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 86_400))]
    pub check_timeout_secs: Option<u32>,
    /// The remote that the target branch is pushed to once work has landed; none, when unset or empty
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub push: Option<String>,
    /// Open a pull request of the branch once it has landed here, and leave the target branch of the remote alone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<bool>,
    /// How much the sandbox of its agents matters; the settings', when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// What its agents reach of the network; the settings', when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_network: Option<SandboxNetwork>,
    /// Paths that they read though they are hidden, beside those of the settings; `~` is the home of the user
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub sandbox_read: Option<Vec<String>>,
    /// Paths that they write to beside their work, such as caches
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub sandbox_write: Option<Vec<String>>,
    /// TCP ports that they reach, and no others beside those of their services
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub sandbox_tcp_ports: Option<Vec<u16>>,
    /// Dollars that its missions may spend, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_usd: Option<f64>,
    /// Tokens of all kinds that its missions may use, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000_000_000_i64))]
    pub budget_tokens: Option<i64>,
    /// Turns that its missions may take, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_turns: Option<i64>,
    /// Minutes that its agents may run, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_minutes: Option<i64>,
    /// Dollars that its missions may spend on a day, which begins when `daily_budget_resets_at` says; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_usd: Option<f64>,
    /// Tokens of all kinds that its missions may use on a day; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000_000_000_i64))]
    pub daily_budget_tokens: Option<i64>,
    /// Turns that its missions may take on a day; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_turns: Option<i64>,
    /// Minutes that its agents may run on a day; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_minutes: Option<i64>,
}

/// Show a project with its missions
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetProject {
    /// The project
    pub project: ProjectId,
}

/// Change the given fields of a project
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateProject {
    /// The project
    pub project: ProjectId,
    /// What to call it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,
    /// An existing directory, as an absolute path
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4096))]
    pub path: Option<String>,
    /// What it is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10000))]
    pub description: Option<String>,
    /// Added to the system prompt of every agent that works on it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50000))]
    pub system_prompt: Option<String>,
    /// The agent that works on it where its missions name none; the configuration's, when unset or empty
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub agent: Option<String>,
    /// Another word for `agent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub coder: Option<String>,
    /// Another word for `agent`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 32))]
    pub executor: Option<String>,
    /// The model of that agent; the configuration's, when unset or empty
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub model: Option<String>,
    /// Active, on_hold, completed or archived; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub state: Option<String>,
    /// Who owns it; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub owner: Option<String>,
    /// When it begins; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub start_date: Option<String>,
    /// When it should end; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub target_end_date: Option<String>,
    /// The team above it; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub parent_team: Option<String>,
    /// A chat channel's id; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub teams_channel_id: Option<String>,
    /// A chat channel's name; kept as a note
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub teams_channel_name: Option<String>,
    /// Lines for the shell that must all be green on exactly what lands; those in `fleet.toml`, when there are none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50), inner(length(min = 1, max = 2000)))]
    pub checks: Option<Vec<String>>,
    /// The branch that finished work lands on; the one the folder is on, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub target_branch: Option<String>,
    /// What becomes of finished work; without a check nothing lands by itself
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<Land>,
    /// Seconds that one check may run; the server's own setting, when unset, and again with 0
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 86_400))]
    pub check_timeout_secs: Option<u32>,
    /// The remote that the target branch is pushed to once work has landed; none, when unset or empty
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub push: Option<String>,
    /// Open a pull request of the branch once it has landed here, and leave the target branch of the remote alone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pr: Option<bool>,
    /// How much the sandbox of its agents matters; the settings', when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// What its agents reach of the network; the settings', when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_network: Option<SandboxNetwork>,
    /// Paths that they read though they are hidden, beside those of the settings; `~` is the home of the user
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub sandbox_read: Option<Vec<String>>,
    /// Paths that they write to beside their work, such as caches
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
    pub sandbox_write: Option<Vec<String>>,
    /// TCP ports that they reach, and no others beside those of their services
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub sandbox_tcp_ports: Option<Vec<u16>>,
    /// Dollars that its missions may spend, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_usd: Option<f64>,
    /// Tokens of all kinds that its missions may use, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000_000_000_i64))]
    pub budget_tokens: Option<i64>,
    /// Turns that its missions may take, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_turns: Option<i64>,
    /// Minutes that its agents may run, ever; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_minutes: Option<i64>,
    /// Dollars that its missions may spend on a day, which begins when `daily_budget_resets_at` says; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_usd: Option<f64>,
    /// Tokens of all kinds that its missions may use on a day; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000_000_000_i64))]
    pub daily_budget_tokens: Option<i64>,
    /// Turns that its missions may take on a day; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_turns: Option<i64>,
    /// Minutes that its agents may run on a day; -1 for no limit
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_minutes: Option<i64>,
}

/// Delete a project and all of its missions
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteProject {
    /// The project
    pub project: ProjectId,
}

fn active() -> String {
    "active".to_owned()
}
