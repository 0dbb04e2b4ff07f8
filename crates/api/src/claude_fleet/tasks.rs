//! Tasks: missions as a team speaks of them.

use api_macros::{input, output};
use types::{Handle, Mission, MissionId, TeamName, Uid};

use super::{TaskFilter, TaskStatus};
use crate::limits::LINKS_MAX;
use crate::{IsoTime, Page};

/// List the tasks of a team, newest first
#[input(Default, camelCase)]
pub struct ListTeamTasks {
    /// The team; your own, when unset
    pub team_name: Option<TeamName>,
    /// Which tasks; all, when unset
    #[serde(default)]
    pub filter: TaskFilter,
    #[group]
    pub page: Page,
}

/// Give a task to an agent of the team
#[input(camelCase)]
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
    #[schemars(length(max = 10000))]
    pub description: Option<String>,
    /// Tasks that must be resolved first
    #[schemars(length(max = LINKS_MAX))]
    pub blocked_by: Vec<MissionId>,
}

/// Show a task
#[input(camelCase)]
pub struct GetTask {
    /// The task
    pub task_id: MissionId,
}

/// Set the status of a task
#[input(camelCase)]
pub struct UpdateTask {
    /// The task
    pub task_id: MissionId,
    /// Where it stands now
    pub status: TaskStatus,
}

/// A task
#[output(camelCase)]
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
