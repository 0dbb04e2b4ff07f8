//! Finding what a person means: by the beginning of an id, a project's name or folder, a mission's number.

use std::path::{Path, PathBuf};

use api::fleet::{ResolveId, Resolved};
use api::{Code, Error};
use store::{Query, Record, by};
use types::{
    Approval, Execution, ExecutionId, Landing, Mission, Project, ProjectServer, Question, Report, Role, Rule, Session,
    Workflow,
};

use super::LIST_MAX;
use crate::{Caller, Handle, Result, Service};

/// Ids named in the message when a text fits several.
const NAMED_MAX: usize = 5;

/// What a text is, by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meant<'a> {
    /// How an id begins.
    Id,
    /// The number of a mission, in the project of this name if one is given.
    Number { project: Option<&'a str>, number: u64 },
    /// A folder of a project, or one in it.
    Folder(&'a Path),
    /// The name of a project.
    Name,
}

impl Handle<ResolveId> for Service {
    async fn handle(&self, caller: &Caller, op: ResolveId) -> Result<Resolved> {
        // A step of an execution is named behind it.
        let (text, step) = match op.prefix.split_once('.') {
            Some((execution, step)) if execution.starts_with(ExecutionId::PREFIX) => (execution, Some(step)),
            Some(_) | None => (op.prefix.as_str(), None),
        };
        let mut found = match meant(text) {
            Meant::Id => self.by_beginning(caller, text).await?,
            Meant::Number { project, number } => {
                let here = op.folder.as_deref().map(Path::new);
                self.by_number(caller, project, number, here).await?
            }
            Meant::Folder(folder) => self.by_folder(caller, folder).await?.into_iter().map(of_project).collect(),
            Meant::Name => self.by_name(caller, text).await?.into_iter().map(of_project).collect(),
        };
        // A whole id is never ambiguous, though a longer one may begin with it.
        if let Some(exact) = found.iter().position(|resolved| resolved.id == text) {
            return Ok(below(found.swap_remove(exact), step));
        }
        match found.len() {
            0 => Err(self.unknown(caller, text, op.folder.as_deref().map(Path::new)).await?.into()),
            1 => Ok(below(found.swap_remove(0), step)),
            _ => Err(ambiguous(text, &found).into()),
        }
    }
}

impl Service {
    async fn by_beginning(&self, caller: &Caller, prefix: &str) -> Result<Vec<Resolved>> {
        let who = self.viewer(caller.member()?);
        let approvals = self.beginning(prefix, |approval: &Approval| who.sees(approval)).await?;
        let questions = self.beginning(prefix, |question: &Question| who.sees(question)).await?;
        let missions = self.beginning(prefix, |mission: &Mission| who.sees(mission)).await?;
        let projects = self.beginning(prefix, |project: &Project| who.sees(project)).await?;
        let sessions = self.beginning(prefix, |session: &Session| who.sees(session)).await?;
        let servers = self.beginning(prefix, |server: &ProjectServer| who.sees(server)).await?;
        let of_approval = |approval: Approval| resolved(approval.id.to_string(), "approval", approval.wanted.summary);
        let of_question = |question: Question| resolved(question.id.to_string(), "question", question.text);
        let of_session = |session: Session| {
            let title = session.order.title.unwrap_or_else(|| session.handle.to_string());
            resolved(session.id.to_string(), "session", title)
        };
        let landings = self.beginning(prefix, |landing: &Landing| who.sees(landing)).await?;
        let reports = self.beginning(prefix, |report: &Report| who.sees(report)).await?;
        let rules = self.beginning(prefix, |rule: &Rule| who.sees(rule)).await?;
        let of_landing = |landing: Landing| resolved(landing.id.to_string(), "landing", landing.title);
        let of_report = |report: Report| {
            let title = report.mission.map_or_else(|| "report".to_owned(), |mission| format!("report of {mission}"));
            resolved(report.id.to_string(), "report", title)
        };
        let of_rule = |rule: Rule| resolved(rule.id.to_string(), "policy", rule.name);
        let workflows = self.beginning(prefix, |workflow: &Workflow| who.sees(workflow)).await?;
        let executions = self.beginning(prefix, |execution: &Execution| who.sees(execution)).await?;
        let of_workflow = |workflow: Workflow| resolved(workflow.id.to_string(), "workflow", workflow.name);
        let of_execution = |execution: Execution| resolved(execution.id.to_string(), "execution", execution.name);
        let of_server = |server: ProjectServer| resolved(server.id.to_string(), "mcp server", server.name);
        Ok(missions
            .into_iter()
            .map(of_mission)
            .chain(projects.into_iter().map(of_project))
            .chain(approvals.into_iter().map(of_approval))
            .chain(questions.into_iter().map(of_question))
            .chain(sessions.into_iter().map(of_session))
            .chain(servers.into_iter().map(of_server))
            .chain(landings.into_iter().map(of_landing))
            .chain(reports.into_iter().map(of_report))
            .chain(rules.into_iter().map(of_rule))
            .chain(workflows.into_iter().map(of_workflow))
            .chain(executions.into_iter().map(of_execution))
            .chain(self.records_beginning(&who, prefix).await?)
            .collect())
    }

    /// Finds the mission of a number: in the project named, else in the one around the folder, else in any.
    async fn by_number(
        &self,
        caller: &Caller,
        project: Option<&str>,
        number: u64,
        here: Option<&Path>,
    ) -> Result<Vec<Resolved>> {
        let projects = match (project, here) {
            (Some(name), _) => self.by_name(caller, name).await?,
            (None, Some(here)) => match self.by_folder(caller, here).await? {
                around if around.is_empty() => self.projects_seen(caller).await?,
                around => around,
            },
            (None, None) => self.projects_seen(caller).await?,
        };
        let who = self.viewer(caller.member()?);
        let mut found = Vec::new();
        for project in projects {
            found.extend(self.numbered(&project, number).await?.filter(|mission| who.sees(mission)).map(of_mission));
            if found.len() > NAMED_MAX {
                break;
            }
        }
        Ok(found)
    }

    /// Reads the missions of a project in the order of their numbers, up to this one.
    async fn numbered(&self, project: &Project, number: u64) -> Result<Option<Mission>> {
        let mut query = Query::earliest(by::mission::number(&project.id), LIST_MAX);
        loop {
            let page = self.store.list::<Mission>(query.clone()).await?;
            if let Some(found) = page.records.into_iter().find(|mission| mission.number >= Some(number)) {
                return Ok(Some(found).filter(|mission| mission.number == Some(number)));
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(None),
            }
        }
    }

    /// Finds the project with the nearest folder around this one.
    async fn by_folder(&self, caller: &Caller, folder: &Path) -> Result<Vec<Project>> {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
        let folder = whole(folder);
        let mut around: Vec<Project> = self.projects_seen(caller).await?;
        around.retain(|project| folder.starts_with(whole(Path::new(&project.path))));
        around.sort_by_key(|project| std::cmp::Reverse(project.path.len()));
        around.truncate(1);
        Ok(around)
    }

    async fn by_name(&self, caller: &Caller, name: &str) -> Result<Vec<Project>> {
        let mut named = self.projects_seen(caller).await?;
        let exact = named.iter().any(|project| project.name == name);
        named.retain(|project| project.name == name || (!exact && project.name.eq_ignore_ascii_case(name)));
        Ok(named)
    }

    async fn projects_seen(&self, caller: &Caller) -> Result<Vec<Project>> {
        let member = caller.member()?;
        let who = self.viewer(member);
        let group = if member.role == Role::Owner { by::project::all() } else { by::project::team(&member.team) };
        self.first(Query::latest(group, LIST_MAX), |project: &Project| who.sees(project)).await
    }

    async fn unknown(&self, caller: &Caller, text: &str, here: Option<&Path>) -> Result<Error> {
        let projects = self.projects_seen(caller).await?;
        let around = match here {
            Some(here) => self.by_folder(caller, here).await?.pop(),
            None => None,
        };
        let message = match meant(text) {
            Meant::Id => format!("nothing has an id that begins with `{text}`"),
            Meant::Number { project: Some(project), number } => format!("project `{project}` has no mission {number}"),
            Meant::Number { project: None, number } => match around {
                Some(project) => format!("project `{}`, of this folder, has no mission {number}", project.name),
                None => format!("no project has a mission {number}"),
            },
            Meant::Folder(_) => format!("no project has the folder `{text}`"),
            Meant::Name => {
                let closest = config::closest(text, projects.iter().map(|project| project.name.as_str()));
                let closest = closest.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
                format!("`{text}` is neither an id nor the name of a project{closest}")
            }
        };
        Ok(Error::new(Code::ID_NOT_FOUND, message)
            .hint("`fleet mission list` and `fleet project list` show what there is."))
    }

    /// Finds the first records whose ids begin so among those that are seen, however many others there are.
    pub(super) async fn beginning<R: Record>(&self, prefix: &str, sees: impl Fn(&R) -> bool) -> Result<Vec<R>> {
        let mut limit = NAMED_MAX + 1;
        loop {
            let records = self.store.ids::<R>(prefix, limit).await?;
            let whole = records.len() < limit;
            let seen: Vec<R> = records.into_iter().filter(&sees).collect();
            if whole || seen.len() > NAMED_MAX {
                return Ok(seen);
            }
            limit *= 8;
        }
    }
}

/// Says what a text is by its form.
fn meant(text: &str) -> Meant<'_> {
    let is_id = |text: &str| {
        let mut letters = text.chars();
        let begins = letters.next().is_some_and(|letter| letter.is_ascii_lowercase()) && letters.next() == Some('-');
        let rest = letters.as_str();
        begins && !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if is_id(text) {
        return Meant::Id;
    }
    if Path::new(text).is_absolute() {
        return Meant::Folder(Path::new(text));
    }
    let (project, number) = text.rsplit_once('#').map_or((None, text), |(project, number)| (Some(project), number));
    match number.parse() {
        Ok(number) => Meant::Number { project: project.filter(|name| !name.is_empty()), number },
        Err(_) => Meant::Name,
    }
}

/// Names a step behind its execution, if one was named.
fn below(found: Resolved, step: Option<&str>) -> Resolved {
    match step {
        Some(step) => Resolved { id: format!("{}.{step}", found.id), kind: "step".to_owned(), ..found },
        None => found,
    }
}

pub(super) fn resolved(id: String, kind: &str, title: String) -> Resolved {
    Resolved { id, kind: kind.to_owned(), title }
}

fn of_mission(mission: Mission) -> Resolved {
    resolved(mission.id.to_string(), "mission", mission.title)
}

fn of_project(project: Project) -> Resolved {
    resolved(project.id.to_string(), "project", project.name)
}

fn ambiguous(text: &str, found: &[Resolved]) -> Error {
    let named: Vec<_> =
        found.iter().take(NAMED_MAX).map(|resolved| format!("{} ({})", resolved.id, resolved.title)).collect();
    Error::new(Code::ID_AMBIGUOUS, format!("`{text}` fits several: {}", named.join(", ")))
        .hint("Give the id, or more of it; of a mission's number, with its project: `PROJECT#NUMBER`.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_text_says_what_is_meant() {
        for (text, expected) in [
            ("m-x7", Meant::Id),
            ("3", Meant::Number { project: None, number: 3 }),
            ("#3", Meant::Number { project: None, number: 3 }),
            ("shop#3", Meant::Number { project: Some("shop"), number: 3 }),
            ("/srv/shop", Meant::Folder(Path::new("/srv/shop"))),
            ("shop", Meant::Name),
            ("m-", Meant::Name),
            ("My-Shop", Meant::Name),
        ] {
            assert_eq!(meant(text), expected, "{text}");
        }
    }
}
