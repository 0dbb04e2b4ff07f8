//! Projects under `/api/projects`.

use std::path::Path;

use api::devfleet::{
    CreateProject, GetProject, ListProjects, ProjectCard, ProjectCounts, ProjectDetail, ProjectRow, UpdateProject,
};
use api::{Code, Error, Listing};
use store::{Query, Transaction, by};
use tokens::Member;
use types::{Allotment, Event, LandingRules, Mission, Project, ProjectId, ProjectNotes, Role, SandboxRules, StateName};

use super::choosing::Words;
use super::landing_edit::LandingEdit;
use super::{LIST_MAX, limit};
use crate::{Caller, Handle, Result, Service, gate};

/// Characters of a path that an error message shows.
pub(super) const PATH_SHOWN: usize = 300;

/// What only those who lead may set.
const LANDING_RULES: &str = "how work lands (`checks`, `target_branch`, `land`, `push`, `pr`)";

/// What only those who lead may set, too.
const BUDGET: &str = "what may be spent (`budget_…`, `daily_budget_…`)";

/// And what else.
const SANDBOX: &str = "what agents reach (`sandbox`, `sandbox_…`)";

/// What a project begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct NewProject {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) description: String,
    pub(super) system_prompt: String,
    pub(super) agent: Option<String>,
    pub(super) model: Option<String>,
    pub(super) notes: ProjectNotes,
    pub(super) landing: LandingRules,
    pub(super) sandbox: SandboxRules,
    pub(super) budget: Allotment,
}

impl Handle<ListProjects> for Service {
    async fn handle(&self, caller: &Caller, op: ListProjects) -> Result<Listing<ProjectCard>> {
        let query = Query { after: op.after, ..visible(caller.member()?, limit(op.limit)) };
        let page = self.store.list::<Project>(query).await?;
        let card = |project: Project| ProjectCard { counts: self.counts(&project.id), project: project.into() };
        Ok(Listing { items: page.records.into_iter().map(card).collect(), next: page.next })
    }
}

impl Handle<CreateProject> for Service {
    async fn handle(&self, caller: &Caller, op: CreateProject) -> Result<ProjectRow> {
        existing_directory(&op.path).await?;
        let landing = LandingEdit::of_new(&op).applied(LandingRules::default());
        gate::leading(caller.member()?, !landing.is_default(), LANDING_RULES)?;
        let sandbox = op.sandbox();
        gate::leading(caller.member()?, !sandbox.is_nothing(), SANDBOX)?;
        let budget = op.budget();
        gate::leading(caller.member()?, budget.is_some(), BUDGET)?;
        let agent = self.known_agent(Words { agent: op.agent, coder: op.coder, executor: op.executor })?;
        let notes = ProjectNotes {
            state: op.state,
            owner: op.owner,
            start_date: op.start_date,
            target_end_date: op.target_end_date,
            parent_team: op.parent_team,
            teams_channel_id: op.teams_channel_id,
            teams_channel_name: op.teams_channel_name,
        };
        let new = NewProject {
            name: op.name,
            path: op.path,
            description: op.description,
            system_prompt: op.system_prompt,
            agent,
            model: op.model,
            notes,
            landing,
            sandbox: sandbox.applied(SandboxRules::default()),
            budget: budget.unwrap_or_default(),
        };
        Ok(self.add_project(caller.member()?, new).await?.into())
    }
}

impl Handle<GetProject> for Service {
    async fn handle(&self, caller: &Caller, op: GetProject) -> Result<ProjectDetail> {
        let project = self.project(caller.member()?, &op.project).await?;
        let missions = self.store.list::<Mission>(Query::latest(by::mission::project(&project.id), LIST_MAX)).await?;
        let missions = self.rows(missions.records).await?;
        Ok(ProjectDetail { project: project.into(), missions })
    }
}

impl Handle<UpdateProject> for Service {
    async fn handle(&self, caller: &Caller, op: UpdateProject) -> Result<ProjectRow> {
        let member = caller.member()?;
        gate::leading(member, LandingEdit::of(&op) != LandingEdit::default(), LANDING_RULES)?;
        gate::leading(member, !op.sandbox().is_nothing(), SANDBOX)?;
        let allots = op.budget(Allotment::default()).is_some();
        gate::leading(member, allots, BUDGET)?;
        if let Some(path) = &op.path {
            existing_directory(path).await?;
        }
        let by = self.stamp(member, &self.project(member, &op.project).await?.team);
        let words = Words { agent: op.agent.clone(), coder: op.coder.clone(), executor: op.executor.clone() };
        let op = &UpdateProject { agent: self.known_agent(words)?, ..op };
        let project = self
            .store
            .transact(&by, |tx| async move {
                let held = held_project(&tx, member, &op.project).await?;
                let project = edited(held.record.clone(), op.clone());
                if project != held.record {
                    tx.update(&held, &project)?;
                    tx.append(Event::ProjectUpdated { project: project.id.clone() });
                }
                Ok::<_, crate::Error>(project)
            })
            .await?;
        if allots {
            self.sessions.budget_changed();
        }
        Ok(project.into())
    }
}

impl Service {
    pub(super) async fn add_project(&self, member: &Member, new: NewProject) -> Result<Project> {
        let by = self.stamp(member, &member.team);
        let new = &new;
        self.store
            .transact(&by, |tx| async move {
                let NewProject { name, path, description, system_prompt, agent, model, .. } = new.clone();
                let NewProject { notes, landing, sandbox, budget, .. } = new.clone();
                let project = Project {
                    id: self.draw_id(ProjectId::from_code)?,
                    team: member.team.clone(),
                    name,
                    path,
                    description,
                    system_prompt,
                    agent,
                    model,
                    notes,
                    landing,
                    sandbox,
                    budget,
                    deleting: false,
                    created_at: self.clock.now(),
                };
                tx.insert(&project)?;
                tx.append(Event::ProjectCreated { project: project.id.clone() });
                Ok(project)
            })
            .await
    }

    pub(super) async fn project(&self, member: &Member, id: &ProjectId) -> Result<Project> {
        let project = self.store.get::<Project>(id).await?.filter(|project| member.sees(&project.team));
        project.ok_or_else(|| project_not_found().into())
    }

    fn counts(&self, project: &ProjectId) -> ProjectCounts {
        let count = |state| self.store.count(&by::mission::project_count(project, state));
        ProjectCounts {
            mission_count: StateName::ALL.into_iter().map(count).sum(),
            running_count: count(StateName::Held),
            completed_count: count(StateName::Done),
        }
    }
}

/// Lists the projects a member may see, newest first.
pub(super) fn visible(member: &Member, limit: usize) -> Query {
    let group = if member.role == Role::Owner { by::project::all() } else { by::project::team(&member.team) };
    Query::latest(group, limit)
}

pub(super) async fn held_project(tx: &Transaction, member: &Member, id: &ProjectId) -> Result<store::Held<Project>> {
    let held = tx.get::<Project>(id).await?.filter(|held| member.sees(&held.record.team));
    held.ok_or_else(|| project_not_found().into())
}

fn project_not_found() -> Error {
    Error::new(Code::PROJECT_NOT_FOUND, "Project not found").hint("`fleet project list` shows the projects.")
}

pub(super) async fn existing_directory(path: &str) -> Result<()> {
    let found = Path::new(path).is_absolute() && tokio::fs::metadata(path).await.is_ok_and(|entry| entry.is_dir());
    if found {
        return Ok(());
    }
    let shown: String = path.chars().take(PATH_SHOWN).collect();
    Err(Error::new(Code::PATH_NOT_FOUND, format!("Path does not exist: {shown}"))
        .hint("Name an existing directory on the server's machine by its absolute path.")
        .into())
}

fn edited(mut project: Project, op: UpdateProject) -> Project {
    project.landing = LandingEdit::of(&op).applied(project.landing);
    project.sandbox = op.sandbox().applied(project.sandbox);
    // Empty leaves it to the settings.
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    project.agent = op.agent.clone().map_or(project.agent, given);
    project.model = op.model.clone().map_or(project.model, given);
    project.budget = op.budget(project.budget).unwrap_or(project.budget);
    let notes = &mut project.notes;
    let fields = [
        (&mut project.name, op.name),
        (&mut project.path, op.path),
        (&mut project.description, op.description),
        (&mut project.system_prompt, op.system_prompt),
        (&mut notes.state, op.state),
        (&mut notes.owner, op.owner),
        (&mut notes.start_date, op.start_date),
        (&mut notes.target_end_date, op.target_end_date),
        (&mut notes.parent_team, op.parent_team),
        (&mut notes.teams_channel_id, op.teams_channel_id),
        (&mut notes.teams_channel_name, op.teams_channel_name),
    ];
    for (field, new) in fields {
        if let Some(new) = new {
            *field = new;
        }
    }
    project
}
