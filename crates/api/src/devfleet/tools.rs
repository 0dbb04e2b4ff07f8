//! DevFleet's external MCP tools, in their own shapes: real arrays and booleans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Mission, MissionId, Project, ProjectId, SessionId, Start};

use super::session_views::SessionRow;
use super::{MissionStatus, SessionStatus};
use crate::SqlTime;
use crate::limits::LINKS_MAX;

/// Characters of an agent's standard error that are shown.
const STDERR_CHARS_MAX: usize = 2_000;

/// List the projects of the fleet
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListProjectsTool {}

/// Add a project; its directory is made if it is missing
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateProjectTool {
    /// What to call it
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// Its directory; a folder of that name in the projects folder when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 4096))]
    pub path: Option<String>,
    /// What it is
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 10000))]
    pub description: String,
}

/// State a mission in a project
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateMissionTool {
    /// The project it works on
    pub project_id: ProjectId,
    /// One line
    #[schemars(length(min = 1, max = 300))]
    pub title: String,
    /// What to do, in full
    #[schemars(length(min = 1, max = 100000))]
    pub prompt: String,
    /// How to tell that it is done
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 20000))]
    pub acceptance_criteria: String,
    /// Missions that must be done first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = LINKS_MAX))]
    pub depends_on: Vec<MissionId>,
    /// Start by itself once the dependencies are done
    #[serde(default)]
    pub auto_dispatch: bool,
    /// Higher runs earlier
    #[serde(default)]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: i32,
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
    /// The model to use; the configuration's, when unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
}

/// List the missions of a project by number
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListMissionsTool {
    /// The project
    pub project_id: ProjectId,
    /// Only missions with this status
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<MissionStatus>,
}

/// Show where a mission stands
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetMissionStatusTool {
    /// The mission
    pub mission_id: MissionId,
}

/// A project, in brief
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectSummary {
    /// Its id
    pub id: ProjectId,
    /// What people call it
    pub name: String,
    /// Where it lives
    pub path: String,
    /// What it is
    pub description: String,
    /// When it was added
    pub created_at: SqlTime,
}

/// The projects of the fleet
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectSummaries {
    /// The newest first
    pub projects: Vec<ProjectSummary>,
    /// How many are listed
    pub count: usize,
}

/// A project that was added
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreatedProject {
    /// Its id
    pub id: ProjectId,
    /// What people call it
    pub name: String,
    /// Where it lives
    pub path: String,
    /// What it is
    pub description: String,
}

/// A mission that was stated
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissionSummary {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Where it stands
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissionSummaries {
    /// By number
    pub missions: Vec<MissionSummary>,
    /// How many are listed
    pub count: usize,
}

/// Where a mission stands
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MissionStatusReport {
    /// Its id
    pub id: MissionId,
    /// One line
    pub title: String,
    /// Where it stands
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionSummary {
    /// Its id
    pub id: SessionId,
    /// Where it stands
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

impl From<Project> for ProjectSummary {
    fn from(project: Project) -> Self {
        Self {
            id: project.id,
            name: project.name,
            path: project.path,
            description: project.description,
            created_at: SqlTime(project.created_at),
        }
    }
}

impl From<Project> for CreatedProject {
    fn from(project: Project) -> Self {
        Self { id: project.id, name: project.name, path: project.path, description: project.description }
    }
}

impl From<Mission> for CreatedMission {
    fn from(mission: Mission) -> Self {
        Self {
            id: mission.id,
            mission_number: mission.number,
            title: mission.title,
            project_id: mission.project,
            auto_dispatch: mission.start == Start::WhenReady,
            depends_on: mission.depends_on,
        }
    }
}

impl From<Mission> for MissionSummary {
    fn from(mission: Mission) -> Self {
        Self {
            status: MissionStatus::from(&mission.state),
            id: mission.id,
            title: mission.title,
            mission_number: mission.number,
            depends_on: mission.depends_on,
            auto_dispatch: mission.start == Start::WhenReady,
            priority: mission.priority,
            created_at: SqlTime(mission.created_at),
            session_id: None,
            session_error_type: None,
            session_last_error: None,
        }
    }
}

impl MissionSummary {
    /// Adds what went wrong in the newest run of the mission, if something did.
    #[must_use]
    pub fn with_run(self, row: SessionRow) -> Self {
        if row.error_type.is_empty() {
            return self;
        }
        Self {
            session_id: Some(row.id),
            session_error_type: Some(row.error_type),
            session_last_error: Some(row.last_error),
            ..self
        }
    }
}

impl From<Mission> for MissionStatusReport {
    fn from(mission: Mission) -> Self {
        Self {
            status: MissionStatus::from(&mission.state),
            id: mission.id,
            title: mission.title,
            mission_number: mission.number,
            depends_on: mission.depends_on,
            auto_dispatch: mission.start == Start::WhenReady,
            session: None,
        }
    }
}
