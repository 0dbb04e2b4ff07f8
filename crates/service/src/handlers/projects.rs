//! Projects under `/api/projects`.

use std::path::{Path, PathBuf};

use api::devfleet::{
    BudgetEdit, CreateProject, Directory, GetProject, LandingEdit, ListProjects, ProjectCard, ProjectCounts,
    ProjectDetail, ProjectRow, UpdateProject,
};
use api::{AgentName, Code, Error, Listing};
use store::{Query, Transaction, by};
use tokens::Member;
use types::{Allotment, Event, LandingRules, Mission, Project, ProjectId, ProjectNotes, Role, SandboxRules, StateName};

use super::{LIST_MAX, listing, not_found};
use crate::{Caller, Handle, Result, Service, authorize};

/// Characters of a project's name that make its folder's.
const SLUG_LENGTH: usize = 40;

/// Characters of a path that an error message shows.
const PATH_SHOWN: usize = 300;

/// Branches that an error message names.
const BRANCHES_SHOWN: usize = 10;

/// What requires a leading role.
const LANDING_RULES: &str = "how work lands (`checks`, `target_branch`, `land`, `push`, `pr`)";

/// What requires a leading role, too.
const BUDGET: &str = "what may be spent (`budget_…`, `daily_budget_…`)";

/// And what else.
const SANDBOX: &str = "what agents reach (`sandbox`, `sandbox_…`)";

/// What a project begins with.
#[derive(Debug, Clone, Default)]
pub(super) struct NewProject {
    name: String,
    path: String,
    description: String,
    system_prompt: String,
    agent: Option<String>,
    model: Option<String>,
    notes: ProjectNotes,
    landing: LandingRules,
    sandbox: SandboxRules,
    budget: Allotment,
}

impl NewProject {
    /// Names a folder; the rest is as it is when nobody says otherwise.
    pub(super) fn at(name: String, path: String) -> Self {
        Self {
            name,
            path,
            description: String::new(),
            system_prompt: String::new(),
            agent: None,
            model: None,
            notes: ProjectNotes::default(),
            landing: LandingRules::default(),
            sandbox: SandboxRules::default(),
            budget: Allotment::default(),
        }
    }
}

impl Handle<ListProjects> for Service {
    async fn handle(&self, caller: &Caller, op: ListProjects) -> Result<Listing<ProjectCard>> {
        let member = caller.member()?;
        let page = self.page_of::<Project>(member, visible(member), op.page, |_| true).await?;
        Ok(listing(page, |project| ProjectCard { counts: self.counts(&project.id), project: project.into() }))
    }
}

impl Handle<CreateProject> for Service {
    async fn handle(&self, caller: &Caller, op: CreateProject) -> Result<ProjectRow> {
        let path = self.directory(caller.member()?, &op).await?;
        self.allowed_folder(Path::new(&path)).await?;
        let landing = op.landing.applied(LandingRules::default());
        authorize::leading(caller.member()?, !landing.is_default(), LANDING_RULES)?;
        authorize::leading(caller.member()?, !op.sandbox.is_nothing(), SANDBOX)?;
        let budget = op.budget.applied(Allotment::default());
        authorize::leading(caller.member()?, budget.is_some(), BUDGET)?;
        let agent = self.known_agent(&op.agent)?;
        self.known_model(op.model.as_deref(), agent.as_deref(), None)?;
        self.known_branch(&path, landing.target.as_deref()).await?;
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
            path,
            description: op.description,
            system_prompt: op.system_prompt,
            agent,
            model: op.model.filter(|model| !model.is_empty()),
            notes,
            landing,
            sandbox: op.sandbox.applied(SandboxRules::default()),
            budget: budget.unwrap_or_default(),
        };
        Ok(self.add_project(caller.member()?, new).await?.into())
    }

    /// A folder without git is taken, since the contract has one made; agents cannot work apart in it.
    async fn warnings(&self, project: &ProjectRow) -> Vec<String> {
        match self.workspaces.repository_folder(Path::new(&project.path)).await {
            Err(workspaces::Error::NotARepository { path }) => vec![format!(
                "{} is in no git repository, so agents cannot have a worktree each: run `git init` there and commit, or \
                 start them in place",
                path.display()
            )],
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}

impl Handle<GetProject> for Service {
    async fn handle(&self, caller: &Caller, op: GetProject) -> Result<ProjectDetail> {
        let project = self.project(caller.member()?, &op.project).await?;
        let missions = self.store.list::<Mission>(Query::latest(by::mission::project(&project.id), LIST_MAX)).await?;
        let missions = self.rows(missions.records).await?;
        let trusted = self.workspaces.is_trusted(Path::new(&project.path)).await;
        Ok(ProjectDetail { project: project.into(), trusted, missions })
    }
}

impl Handle<UpdateProject> for Service {
    async fn handle(&self, caller: &Caller, op: UpdateProject) -> Result<ProjectRow> {
        let member = caller.member()?;
        authorize::leading(member, op.landing != LandingEdit::default(), LANDING_RULES)?;
        authorize::leading(member, !op.sandbox.is_nothing(), SANDBOX)?;
        let allots = op.budget != BudgetEdit::default();
        authorize::leading(member, allots, BUDGET)?;
        let _turn = self.linking.lock().await;
        if let Some(path) = &op.path {
            existing_directory(path).await?;
            self.allowed_folder(Path::new(path)).await?;
            self.free_path(member, path, Some(&op.project)).await?;
        }
        let before = self.project(member, &op.project).await?;
        let folder = op.path.as_deref().unwrap_or(&before.path);
        let named = op.landing.target_branch.as_deref().filter(|branch| !branch.is_empty());
        self.known_branch(folder, named).await?;
        // Another folder has other branches, and who takes the target back means the branch that is checked out now.
        let moves = op.path.is_some() || op.landing.target_branch.as_deref() == Some("");
        let pinned = &if moves { self.branch_of(folder).await } else { None };
        let by = self.stamp(member, &before.team);
        let agent = self.known_agent(&op.agent)?;
        self.known_model(op.model.as_deref(), agent.as_deref(), Some(&before))?;
        let agent = AgentName::of(agent);
        let op = &UpdateProject { agent, ..op };
        let project = self
            .store
            .transact(&by, |tx| async move {
                let held = held_project(&tx, member, &op.project).await?;
                let mut project = edited(held.record.clone(), op.clone());
                if moves {
                    project.landing.pinned.clone_from(pinned);
                }
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
    /// Finds the directory of a new project, and creates it where it may.
    async fn directory(&self, member: &Member, op: &CreateProject) -> Result<String> {
        let path = match &op.directory {
            Directory::Existing => return existing_directory(&op.path).await.map(|()| op.path.clone()),
            // Agents may name a directory, but only the owner has one created outside the projects folder.
            Directory::Create(path) if member.role != Role::Owner => {
                return existing_directory(path).await.map(|()| path.clone());
            }
            Directory::Create(path) if Path::new(path).is_absolute() => path.into(),
            Directory::Create(path) => return Err(no_directory(Path::new(path), "it is not an absolute path").into()),
            Directory::Default => self.facts.projects_dir.join(slug(&op.name)),
        };
        let refused = |error: std::io::Error| no_directory(&path, &error.to_string());
        tokio::fs::create_dir_all(&path).await.map_err(refused)?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// Refuses a branch that the repository of a folder does not have; a folder in no repository is told of elsewhere.
    async fn known_branch(&self, folder: &str, branch: Option<&str>) -> Result<()> {
        let Some(branch) = branch else { return Ok(()) };
        match self.workspaces.instead_of_branch(Path::new(folder), branch).await {
            Ok(Some(known)) => Err(no_branch(folder, branch, &known).into()),
            Ok(None) | Err(_) => Ok(()),
        }
    }

    /// Refuses work for a project whose target branch is gone: it could never land.
    pub(super) async fn target_exists(&self, project: &Project) -> Result<()> {
        match self.known_branch(&project.path, project.landing.target.as_deref()).await {
            Err(crate::Error::Refused(error)) => {
                let hint =
                    format!("Land on another branch: `fleet project update {} --target-branch BRANCH`.", project.id);
                Err(error.hint(hint).into())
            }
            other => other,
        }
    }

    /// Refuses a folder that another project has: its rules and budgets would not hold for work in it.
    async fn free_path(&self, member: &Member, path: &str, own: Option<&ProjectId>) -> Result<()> {
        let wanted = whole(path).await;
        let mut query = Query::latest(by::project::all(), LIST_MAX);
        loop {
            let page = self.store.list::<Project>(query.clone()).await?;
            for other in page.records.iter().filter(|other| Some(&other.id) != own) {
                if other.path == path || whole(&other.path).await == wanted {
                    return Err(path_taken(path, Some(other).filter(|other| self.viewer(member).sees(*other))).into());
                }
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(()),
            }
        }
    }

    pub(super) async fn add_project(&self, member: &Member, new: NewProject) -> Result<Project> {
        // Calls that take a folder run one at a time, so that of two at once the second sees the first.
        let _turn = self.linking.lock().await;
        self.free_path(member, &new.path, None).await?;
        let by = self.stamp(member, &member.team);
        let landing = LandingRules { pinned: self.branch_of(&new.path).await, ..new.landing.clone() };
        let new = &NewProject { landing, ..new };
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

    /// Returns the branch that a folder is on, to be pinned as the target of its project.
    async fn branch_of(&self, path: &str) -> Option<String> {
        self.sessions.head_branch(Path::new(path)).await
    }

    pub(super) async fn project(&self, member: &Member, id: &ProjectId) -> Result<Project> {
        self.read_seen(member, id, not_found::project).await
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
fn visible(member: &Member) -> Query {
    let group = if member.role == Role::Owner { by::project::all() } else { by::project::team(&member.team) };
    Query::latest(group, LIST_MAX)
}

pub(super) async fn held_project(tx: &Transaction, member: &Member, id: &ProjectId) -> Result<store::Held<Project>> {
    let held = tx.get::<Project>(id).await?.filter(|held| member.sees(&held.record.team));
    held.ok_or_else(|| not_found::project().into())
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

/// The folder that a path leads to; the path itself where there is none.
pub(super) async fn whole(path: &str) -> PathBuf {
    tokio::fs::canonicalize(path).await.unwrap_or_else(|_| PathBuf::from(path))
}

pub(super) fn path_taken(path: &str, by: Option<&Project>) -> Error {
    let shown: String = path.chars().take(PATH_SHOWN).collect();
    let (who, hint) = match by {
        Some(other) => (
            format!("project `{}` ({})", other.id, other.name),
            format!("Use that one, or change it: `fleet project update {}`.", other.id),
        ),
        None => ("a project of another team".to_owned(), "Name another folder, such as a clone.".to_owned()),
    };
    Error::new(Code::PROJECT_PATH_TAKEN, format!("{shown} belongs to {who}")).hint(hint)
}

fn no_branch(folder: &str, branch: &str, known: &[String]) -> Error {
    let folder: String = folder.chars().take(PATH_SHOWN).collect();
    let closest = config::closest(branch, known.iter().map(String::as_str));
    let meant = closest.map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
    let error = Error::new(Code::FIELDS_INVALID, format!("target_branch: {folder} has no branch `{branch}`{meant}"));
    let shown: Vec<_> = known.iter().take(BRANCHES_SHOWN).map(|name| format!("`{name}`")).collect();
    match shown.as_slice() {
        [] => error.hint("The repository has no commit yet: `git add --all && git commit -m start`."),
        shown => error.hint(format!("Its branches are {}. Make it: `git branch {branch}`.", shown.join(", "))),
    }
}

fn edited(mut project: Project, op: UpdateProject) -> Project {
    project.landing = op.landing.applied(project.landing);
    project.sandbox = op.sandbox.applied(project.sandbox);
    // Empty leaves it to the settings.
    let given = |text: String| Some(text).filter(|text| !text.is_empty());
    project.agent = op.agent.agent.map_or(project.agent, given);
    project.model = op.model.map_or(project.model, given);
    project.budget = op.budget.applied(project.budget).unwrap_or(project.budget);
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

fn no_directory(path: &Path, why: &str) -> Error {
    let shown: String = path.display().to_string().chars().take(PATH_SHOWN).collect();
    Error::new(Code::PATH_NOT_FOUND, format!("cannot use {shown}: {why}"))
        .hint("Name a directory by its absolute path.")
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
