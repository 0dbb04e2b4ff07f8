//! What a caller of the agents' tools sees: its own mission, and what is visible from there.
//!
//! An agent sees its own project, in its own team. A caller that Fleet did not start on a mission names one.

use api::{Code, Error};
use tokens::Member;
use types::{Handle as Name, Mission, MissionId, Project, Session};

use super::not_found;
use crate::{Result, Service};

const NOUN: &str = "Mission";

/// A caller and the mission that it asks about.
#[derive(Debug)]
pub(super) struct CallerView {
    pub(super) mission: Mission,
    /// The session in which the caller works, if Fleet knows of it.
    pub(super) session: Option<Session>,
}

impl CallerView {
    /// Returns whether the caller is the agent of that mission.
    pub(super) fn is_own(&self) -> bool {
        self.session.as_ref().and_then(works_on) == Some(&self.mission.id)
    }
}

impl Service {
    /// Finds the mission that a caller asks about: the one it names, or the one it works on.
    pub(super) async fn outlook(&self, member: &Member, named: Option<&MissionId>) -> Result<CallerView> {
        let session = self.sessions.named(&member.team, &member.handle).await?;
        let own = match session.as_ref().and_then(works_on) {
            Some(own) => Some(self.mission(member, own, NOUN).await?),
            None => None,
        };
        let mission = match (named, own) {
            (None, None) => return Err(works_on_nothing(&member.handle).into()),
            (None, Some(own)) => own,
            (Some(named), None) => self.mission(member, named, NOUN).await?,
            (Some(named), Some(own)) => {
                let mission = self.mission(member, named, NOUN).await?;
                // To an agent, objects of another project do not exist.
                if mission.project != own.project {
                    return Err(not_found::mission(NOUN).into());
                }
                mission
            }
        };
        Ok(CallerView { mission, session })
    }

    /// Reads the project of a mission.
    pub(super) async fn its_project(&self, mission: &Mission) -> Result<Project> {
        self.project_of(mission).await?.ok_or_else(|| {
            Error::new(Code::PROJECT_NOT_FOUND, format!("mission `{}` has no project", mission.id))
                .hint("get_mission_context shows the mission itself.")
                .into()
        })
    }
}

/// Returns the mission that a session works on.
pub(super) fn works_on(session: &Session) -> Option<&MissionId> {
    session.mission.as_ref().map(|assignment| &assignment.mission)
}

pub(super) fn works_on_nothing(handle: &Name) -> Error {
    Error::new(Code::SESSION_NOT_RUNNING, format!("`{handle}` works on no mission of Fleet's"))
        .hint("Name one in `mission_id`.")
}
