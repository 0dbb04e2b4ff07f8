//! DevFleet's tools that show an agent its project, its team and what came before it.

use api::devfleet::{
    GetProjectContext, GetTeamContext, ListProjectMissions, ProjectContext, ProjectMissions, SessionRow, TeamContext,
    TeamMate,
};
use store::{Query, by};
use types::{Mission, Session, StateName};

use super::LIST_MAX;
use crate::{Caller, Handle, Result, Service};

/// Missions shown with a project.
const RECENT: usize = 10;

/// Missions listed of a project.
const LISTED: usize = 20;

impl Handle<GetProjectContext> for Service {
    async fn handle(&self, caller: &Caller, op: GetProjectContext) -> Result<ProjectContext> {
        let outlook = self.outlook(caller.member()?, op.mission_id.as_ref()).await?;
        let project = self.its_project(&outlook.mission).await?;
        let newest = Query::latest(by::mission::number(&project.id), RECENT);
        let recent = self.store.list::<Mission>(newest).await?.records;
        let count = |state| self.store.count(&by::mission::project_count(&project.id, state));
        Ok(ProjectContext {
            total_missions: StateName::ALL.into_iter().map(count).sum(),
            recent_missions: recent.into_iter().map(Into::into).collect(),
            project_name: project.name,
            project_path: project.path,
            description: project.description,
        })
    }
}

impl Handle<GetTeamContext> for Service {
    async fn handle(&self, caller: &Caller, op: GetTeamContext) -> Result<TeamContext> {
        let outlook = self.outlook(caller.member()?, op.mission_id.as_ref()).await?;
        let (team, project) = (&outlook.mission.team, &outlook.mission.project);
        let own = outlook.session.as_ref().map(|session| &session.id);
        let query = Query::earliest(by::session::team_live(team), LIST_MAX);
        let others = |session: &Session| session.project == *project && Some(&session.id) != own;
        let agents = self.session_rows(self.first(query, others).await?).await?.into_iter().map(mate);
        let agents: Vec<TeamMate> = agents.collect();
        Ok(TeamContext { count: agents.len(), agents })
    }
}

impl Handle<ListProjectMissions> for Service {
    async fn handle(&self, caller: &Caller, op: ListProjectMissions) -> Result<ProjectMissions> {
        let outlook = self.outlook(caller.member()?, op.mission_id.as_ref()).await?;
        let project = self.its_project(&outlook.mission).await?.id;
        let groups = match op.status {
            Some(status) => status.states().map(|state| by::mission::project_state(&project, state)).collect(),
            None => vec![by::mission::project(&project)],
        };
        let query = Query { groups, ..Query::latest(String::new(), LISTED) };
        let missions = self.store.list::<Mission>(query).await?.records;
        Ok(ProjectMissions { count: missions.len(), missions: missions.into_iter().map(Into::into).collect() })
    }
}

fn mate(row: SessionRow) -> TeamMate {
    TeamMate {
        session_id: row.id,
        mission_title: row.mission_title,
        project_name: row.project_name,
        status: row.status,
        started_at: row.started_at,
    }
}
