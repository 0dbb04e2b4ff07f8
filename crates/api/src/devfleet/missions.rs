//! Operations on missions under `/api/missions`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{ChosenBy, MissionId, ProjectId};

use super::{Land, MissionStatus, SandboxLevel, SandboxNetwork};
use crate::limits::{LINKS_MAX, TAGS_MAX};

/// List missions by priority, then newest first
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMissions {
    /// Only missions of this project
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// Only missions with this status
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<MissionStatus>,
    /// Only missions with this tag
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub tag: Option<String>,
    /// Only missions made for this one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_mission_id: Option<MissionId>,
    /// Most missions to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// State a mission
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateMission {
    /// The project it works on
    pub project_id: ProjectId,
    /// One line
    #[schemars(length(min = 1, max = 300))]
    pub title: String,
    /// What to do, in full
    #[schemars(length(min = 1, max = 100000))]
    pub detailed_prompt: String,
    /// How to tell that it is done
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 20000))]
    pub acceptance_criteria: String,
    /// Higher runs earlier
    #[serde(default)]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: i32,
    /// Words to find it by
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = TAGS_MAX), inner(length(min = 1, max = 100)))]
    pub tags: Vec<String>,
    /// What becomes of its branch; the project's own rule, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<Land>,
    /// The agent to use; the project's, when unset, else the configuration's
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
    /// The model to use; the project's, when unset, else the configuration's
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// Most turns, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_turns: Option<u32>,
    /// Most dollars, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub max_budget_usd: Option<f64>,
    /// Most tokens of all kinds, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    pub max_tokens: Option<u64>,
    /// Most minutes in which its agents run, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_minutes: Option<u32>,
    /// A preset's name, or a JSON array of tool names as text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 5000))]
    pub allowed_tools: Option<String>,
    /// The preset it runs under: implement, review, test, explore, fix, full or a custom one
    #[serde(default = "implement")]
    #[schemars(length(min = 1, max = 100))]
    pub mission_type: String,
    /// The mission it is made for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_mission_id: Option<MissionId>,
    /// Missions that must be done first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = LINKS_MAX))]
    pub depends_on: Vec<MissionId>,
    /// Start by itself once the dependencies are done
    #[serde(default)]
    pub auto_dispatch: bool,
    /// Five cron fields, to clone and run it again and again
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub schedule_cron: Option<String>,
    /// Told by POST when the mission ends
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub callback_url: Option<String>,
    /// How much the sandbox of its agents matters; the project's, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// What its agents reach of the network; the project's, when unset
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
    /// Most tries after the first
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    pub max_retries: u32,
    /// Retry by itself after a failure that may pass
    #[serde(default = "yes")]
    pub auto_retry: bool,
}

/// Show a mission with its sessions, latest report and children
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetMission {
    /// The mission
    pub mission: MissionId,
}

/// Say in one sentence why a mission does not run
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExplainMission {
    /// The mission
    pub mission: MissionId,
}

/// Why a mission does not run, or that it does
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explained {
    /// The mission
    pub mission: MissionId,
    /// Where it stands
    pub status: MissionStatus,
    /// One sentence
    pub why: String,
}

/// Change the given fields of a mission
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateMission {
    /// The mission
    pub mission: MissionId,
    /// One line
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 300))]
    pub title: Option<String>,
    /// What to do, in full
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100000))]
    pub detailed_prompt: Option<String>,
    /// How to tell that it is done
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 20000))]
    pub acceptance_criteria: Option<String>,
    /// Where it stands; `running` comes from a dispatch alone
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<MissionStatus>,
    /// Higher runs earlier
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: Option<i32>,
    /// Words to find it by
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = TAGS_MAX), inner(length(min = 1, max = 100)))]
    pub tags: Option<Vec<String>>,
    /// What becomes of its branch; the project's own rule, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<Land>,
    /// The agent to use; empty for the project's
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
    /// The model to use; empty for the project's
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub model: Option<String>,
    /// As a row shows it; unless it is `mission`, a row that is sent back says nothing of the agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_source: Option<ChosenBy>,
    /// As a row shows it; unless it is `mission`, a row that is sent back says nothing of the model
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_source: Option<ChosenBy>,
    /// Most turns, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_turns: Option<u32>,
    /// Most dollars, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub max_budget_usd: Option<f64>,
    /// Most tokens of all kinds, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    pub max_tokens: Option<u64>,
    /// Most minutes in which its agents run, all its sessions together
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_minutes: Option<u32>,
    /// A preset's name, or a JSON array of tool names as text
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 5000))]
    pub allowed_tools: Option<String>,
    /// The preset it runs under
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub mission_type: Option<String>,
    /// The mission it is made for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_mission_id: Option<MissionId>,
    /// Missions that must be done first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = LINKS_MAX))]
    pub depends_on: Option<Vec<MissionId>>,
    /// Start by itself once the dependencies are done
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_dispatch: Option<bool>,
    /// Five cron fields, to clone and run it again and again
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200))]
    pub schedule_cron: Option<String>,
    /// Whether the schedule is in force
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule_enabled: Option<bool>,
    /// Told by POST when the mission ends
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 2000))]
    pub callback_url: Option<String>,
    /// How much the sandbox of its agents matters; the project's, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxLevel>,
    /// What its agents reach of the network; the project's, when unset
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
    /// Most tries after the first
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 100))]
    pub max_retries: Option<u32>,
    /// Retry by itself after a failure that may pass
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_retry: Option<bool>,
}

/// Delete a mission that nobody works on
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteMission {
    /// The mission
    pub mission: MissionId,
}

/// List the missions made for a mission
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListChildren {
    /// The mission they were made for
    pub mission: MissionId,
}

/// List what happened to a mission, newest first
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMissionEvents {
    /// The mission
    pub mission: MissionId,
    /// Most events to return; 20 when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
}

fn implement() -> String {
    "implement".to_owned()
}

fn three() -> u32 {
    3
}

fn yes() -> bool {
    true
}
