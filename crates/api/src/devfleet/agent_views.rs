//! How DevFleet's tools show an agent its project and the work that it handed on.
//!
//! Lists are members of an object, since clients of MCP take no other structure.

use api_macros::output;
use types::{Mission, MissionId, Report, SessionId};

use super::report_views::{ReportRow, ReportVerdict, judged};
use super::words::{MissionStatus, SessionStatus};
use crate::{Listing, SqlTime};

/// A project as an agent at work on it sees it
#[output]
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
#[output]
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
#[output]
pub struct SessionHistory {
    /// The newest first, five at most
    pub reports: Vec<HistoryEntry>,
    /// How many are listed
    pub count: usize,
}

/// What a run of a mission reported
#[output]
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
#[output]
pub struct TeamContext {
    /// The other agents of your team on your project
    pub agents: Vec<TeamMate>,
    /// How many are listed
    pub count: usize,
}

/// Another agent at work
#[output]
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
#[output]
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
#[output]
pub struct RequestedReview {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// When it starts
    pub note: String,
}

/// Where the sub-missions of a mission stand
#[output]
pub struct SubMissions {
    /// The oldest first
    pub sub_missions: Vec<SubMissionStatus>,
    /// How many are listed
    pub count: usize,
}

/// Where a sub-mission stands
#[output]
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
#[output]
pub struct ProjectMissions {
    /// The most urgent first, twenty at most
    pub missions: Vec<ListedMission>,
    /// How many are listed
    pub count: usize,
}

/// A mission in a line, with how urgent it is
#[output]
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
        Self { id: mission.id, title: mission.title, status, kind: mission.kind.into() }
    }
}

impl From<Mission> for ListedMission {
    fn from(mission: Mission) -> Self {
        Self { priority: mission.priority, mission: mission.into() }
    }
}

impl From<Listing<ReportRow>> for SessionHistory {
    fn from(list: Listing<ReportRow>) -> Self {
        let entry = |row: ReportRow| HistoryEntry {
            created_at: row.created_at,
            what_done: row.texts.what_done,
            what_open: row.texts.what_open,
            next_steps: row.texts.next_steps,
            errors_encountered: row.texts.errors_encountered,
            verdict: row.verdict,
            reasons: row.reasons,
        };
        Self { count: list.items.len(), reports: list.items.into_iter().map(entry).collect() }
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
