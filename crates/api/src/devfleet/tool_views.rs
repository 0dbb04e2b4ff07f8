//! What DevFleet's tools for orchestrators take and answer where it differs from REST: real arrays and booleans.

use api_macros::{input, output};
use types::{MissionId, ProjectId, SessionId};

use super::projects::{CreateProject, Directory, active};
use super::session_views::SessionRow;
use super::views::{MissionDetail, MissionRow, ProjectCard, ProjectRow};
use super::{MissionStatus, SessionStatus};
use crate::{Listing, SqlTime};

/// Characters of an agent's standard error that are shown.
const STDERR_CHARS_MAX: usize = 2_000;

/// Add a project; its directory is created if it does not exist
#[input]
pub struct CreateProjectTool {
    /// Its name
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Its directory; a folder of that name in the projects folder when unset
    #[schemars(length(min = 1, max = 4096))]
    pub path: Option<String>,
    /// What it is
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 10000))]
    pub description: String,
}

/// A project, in brief
#[output]
pub struct ProjectSummary {
    /// Its id
    pub id: ProjectId,
    /// Its name
    pub name: String,
    /// Where it lives
    pub path: String,
    /// What it is
    pub description: String,
    /// When it was added
    pub created_at: SqlTime,
}

/// The projects of the fleet
#[output]
pub struct ProjectSummaries {
    /// The newest first
    pub projects: Vec<ProjectSummary>,
    /// How many are listed
    pub count: usize,
}

/// A project that was added
#[output]
pub struct CreatedProject {
    /// Its id
    pub id: ProjectId,
    /// Its name
    pub name: String,
    /// Where it lives
    pub path: String,
    /// What it is
    pub description: String,
}

/// A mission that was stated
#[output]
pub struct CreatedMission {
    /// Its id
    pub id: MissionId,
    /// Its number within the project
    pub mission_number: Option<u64>,
    /// One line
    pub title: String,
    /// The project it works on
    pub project_id: Option<ProjectId>,
    /// Whether it starts by itself
    pub auto_dispatch: bool,
    /// Missions that must be done first
    pub depends_on: Vec<MissionId>,
}

/// A mission, in brief
#[output]
pub struct MissionSummary {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Its status
    pub status: MissionStatus,
    /// Its number within the project
    pub mission_number: Option<u64>,
    /// Missions that must be done first
    pub depends_on: Vec<MissionId>,
    /// Whether it starts by itself
    pub auto_dispatch: bool,
    /// Higher runs earlier
    pub priority: i32,
    /// When it was stated
    pub created_at: SqlTime,
    /// Its newest run, if something went wrong in it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Of what kind that was
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_error_type: Option<String>,
    /// What went wrong
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_last_error: Option<String>,
}

/// The missions of a project
#[output]
pub struct MissionSummaries {
    /// By number
    pub missions: Vec<MissionSummary>,
    /// How many are listed
    pub count: usize,
}

/// The status of a mission
#[output]
pub struct MissionStatusReport {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Its status
    pub status: MissionStatus,
    /// Its number within the project
    pub mission_number: Option<u64>,
    /// Missions that must be done first
    pub depends_on: Vec<MissionId>,
    /// Whether it starts by itself
    pub auto_dispatch: bool,
    /// Its newest run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionSummary>,
}

/// A run of a mission, in brief
#[output]
pub struct SessionSummary {
    /// Its id
    pub id: SessionId,
    /// Its status
    pub status: SessionStatus,
    /// When it was started
    pub started_at: SqlTime,
    /// When it ended
    pub ended_at: Option<SqlTime>,
    /// What it has cost
    pub total_cost_usd: f64,
    /// Tokens it has taken
    pub total_tokens: u64,
    /// Of what kind the last trouble was
    pub error_type: String,
    /// What went wrong last
    pub last_error: String,
    /// Processes after the first
    pub retry_count: u32,
    /// The end of what it wrote to its standard error, if it failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
}

impl SessionSummary {
    /// Shows a session in brief.
    #[must_use]
    pub fn of(row: SessionRow, stderr: Option<String>) -> Self {
        let tail = |text: String| {
            let skip = text.chars().count().saturating_sub(STDERR_CHARS_MAX);
            text.chars().skip(skip).collect::<String>()
        };
        Self {
            id: row.id,
            status: row.status,
            started_at: row.started_at,
            ended_at: row.ended_at,
            total_cost_usd: row.total_cost_usd,
            total_tokens: row.total_tokens,
            error_type: row.error_type,
            last_error: row.last_error,
            retry_count: row.retry_count,
            stderr_tail: stderr.map(tail).filter(|text| !text.is_empty()),
        }
    }
}

impl From<CreateProjectTool> for CreateProject {
    fn from(tool: CreateProjectTool) -> Self {
        let CreateProjectTool { name, description, path } = tool;
        let directory = path.map_or(Directory::Default, Directory::Create);
        Self { name, description, directory, state: active(), ..Self::default() }
    }
}

impl From<Listing<ProjectCard>> for ProjectSummaries {
    fn from(list: Listing<ProjectCard>) -> Self {
        let summary = |ProjectCard { project, .. }| {
            let ProjectRow { id, name, path, description, created_at, .. } = project;
            ProjectSummary { id, name, path, description, created_at }
        };
        Self { count: list.items.len(), projects: list.items.into_iter().map(summary).collect() }
    }
}

impl From<ProjectRow> for CreatedProject {
    fn from(row: ProjectRow) -> Self {
        Self { id: row.id, name: row.name, path: row.path, description: row.description }
    }
}

impl From<MissionRow> for CreatedMission {
    fn from(row: MissionRow) -> Self {
        Self {
            id: row.id,
            mission_number: row.mission_number,
            title: row.title,
            project_id: row.project_id,
            auto_dispatch: row.auto_dispatch.0,
            depends_on: row.depends_on.0,
        }
    }
}

impl From<Listing<MissionRow>> for MissionSummaries {
    fn from(list: Listing<MissionRow>) -> Self {
        let summary = |row: MissionRow| MissionSummary {
            id: row.id,
            title: row.title,
            status: row.status,
            mission_number: row.mission_number,
            depends_on: row.depends_on.0,
            auto_dispatch: row.auto_dispatch.0,
            priority: row.priority,
            created_at: row.created_at,
            session_id: row.session_id,
            session_error_type: row.session_error_type,
            session_last_error: row.session_last_error,
        };
        Self { count: list.items.len(), missions: list.items.into_iter().map(summary).collect() }
    }
}

impl From<MissionDetail> for MissionStatusReport {
    fn from(detail: MissionDetail) -> Self {
        let MissionDetail { mission, sessions, stderr, .. } = detail;
        Self {
            id: mission.id,
            title: mission.title,
            status: mission.status,
            mission_number: mission.mission_number,
            depends_on: mission.depends_on.0,
            auto_dispatch: mission.auto_dispatch.0,
            session: sessions.into_iter().next().map(|row| SessionSummary::of(row, stderr)),
        }
    }
}
