//! DevFleet's tools for an agent at work: what it sees of its project, and the work that it hands on.
//!
//! The token identifies the agent. A caller that Fleet did not start names its mission.

use api_macros::input;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{MissionId, MissionKind};

use super::words::MissionStatus;

/// Show your project and its newest missions
#[input(Default)]
pub struct GetProjectContext {
    /// The mission; your own, when unset
    pub mission_id: Option<MissionId>,
}

/// Show who else of your team works on your project
#[input(Default)]
pub struct GetTeamContext {
    /// The mission; your own, when unset
    pub mission_id: Option<MissionId>,
}

/// Hand part of your work to another agent; it starts by itself
///
/// What is stated twice in the same words is made once, so a call whose answer was lost can be repeated.
#[input]
pub struct CreateSubMission {
    /// One line
    #[schemars(length(min = 1, max = 300))]
    pub title: String,
    /// What to do, in full: the other agent knows nothing of yours
    #[schemars(length(min = 1, max = 100_000))]
    pub detailed_prompt: String,
    /// How to tell that it is done
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 20_000))]
    pub acceptance_criteria: String,
    /// What kind of work it is, which says with which tools; never more than you have yourself
    #[serde(default)]
    pub mission_type: SubMissionType,
    /// Higher runs earlier
    #[serde(default = "two")]
    #[schemars(range(min = -1000, max = 1000))]
    pub priority: i32,
    /// Start it only when your own mission is done
    #[serde(default)]
    pub wait_for_me: bool,
    /// Your mission, for those whom Fleet did not start on it
    pub mission_id: Option<MissionId>,
}

fn two() -> i32 {
    2
}

/// What kind of work a sub-mission is
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SubMissionType {
    /// Make or change something
    #[default]
    Implement,
    /// Read and judge
    Review,
    /// Run tests and write them
    Test,
    /// Mend something
    Fix,
    /// Read and find out
    Explore,
}

impl From<SubMissionType> for MissionKind {
    fn from(kind: SubMissionType) -> Self {
        match kind {
            SubMissionType::Implement => Self::Implement,
            SubMissionType::Review => Self::Review,
            SubMissionType::Test => Self::Test,
            SubMissionType::Fix => Self::Fix,
            SubMissionType::Explore => Self::Explore,
        }
    }
}

/// Have your work reviewed by another agent once your mission is done
///
/// What is asked for twice in the same words is made once, so a call whose answer was lost can be repeated.
#[input]
pub struct RequestReview {
    /// What to look at, and for what
    #[schemars(length(min = 1, max = 50_000))]
    pub description: String,
    /// The files, one path a line
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 40_000))]
    pub files_to_review: String,
    /// Your mission, for those whom Fleet did not start on it
    pub mission_id: Option<MissionId>,
}

/// Show where the missions stand that you handed on
///
/// Does not wait. While you ask, one of them may run in a full fleet, too: it has your place on top of you.
#[input(Default)]
pub struct GetSubMissionStatus {
    /// The mission; your own, when unset
    pub mission_id: Option<MissionId>,
}

/// List the missions of your project, the most urgent first
#[input(Default)]
pub struct ListProjectMissions {
    /// Only missions with this status
    pub status: Option<MissionStatus>,
    /// The mission; your own, when unset
    pub mission_id: Option<MissionId>,
}
