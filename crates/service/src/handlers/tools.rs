//! The MCP tools of both systems, on the same records as their REST paths.

use std::path::{Path, PathBuf};

use api::claude_fleet::{AgentView, TaskFilter, TaskView, TeamStatus, TeamStatusTool, TeamTasks, TeamTasksTool};
use api::devfleet::{
    CreateMissionTool, CreateProjectTool, CreatedMission, CreatedProject, ListMissionsTool, ListProjectsTool,
    MissionSummaries, MissionSummary, ProjectSummaries, SessionRow,
};
use api::{Code, Error};
use missions::Statement;
use store::{Query, by};
use types::{Mission, Project, ProjectNotes, Role, Session, Start};

use super::LIST_MAX;
use super::choosing::Words;
use super::projects::{NewProject, PATH_SHOWN, existing_directory, visible};
use crate::{Caller, Handle, Result, Service};

/// Characters of a project's name that make its folder's.
const SLUG_LENGTH: usize = 40;

impl Handle<ListProjectsTool> for Service {
    async fn handle(&self, caller: &Caller, _: ListProjectsTool) -> Result<ProjectSummaries> {
        let projects = self.store.list::<Project>(visible(caller.member()?, LIST_MAX)).await?.records;
        Ok(ProjectSummaries { count: projects.len(), projects: projects.into_iter().map(Into::into).collect() })
    }
}

impl Handle<CreateProjectTool> for Service {
    async fn handle(&self, caller: &Caller, op: CreateProjectTool) -> Result<CreatedProject> {
        let member = caller.member()?;
        let path = match op.path {
            Some(path) if member.role == Role::Owner => absolute(path.into())?,
            // Agents may name a directory, but only the owner has one made outside the projects folder.
            Some(path) => existing_directory(&path).await.map(|()| path.into())?,
            None => self.facts.projects_dir.join(slug(&op.name)),
        };
        let refused = |error: std::io::Error| no_directory(&path, &error.to_string());
        tokio::fs::create_dir_all(&path).await.map_err(refused)?;
        let notes = ProjectNotes { state: "active".to_owned(), ..ProjectNotes::default() };
        let (name, description) = (op.name, op.description);
        let path = path.to_string_lossy().into_owned();
        let new = NewProject { name, path, description, notes, ..NewProject::default() };
        Ok(self.add_project(member, new).await?.into())
    }
}

fn absolute(path: PathBuf) -> Result<PathBuf> {
    if path.is_absolute() { Ok(path) } else { Err(no_directory(&path, "it is not an absolute path").into()) }
}

fn no_directory(path: &Path, why: &str) -> Error {
    let shown: String = path.display().to_string().chars().take(PATH_SHOWN).collect();
    Error::new(Code::PATH_NOT_FOUND, format!("cannot use {shown}: {why}"))
        .hint("Name a directory by its absolute path.")
}

impl Handle<CreateMissionTool> for Service {
    async fn handle(&self, caller: &Caller, op: CreateMissionTool) -> Result<CreatedMission> {
        let member = caller.member()?;
        let said = Statement {
            agent: self.known_agent(Words { agent: op.agent, coder: op.coder, executor: op.executor })?,
            acceptance: op.acceptance_criteria,
            priority: op.priority,
            depends_on: op.depends_on,
            start: if op.auto_dispatch { Start::WhenReady } else { Start::ByHand },
            model: op.model,
            ..Statement::new(member.team.clone(), op.title, op.prompt)
        };
        Ok(self.state(member, Some(&op.project_id), said).await?.into())
    }
}

impl Handle<ListMissionsTool> for Service {
    async fn handle(&self, caller: &Caller, op: ListMissionsTool) -> Result<MissionSummaries> {
        let project = self.project(caller.member()?, &op.project_id).await?;
        let query = Query::earliest(by::mission::number(&project.id), LIST_MAX);
        let wanted = |mission: &Mission| {
            op.status.is_none_or(|status| status.states().any(|state| state == mission.state.name()))
        };
        let mut missions = Vec::new();
        for mission in self.first(query, wanted).await? {
            // Most were never begun, and have no run to read.
            let last = if mission.holders > 0 {
                let runs = Query::latest(by::session::mission(&mission.id), 1);
                self.store.list::<Session>(runs).await?.records.pop()
            } else {
                None
            };
            let summary = MissionSummary::from(mission);
            missions.push(match last {
                Some(session) => summary.with_run(SessionRow::of(&session, session.spending)),
                None => summary,
            });
        }
        Ok(MissionSummaries { count: missions.len(), missions })
    }
}

impl Handle<TeamStatusTool> for Service {
    async fn handle(&self, caller: &Caller, _: TeamStatusTool) -> Result<TeamStatus> {
        let team = caller.member()?.team.clone();
        let agents: Vec<AgentView> = self.members(&team).await?.into_iter().map(Into::into).collect();
        Ok(TeamStatus { health: self.health().await?, count: agents.len(), team, agents })
    }
}

impl Handle<TeamTasksTool> for Service {
    async fn handle(&self, caller: &Caller, op: TeamTasksTool) -> Result<TeamTasks> {
        let member = caller.member()?;
        let query = Query::latest(by::mission::team_age(&member.team), LIST_MAX);
        let wanted = |mission: &Mission| match op.filter {
            TaskFilter::All => true,
            TaskFilter::Mine => mission.assignee.as_ref() == Some(&member.handle),
            TaskFilter::Unassigned => mission.assignee.is_none(),
        };
        let missions = self.first(query, wanted).await?;
        let tasks: Vec<TaskView> = missions.into_iter().map(TaskView::from).collect();
        Ok(TeamTasks { filter: op.filter, count: tasks.len(), tasks })
    }
}

/// Makes a folder name of a project's name: lower case, everything else a dash.
fn slug(name: &str) -> String {
    let dashed: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    let words: Vec<&str> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    let slug: String = words.join("-").chars().take(SLUG_LENGTH).collect();
    if slug.is_empty() { "project".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_name_never_leaves_the_projects_folder() {
        for (name, folder) in [("My Shop!", "my-shop"), ("../../etc", "etc"), ("..", "project"), ("a/b", "a-b")] {
            assert_eq!(slug(name), folder);
        }
    }
}
