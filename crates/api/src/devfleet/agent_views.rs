//! How DevFleet's tools show an agent its project and the work that it handed on.
//!
//! Lists are members of an object, since clients of MCP take no other structure.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Mission, MissionId, Report, SessionId};

use super::report_views::{ReportVerdict, judged};
use super::words::{MissionStatus, SessionStatus};
use crate::SqlTime;

/// A project as an agent at work on it sees it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectContext {
    /// What people call it
    pub project_name: String,
    /// Where it lives
    pub project_path: String,
    /// What it is
    pub description: String,
    /// How many missions it has
    pub total_missions: u64,
    /// The newest of them, ten at most
    pub recent_missions: Vec<BriefMission>,
}

/// A mission in a line
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefMission {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Where it stands
    pub status: MissionStatus,
    /// The preset it runs under
    #[serde(rename = "type")]
    pub kind: String,
}

/// What the last runs of a mission reported
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionHistory {
    /// The newest first, five at most
    pub reports: Vec<HistoryEntry>,
    /// How many are listed
    pub count: usize,
}

/// What a run of a mission reported
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryEntry {
    /// When
    pub created_at: SqlTime,
    /// What it did
    pub what_done: String,
    /// What is left to do
    pub what_open: String,
    /// What it would do next
    pub next_steps: String,
    /// What went wrong, and what a person must see to
    pub errors_encountered: String,
    /// Whether Fleet counts the work as done
    pub verdict: ReportVerdict,
    /// Why it does not
    pub reasons: Vec<String>,
}

/// Who else is at work
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamContext {
    /// The other agents of your team on your project
    pub agents: Vec<TeamMate>,
    /// How many are listed
    pub count: usize,
}

/// Another agent at work
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TeamMate {
    /// Its session
    pub session_id: SessionId,
    /// What its mission is called
    pub mission_title: Option<String>,
    /// What the project is called
    pub project_name: Option<String>,
    /// Where it stands
    pub status: SessionStatus,
    /// When it was started
    pub started_at: SqlTime,
}

/// A sub-mission that was stated
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreatedSubMission {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Where it stands
    pub status: MissionStatus,
    /// When it starts, and what to do next
    pub note: String,
}

/// A review that was asked for
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RequestedReview {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// When it starts
    pub note: String,
}

/// Where the sub-missions of a mission stand
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubMissions {
    /// The oldest first
    pub sub_missions: Vec<SubMissionStatus>,
    /// How many are listed
    pub count: usize,
}

/// Where a sub-mission stands
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubMissionStatus {
    /// Its id, its title, its status and its kind
    #[serde(flatten)]
    pub mission: BriefMission,
    /// Why it stands there: what it waits for, who works on it, what it failed of
    pub why: String,
    /// Whether Fleet counts its last run as done; read_past_reports has its words
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<ReportVerdict>,
    /// Why it does not
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
    /// Where its branch is on its way to the target branch: queued, review, waiting, cleared, returned, stuck, landed
    /// or dropped
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing: Option<String>,
}

/// Missions of a project
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectMissions {
    /// The most urgent first, twenty at most
    pub missions: Vec<ListedMission>,
    /// How many are listed
    pub count: usize,
}

/// A mission in a line, with how urgent it is
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedMission {
    /// Its id, its title, its status and its kind
    #[serde(flatten)]
    pub mission: BriefMission,
    /// Higher runs earlier
    pub priority: i32,
}

impl From<Mission> for BriefMission {
    fn from(mission: Mission) -> Self {
        let status = MissionStatus::from(&mission.state);
        Self { id: mission.id, title: mission.title, status, kind: mission.kind }
    }
}

impl From<Mission> for ListedMission {
    fn from(mission: Mission) -> Self {
        Self { priority: mission.priority, mission: mission.into() }
    }
}

impl From<Report> for HistoryEntry {
    fn from(report: Report) -> Self {
        let (verdict, reasons) = judged(report.verdict.as_ref());
        let said = report.said.map(|told| told.said).unwrap_or_default();
        Self {
            created_at: SqlTime(report.created_at),
            what_done: said.what_done,
            what_open: said.what_open,
            next_steps: said.next_steps,
            errors_encountered: said.errors_encountered,
            verdict,
            reasons,
        }
    }
}

impl SubMissionStatus {
    /// Shows a sub-mission with why it stands where it does.
    #[must_use]
    pub fn of(mission: Mission, why: String) -> Self {
        Self { mission: mission.into(), why, verdict: None, reasons: Vec::new(), landing: None }
    }

    /// Adds what its last run came to.
    #[must_use]
    pub fn with_report(self, report: &Report) -> Self {
        let (verdict, reasons) = judged(report.verdict.as_ref());
        Self { verdict: Some(verdict), reasons, ..self }
    }
}
