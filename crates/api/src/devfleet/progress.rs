//! Missions that are cancelled and waited for, and the dashboard.

use api_macros::{input, output};
use std::collections::BTreeMap;

use types::{MissionId, SessionId};

use super::report_views::RecentReport;
use super::reports::ToolReport;
use super::session_views::SessionRow;
use super::sessions::{DispatchMission, Dispatched};
use super::tool_views::MissionStatusReport;
use super::words::{MissionStatus, SessionStatus};
use crate::SqlTime;
use crate::fleet::SessionStanding;

/// A mission that was given to an agent
#[output]
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
#[input]
pub struct CancelMission {
    /// The mission
    pub mission: MissionId,
}

/// Wait until no agent works on a mission any more
#[input]
pub struct WaitForMission {
    /// The mission
    pub mission: MissionId,
    /// Most seconds to wait
    #[serde(default = "ten_minutes")]
    #[schemars(range(min = 1, max = 1800))]
    pub timeout_seconds: u32,
}

fn ten_minutes() -> u32 {
    600
}

/// The status of a mission once it has no holder, or that it took too long
#[output]
pub struct AwaitedMission {
    /// Whether the time was up before the mission came to rest
    pub timed_out: bool,
    /// The mission as it is now
    #[serde(flatten)]
    pub mission: MissionStatusReport,
    /// What its last run reported
    pub report: Option<ToolReport>,
}

/// What the fleet is doing, in brief
#[output]
pub struct Dashboard {
    /// How many projects there are
    pub projects: u64,
    /// Missions by status
    pub missions: BTreeMap<String, u64>,
    /// Agents at work
    pub running_agents: Vec<RunningAgent>,
    /// Used and all, such as `2/5`
    pub agent_slots: String,
    /// How many things wait for a person; `inbox` lists them
    pub waiting_for_person: u64,
    /// What ended last
    pub recent_activity: Vec<RecentActivity>,
}

/// An agent at work
#[output]
pub struct RunningAgent {
    /// The session
    pub id: SessionId,
    /// The mission
    pub mission_id: Option<MissionId>,
    /// What the mission is called
    pub title: Option<String>,
    /// Its state
    pub state: SessionStanding,
    /// What it waits for, in a few words; unset if it waits for nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
}

/// A session that ended
#[output]
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

/// Show the dashboard counts
#[input(Default)]
pub struct GetDashboardStats {}

/// The numbers of the dashboard
#[output]
pub struct DashboardStats {
    /// How many projects there are
    pub total_projects: u64,
    /// Missions by status
    pub missions_by_status: BTreeMap<String, u64>,
    /// Agents at work
    pub running_agents: u32,
    /// How many may be
    pub max_agents: u32,
    /// How many things wait for a person; `fleet inbox` lists them
    pub waiting_for_person: u64,
    /// The sessions of the agents at work
    pub running: Vec<RunningAgent>,
    /// The newest reports
    pub recent_reports: Vec<RecentReport>,
    /// The newest sessions
    pub recent_sessions: Vec<RecentSession>,
}

/// A session in the dashboard
#[output]
pub struct RecentSession {
    /// Its id
    pub id: SessionId,
    /// Its status in this contract's words
    pub status: SessionStatus,
    /// Its state, in Fleet's own words
    pub state: SessionStanding,
    /// When it was started
    pub started_at: SqlTime,
    /// When it ended
    pub ended_at: Option<SqlTime>,
    /// What its mission is called
    pub mission_title: Option<String>,
    /// What the project is called
    pub project_name: Option<String>,
    /// What it has cost, as far as that is known
    pub total_cost_usd: f64,
    /// Set if what it has cost is unknown
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
}

impl From<DashboardStats> for Dashboard {
    fn from(stats: DashboardStats) -> Self {
        let activity = |session: RecentSession| RecentActivity {
            id: session.id,
            title: session.mission_title,
            status: session.status,
            ended_at: session.ended_at,
            total_cost_usd: session.total_cost_usd,
        };
        let ended = stats.recent_sessions.into_iter().filter(|session| session.ended_at.is_some());
        Self {
            projects: stats.total_projects,
            missions: stats.missions_by_status,
            waiting_for_person: stats.waiting_for_person,
            agent_slots: format!("{}/{}", stats.running_agents, stats.max_agents),
            running_agents: stats.running,
            recent_activity: ended.map(activity).collect(),
        }
    }
}

impl From<SessionRow> for RunningAgent {
    fn from(row: SessionRow) -> Self {
        let SessionRow { id, mission_id, mission_title: title, state, waits_for, .. } = row;
        Self { id, mission_id, title, state, waits_for }
    }
}

impl From<SessionRow> for RecentSession {
    fn from(row: SessionRow) -> Self {
        Self {
            id: row.id,
            status: row.status,
            state: row.state,
            started_at: row.started_at,
            ended_at: row.ended_at,
            mission_title: row.mission_title,
            project_name: row.project_name,
            total_cost_usd: row.total_cost_usd,
            cost_unknown: row.cost_unknown,
        }
    }
}

impl From<(DispatchMission, Dispatched)> for DispatchedTool {
    fn from((asked, started): (DispatchMission, Dispatched)) -> Self {
        Self {
            hint: "Use wait_for_mission to wait until it ends, or get_mission_status to look.".to_owned(),
            mission_id: asked.mission,
            status: match started.session_id {
                Some(_) => "dispatched".to_owned(),
                None => started.status.as_str().to_owned(),
            },
            session_id: started.session_id,
            model: started.model,
        }
    }
}

impl MissionStatus {
    /// Counts by status, each under its word.
    #[must_use]
    pub fn counted(count: impl Fn(types::StateName) -> u64) -> BTreeMap<String, u64> {
        let sum = |status: Self| status.states().map(&count).sum();
        Self::ALL.into_iter().map(|status| (status.as_str().to_owned(), sum(status))).collect()
    }
}
