//! Tasks: missions as a team speaks of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Handle, Mission, MissionId, TeamName, Uid};

use super::TaskStatus;
use crate::IsoTime;
use crate::limits::LINKS_MAX;

/// List the tasks of a team, newest first
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ListTeamTasks {
    /// The team
    pub team_name: TeamName,
    /// Most tasks to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// Give a task to an agent of the team
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct CreateTask {
    /// Who gives it: the caller's own uid
    pub from_uid: Uid,
    /// Who is to do it
    pub to_handle: Handle,
    /// The team of both
    pub team_name: TeamName,
    /// One line
    #[schemars(length(min = 3, max = 200))]
    pub subject: String,
    /// What to do, in full
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10000))]
    pub description: Option<String>,
    /// Tasks that must be resolved first
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = LINKS_MAX))]
    pub blocked_by: Vec<MissionId>,
}

/// Show a task
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct GetTask {
    /// The task
    pub task_id: MissionId,
}

/// Set the status of a task
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct UpdateTask {
    /// The task
    pub task_id: MissionId,
    /// Where it stands now
    pub status: TaskStatus,
}

/// A task
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// Its id
    pub id: MissionId,
    /// The team
    pub team_name: TeamName,
    /// One line
    pub subject: String,
    /// What to do, in full
    pub description: Option<String>,
    /// Who is to do it
    pub owner_handle: Option<Handle>,
    /// Who is to do it
    pub owner_uid: Option<Uid>,
    /// Who gave it
    pub created_by_handle: Handle,
    /// Who gave it
    pub created_by_uid: Uid,
    /// Where it stands
    pub status: TaskStatus,
    /// Tasks that must be resolved first
    pub blocked_by: Vec<MissionId>,
    /// When it was given
    pub created_at: IsoTime,
    /// When it last changed
    pub updated_at: IsoTime,
}

impl From<Mission> for TaskView {
    fn from(mission: Mission) -> Self {
        Self {
            status: TaskStatus::from(&mission.state),
            id: mission.id,
            subject: mission.title,
            description: Some(mission.prompt).filter(|prompt| !prompt.is_empty()),
            owner_uid: mission.assignee.as_ref().map(|handle| Uid::of(&mission.team, handle)),
            owner_handle: mission.assignee,
            created_by_uid: Uid::of(&mission.team, &mission.created_by),
            created_by_handle: mission.created_by,
            team_name: mission.team,
            blocked_by: mission.depends_on,
            created_at: IsoTime(mission.created_at),
            updated_at: IsoTime(mission.updated_at),
        }
    }
}
