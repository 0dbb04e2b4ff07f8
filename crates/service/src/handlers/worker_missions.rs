//! Workers that a client starts on any repository: missions that start by themselves, one session each.

use api::codefleet::{CreateWorker, GetWorkerStatus, ListWorkers, WorkerPayload, WorkerPayloads, WorkerStatus, tally};
use api::{AgentName, Code, Error};
use mission_runner::{StartPlace, StartRequest};
use missions::Statement;
use store::{Query, by};
use tokens::Member;
use types::{LandMode, Limits, Mission, MissionId, Place, Project, Start, WORKER_TAG, WorkerNotes};

use super::LIST_MAX;
use crate::{Caller, Handle, Result, Service, authorize};

const NOUN: &str = "Worker";

/// What requires a leading role.
const ARGUMENTS: &str = "to give an agent's program further arguments (`extra_args`)";

/// Most bytes of a client's own data: they are part of a record.
const METADATA_BYTES_MAX: usize = 20_000;

impl Handle<CreateWorker> for Service {
    async fn handle(&self, caller: &Caller, op: CreateWorker) -> Result<WorkerPayload> {
        let member = caller.member()?;
        let parent = self.parent_of_worker(member, op.parent_worker_id.as_ref()).await?;
        let project = self.project_of_repo(member, &op.repo_path).await?;
        let said = self.worker_statement(member, &project, &op)?;
        // Before anything is stored: a worker that cannot start would wait for ever.
        let base = said.base.clone();
        self.check_place(&Place::Worktree { folder: project.path.clone(), base }).await?;
        self.check_ready(&self.executor_of(said.agent.as_deref(), &project))?;
        let mission = match parent {
            Some(giver) => {
                let place = StartPlace::Worktree { base: said.base.clone() };
                self.own_base(member, &StartRequest { place, ..StartRequest::new(giver.mission.clone()) }).await?;
                self.hand_on(member, &giver.into_project(&project), &said).await?.mission
            }
            None => self.state(member, Some(&project.id), said).await?,
        };
        self.worker_payload(mission).await
    }
}

impl Handle<GetWorkerStatus> for Service {
    async fn handle(&self, caller: &Caller, op: GetWorkerStatus) -> Result<WorkerPayload> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.worker_id, NOUN).await?;
        // Who asks again and again waits, with a slot that the worker may need.
        self.lend_to(member, &mission).await?;
        self.worker_payload(mission).await
    }
}

impl Handle<ListWorkers> for Service {
    async fn handle(&self, caller: &Caller, op: ListWorkers) -> Result<WorkerPayloads> {
        let who = self.viewer(caller.member()?);
        let statuses = op.statuses.unwrap_or_default();
        let wanted = |mission: &Mission| {
            let status = WorkerStatus::from(mission).as_str();
            who.sees(mission) && (statuses.is_empty() || statuses.iter().any(|asked| asked == status))
        };
        let limit = usize::try_from(op.limit).map_or(LIST_MAX, |limit| limit.min(LIST_MAX));
        let query = Query::latest(by::mission::tag(WORKER_TAG), limit.max(1));
        let mut found = self.filtered(query, wanted).await?.records;
        found.truncate(limit);
        let shown: Vec<WorkerStatus> = found.iter().map(WorkerStatus::from).collect();
        let mut workers = Vec::with_capacity(found.len());
        for mission in found {
            workers.push(self.worker_payload(mission).await?);
        }
        Ok(WorkerPayloads { count: workers.len(), summary: tally("worker", &shown), workers })
    }
}

impl Service {
    /// Says what a new worker's mission is.
    fn worker_statement(&self, member: &Member, project: &Project, op: &CreateWorker) -> Result<Statement> {
        let named = AgentName::of(op.executor.clone().filter(|name| !name.is_empty()));
        let agent = self.known_agent(&named)?;
        let model = op.model.clone().filter(|model| !model.is_empty());
        self.known_model(model.as_deref(), agent.as_deref(), Some(project))?;
        let is_agent = self.viewer(member).agent().is_some();
        // What the user's folder is on is nothing that an agent may choose to build on.
        let base = Some(op.base_ref.clone()).filter(|base| !is_agent || base != CreateWorker::HEAD);
        let secs_max = op.timeout_seconds.filter(|secs| *secs > 0).map(u64::from);
        let notes = self.worker_notes(member, &self.executor_of(agent.as_deref(), project), op)?;
        Ok(Statement {
            tags: vec![WORKER_TAG.to_owned()],
            start: Start::WhenReady,
            land: Some(LandMode::Never),
            agent,
            model,
            limits: Limits { secs_max, ..Limits::default() },
            base,
            worker: Some(notes),
            ..Statement::new(project.team.clone(), op.task_name.clone(), op.prompt.clone())
        })
    }

    /// Returns the agent that a new worker gets.
    fn executor_of(&self, named: Option<&str>, project: &Project) -> String {
        let chosen = named.or(project.agent.as_deref()).map(str::to_owned);
        chosen.unwrap_or_else(|| self.settings().default_agent.clone())
    }

    fn worker_notes(&self, member: &Member, agent: &str, op: &CreateWorker) -> Result<WorkerNotes> {
        let given = op.extra_args.clone().or_else(|| op.extra_codex_args.clone()).unwrap_or_default();
        authorize::leading(member, !given.is_empty(), ARGUMENTS)?;
        let metadata = op.metadata.clone().unwrap_or_default();
        let bytes = serde_json::to_string(&metadata).map_or(0, |text| text.len());
        if bytes > METADATA_BYTES_MAX {
            let message = format!("metadata takes {bytes} bytes; {METADATA_BYTES_MAX} are stored at most");
            return Err(Error::new(Code::TOO_LARGE_TO_STORE, message).hint("Put it into a file.").into());
        }
        let effort = op.reasoning_effort.as_deref().filter(|effort| !effort.is_empty());
        let effort = effort.map(|effort| effort_args(agent, effort)).transpose()?;
        Ok(WorkerNotes {
            profile: op.profile.clone(),
            tags: op.tags.clone().unwrap_or_default(),
            metadata,
            extra_args: effort.into_iter().flatten().chain(given).collect(),
        })
    }

    /// Finds the mission that a new worker is a part of. An agent's worker is a part of its own, whatever it says.
    async fn parent_of_worker(
        &self,
        member: &Member,
        named: Option<&MissionId>,
    ) -> Result<Option<super::sub_missions::Giver>> {
        let Some(agent) = self.viewer(member).agent().cloned() else {
            let Some(named) = named else { return Ok(None) };
            return Ok(Some(super::sub_missions::Giver::by_person(self.mission(member, named, NOUN).await?)));
        };
        if let Some(named) = named.filter(|named| agent.mission.as_ref() != Some(named)) {
            self.mission(member, named, NOUN).await?;
            let message = format!("`parent_worker_id` names `{named}`, and the token belongs to another worker");
            return Err(Error::new(Code::ACTOR_MISMATCH, message)
                .hint("Leave it out: your workers are parts of your own.")
                .into());
        }
        Ok(Some(self.giver(member, None).await?))
    }
}

/// Translates how hard a model is to think into arguments of an executor's program.
fn effort_args(agent: &str, effort: &str) -> std::result::Result<Vec<String>, Error> {
    let is_word = effort.bytes().all(|byte| byte.is_ascii_lowercase());
    match agent {
        "codex" if is_word => Ok(vec!["-c".to_owned(), format!("model_reasoning_effort=\"{effort}\"")]),
        "claude" if is_word => Ok(vec!["--effort".to_owned(), effort.to_owned()]),
        "codex" | "claude" => Err(Error::new(Code::AGENT_INCAPABLE, "reasoning_effort takes a word of a-z")
            .hint("Use a word of the executor's own, such as `high`.")),
        _ => Err(Error::new(Code::AGENT_INCAPABLE, format!("agent `{agent}` cannot be told how hard to think"))
            .hint("Leave `reasoning_effort` out.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effort_is_said_in_the_executors_own_words_and_cannot_smuggle_another_argument() {
        assert_eq!(effort_args("claude", "high").unwrap(), ["--effort", "high"]);
        assert_eq!(effort_args("codex", "xhigh").unwrap(), ["-c", "model_reasoning_effort=\"xhigh\""]);
        for (agent, effort) in [("codex", "x\"\nsandbox=\"off"), ("claude", "--help"), ("gemini", "high")] {
            assert!(effort_args(agent, effort).is_err(), "{agent} {effort}");
        }
    }
}
