//! Operations on projects under `/api/projects`.

use api_macros::{input, output};
use types::ProjectId;

use super::budgets::BudgetEdit;
use super::landing_edit::LandingEdit;
use super::sandbox::SandboxEdit;
use crate::{AgentName, Page};

/// List projects, newest first, with counts of their missions
#[input(Default)]
pub struct ListProjects {
    #[group]
    pub page: Page,
}

/// Add a project: a directory that missions work on
#[input(Default, update(UpdateProject, "Change the given fields of a project", project: ProjectId, "The project"))]
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
    #[group]
    pub agent: AgentName,
    /// The model of that agent; the settings', when unset or empty
    #[schemars(length(max = 100))]
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
    #[group]
    pub landing: LandingEdit,
    #[group]
    pub sandbox: SandboxEdit,
    #[group]
    pub budget: BudgetEdit,
    /// How its directory is chosen; over REST it is `path`, which must exist
    #[create]
    #[serde(skip)]
    pub directory: Directory,
}

/// How the directory of a new project is chosen
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Directory {
    /// It is `path` and exists.
    #[default]
    Existing,
    /// It is this path; the owner may have it created.
    Create(String),
    /// It is a folder of the project's name in the projects folder, created if it does not exist.
    Default,
}

/// Show a project with its missions
#[input]
pub struct GetProject {
    /// The project
    pub project: ProjectId,
}

/// Delete a project and all of its missions
#[input]
pub struct DeleteProject {
    /// The project
    pub project: ProjectId,
}

/// Trust the repository of a project
///
/// Fleet's git then runs the filters, drivers and helpers that the repository's own settings name.
#[input]
pub struct TrustProject {
    /// The project
    pub project: ProjectId,
}

/// Stop trusting the repository of a project
#[input]
pub struct UntrustProject {
    /// The project
    pub project: ProjectId,
}

/// Whether the repository of a project is trusted
#[output]
pub struct ProjectTrust {
    /// The project
    pub id: ProjectId,
    /// Its repository, as the setting `trusted_repositories` names it
    pub repository: String,
    /// Whether Fleet's git runs programs that its settings name
    pub trusted: bool,
}

pub(super) fn active() -> String {
    "active".to_owned()
}
