//! Operations on missions under `/api/missions`.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{ChosenBy, MissionId, ProjectId};

use super::{Land, MissionStatus, SandboxEdit};
use crate::fleet::MissionStanding;
use crate::limits::{LINKS_MAX, TAGS_MAX};
use crate::{AgentName, Page};

/// List missions
#[input(Default)]
pub struct ListMissions {
    /// Only missions of this project
    pub project_id: Option<ProjectId>,
    /// Only missions with this status
    pub status: Option<MissionStatus>,
    /// Only missions with this tag
    #[schemars(length(min = 1, max = 100))]
    pub tag: Option<String>,
    /// Only missions made for this one
    pub parent_mission_id: Option<MissionId>,
    /// The order of the list
    #[serde(default)]
    pub order: MissionOrder,
    /// Show what went wrong in the newest session of each mission
    #[serde(default)]
    pub errors: bool,
    #[group]
    pub page: Page,
}

/// The order of a list of missions
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissionOrder {
    /// By priority, then newest first
    #[default]
    Priority,
    /// By number within the project, which must be named
    Number,
}

/// Create a mission
#[input(update(UpdateMission, "Change the given fields of a mission", mission: MissionId, "The mission"))]
pub struct CreateMission {
    /// The project it works on
    #[create]
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
    /// Where it stands; `running` comes from a dispatch alone
    #[update]
    pub status: Option<MissionStatus>,
    /// Higher runs earlier
    #[serde(default)]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: i32,
    /// Words to find it by
    #[schemars(length(max = TAGS_MAX), inner(length(min = 1, max = 100)))]
    pub tags: Vec<String>,
    /// What becomes of its branch; the project's own rule, when unset
    pub land: Option<Land>,
    #[group]
    pub agent: AgentName,
    /// The model; the project's, when unset or empty, else the settings'
    #[schemars(length(max = 100))]
    pub model: Option<String>,
    /// As a row shows it; unless it is `mission`, a row that is sent back says nothing of the agent
    #[update]
    pub agent_source: Option<ChosenBy>,
    /// As a row shows it; unless it is `mission`, a row that is sent back says nothing of the model
    #[update]
    pub model_source: Option<ChosenBy>,
    /// Most turns, all its sessions together
    #[schemars(range(min = 1, max = 100_000))]
    pub max_turns: Option<u32>,
    /// Most dollars, all its sessions together
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub max_budget_usd: Option<f64>,
    /// Most tokens of all kinds, all its sessions together
    #[schemars(range(min = 1, max = 1_000_000_000_000_000_u64))]
    pub max_tokens: Option<u64>,
    /// Most minutes in which its agents run, all its sessions together
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_minutes: Option<u32>,
    /// A preset's name, or a JSON array of tool names as text
    #[schemars(length(max = 5000))]
    pub allowed_tools: Option<String>,
    /// The preset it runs under: implement, review, test, explore, fix, full or a custom one
    #[serde(default = "implement")]
    #[schemars(length(min = 1, max = 100))]
    pub mission_type: String,
    /// The mission it is made for
    pub parent_mission_id: Option<MissionId>,
    /// Missions that must be done first
    #[schemars(length(max = LINKS_MAX))]
    pub depends_on: Vec<MissionId>,
    /// Start by itself once the dependencies are done
    #[serde(default)]
    pub auto_dispatch: bool,
    /// Five cron fields, to clone and run it again and again
    #[schemars(length(max = 200))]
    pub schedule_cron: Option<String>,
    /// Whether the schedule is in force
    #[update]
    pub schedule_enabled: Option<bool>,
    /// Told by POST when the mission ends
    #[schemars(length(max = 2000))]
    pub callback_url: Option<String>,
    #[group]
    pub sandbox: SandboxEdit,
    /// Most tries after the first
    #[serde(default = "three")]
    #[schemars(range(min = 0, max = 100))]
    pub max_retries: u32,
    /// Retry by itself after a failure that may pass
    #[serde(default = "yes")]
    pub auto_retry: bool,
}

/// Show a mission with its sessions, latest report and children
#[input]
pub struct GetMission {
    /// The mission
    pub mission: MissionId,
}

/// Say in one sentence why a mission does not run
#[input]
pub struct ExplainMission {
    /// The mission
    pub mission: MissionId,
}

/// Why a mission does not run, or that it does
#[output]
pub struct Explained {
    /// The mission
    pub mission: MissionId,
    /// Where it stands, in this contract's words
    pub status: MissionStatus,
    /// Where it stands, in Fleet's own words
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<MissionStanding>,
    /// What it waits for, in a few words; unset if it waits for nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// One sentence
    pub why: String,
}

/// Delete a mission that nobody works on
#[input]
pub struct DeleteMission {
    /// The mission
    pub mission: MissionId,
}

/// List the missions made for a mission
#[input]
pub struct ListChildren {
    /// The mission they were made for
    pub mission: MissionId,
}

/// List what happened to a mission, newest first
#[input]
pub struct ListMissionEvents {
    /// The mission
    pub mission: MissionId,
    /// Most events to return; 20 when unset
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
