//! DevFleet's MCP tools that start, stop and await agents, and its dashboard.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{MissionId, SessionId};

use super::report_views::RecentReport;
use super::reports::ToolReport;
use super::tools::MissionStatusReport;
use super::words::{MissionStatus, SessionStatus};
use crate::SqlTime;

/// Start an agent on a mission
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DispatchMissionTool {
    /// The mission
    pub mission_id: MissionId,
    /// The model, in place of the mission's
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// Most turns of the agent
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub max_turns: Option<u32>,
    /// The agent; the mission's, the project's or the settings', when unset
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
}

/// A mission that was given to an agent
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DispatchedTool {
    /// The session; none while the mission waits for a place
    pub session_id: Option<SessionId>,
    /// The mission
    pub mission_id: MissionId,
    /// `dispatched`, or `queued` when all places are taken: then it starts by itself as soon as one is free
    pub status: String,
    /// The model
    pub model: String,
    /// What to do next
    pub hint: String,
}

/// End the session that works on a mission
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelMissionTool {
    /// The mission
    pub mission_id: MissionId,
}

/// Wait until nobody works on a mission any more
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForMissionTool {
    /// The mission
    pub mission_id: MissionId,
    /// How long to wait
    #[serde(default = "ten_minutes")]
    #[schemars(range(min = 1, max = 1800))]
    pub timeout_seconds: u32,
}

fn ten_minutes() -> u32 {
    600
}

/// Where a mission stands once nobody works on it, or that it took too long
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AwaitedMission {
    /// Whether the time was up before the mission came to rest
    pub timed_out: bool,
    /// The mission as it is now
    #[serde(flatten)]
    pub mission: MissionStatusReport,
    /// What its last run reported
    pub report: Option<ToolReport>,
}

/// Show what the fleet is doing
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetDashboardTool {}

/// What the fleet is doing, in brief
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Dashboard {
    /// How many projects there are
    pub projects: u64,
    /// Missions by status
    pub missions: BTreeMap<String, u64>,
    /// Agents at work
    pub running_agents: Vec<RunningAgent>,
    /// Used and all, such as `2/5`
    pub agent_slots: String,
    /// What ended last
    pub recent_activity: Vec<RecentActivity>,
}

/// An agent at work
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningAgent {
    /// The session
    pub id: SessionId,
    /// The mission
    pub mission_id: Option<MissionId>,
    /// What the mission is called
    pub title: Option<String>,
}

/// A session that ended
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecentActivity {
    /// The session
    pub id: SessionId,
    /// What its mission is called
    pub title: Option<String>,
    /// How it ended
    pub status: SessionStatus,
    /// When
    pub ended_at: Option<SqlTime>,
    /// What it has cost
    pub total_cost_usd: f64,
}

/// Show the numbers of the dashboard
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetDashboardStats {}

/// The numbers of the dashboard
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DashboardStats {
    /// How many projects there are
    pub total_projects: u64,
    /// Missions by status
    pub missions_by_status: BTreeMap<String, u64>,
    /// Agents at work
    pub running_agents: u32,
    /// How many may be
    pub max_agents: u32,
    /// The newest reports
    pub recent_reports: Vec<RecentReport>,
    /// The newest sessions
    pub recent_sessions: Vec<RecentSession>,
}

/// A session in the dashboard
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecentSession {
    /// Its id
    pub id: SessionId,
    /// Where it stands
    pub status: SessionStatus,
    /// When it was started
    pub started_at: SqlTime,
    /// When it ended
    pub ended_at: Option<SqlTime>,
    /// What its mission is called
    pub mission_title: Option<String>,
    /// What the project is called
    pub project_name: Option<String>,
}

impl MissionStatus {
    /// Counts by status, each under its word.
    #[must_use]
    pub fn counted(count: impl Fn(types::StateName) -> u64) -> BTreeMap<String, u64> {
        let sum = |status: Self| status.states().map(&count).sum();
        Self::ALL.into_iter().map(|status| (status.as_str().to_owned(), sum(status))).collect()
    }
}
