//! What the server offers: models, presets, and what is running.

use api_macros::{input, output};
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// List the models a mission can name
#[input(Default)]
pub struct ListModels {}

/// List the tool presets with their tools
#[input(Default)]
pub struct ListToolPresets {}

/// List the kinds of mission that have a preset
#[input(Default)]
pub struct ListMissionTypes {}

/// Show how agents are run
#[input(Default)]
pub struct GetEngine {}

/// Show how many agents run and which loops are active
#[input(Default)]
pub struct GetSystemStatus {}

/// Show which optional features are switched on
#[input(Default)]
pub struct GetFeatures {}

/// Tools by preset name.
pub type ToolPresets = BTreeMap<String, Vec<String>>;

/// The way agents are run
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Each agent is its CLI's own process
    Cli,
}

/// How agents are run
#[output]
pub struct EngineInfo {
    /// The way agents are run
    pub engine: Engine,
    /// Whether agents can run through an SDK instead
    pub sdk_available: bool,
}

/// A background loop
#[output]
pub struct Loop {
    /// Whether it runs
    pub active: bool,
    /// Seconds between its safety polls, where it has one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u32>,
    /// Seconds between its safety checks, where it has one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub check_interval: Option<u32>,
}

/// What is running
#[output]
pub struct SystemStatus {
    /// Missions in progress
    pub running_agents: u64,
    /// Most agents at once
    pub max_agents: u32,
    /// The way agents are run
    pub engine: Engine,
    /// The loop that starts missions
    pub mission_watcher: Loop,
    /// The loop that clones scheduled missions
    pub scheduler: Loop,
    /// The same as `mission_watcher.active`, where the page looks for it
    pub watcher_active: bool,
    /// The same as `scheduler.active`, where the page looks for it
    pub scheduler_active: bool,
    /// Missions with a schedule in force
    pub scheduled_missions: u64,
}

/// Optional features
#[output]
pub struct Features {
    /// Whether a session can be taken over from another device
    pub remote_control: bool,
}
