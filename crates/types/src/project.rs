//! A project: a directory or repository with its settings.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Allotment, LandingRules, ProjectId, SandboxRules, TeamName};

/// A directory that missions work on, with what people noted about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Project {
    /// Its id.
    pub id: ProjectId,
    /// The team that sees it.
    pub team: TeamName,
    /// What people call it.
    pub name: String,
    /// Where it lives on this machine.
    pub path: String,
    /// What it is.
    pub description: String,
    /// Added to the system prompt of every agent that works on it.
    pub system_prompt: String,
    /// The agent that works on missions that name none; none leaves it to the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model of that agent for missions that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Notes that people keep with it; Fleet stores them and acts on none.
    pub notes: ProjectNotes,
    /// How the branches of its missions land.
    #[serde(default, skip_serializing_if = "LandingRules::is_default")]
    pub landing: LandingRules,
    /// What is said about the sandbox of its agents.
    #[serde(default, skip_serializing_if = "SandboxRules::is_default")]
    pub sandbox: SandboxRules,
    /// What its missions may spend.
    #[serde(default, skip_serializing_if = "Allotment::is_open")]
    pub budget: Allotment,
    /// Set while its missions are being deleted, so that no new one slips in.
    pub deleting: bool,
    /// When it was added.
    pub created_at: Timestamp,
}

/// What people note about a project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectNotes {
    /// Active, on hold, completed or archived, as people say it.
    pub state: String,
    /// Who owns it.
    pub owner: String,
    /// When it begins.
    pub start_date: String,
    /// When it should end.
    pub target_end_date: String,
    /// The team above it.
    pub parent_team: String,
    /// A chat channel's id.
    pub teams_channel_id: String,
    /// A chat channel's name.
    pub teams_channel_name: String,
}
