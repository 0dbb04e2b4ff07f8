//! What a client is shown of workers: their missions and last sessions under its own names.

use api::codefleet::{
    CollectWorkerResult, CollectedWorker, ResultStatus, TestRun, WorkerPayload, WorkerResult, WorkerStatus, span,
};
use sessions::Live;
use store::{Query, by};
use types::{
    CheckOutcome, CheckRun, Failure, Mission, MissionState, Project, Report, Session, SessionEnding, SessionState,
    Timestamp,
};

use super::sessions::OUTPUT_LINES_MAX;
use crate::{Caller, Handle, Result, Service};

const CANCELLED: &str = "Cancelled by user";

impl Handle<CollectWorkerResult> for Service {
    async fn handle(&self, caller: &Caller, op: CollectWorkerResult) -> Result<CollectedWorker> {
        let mission = self.mission(caller.member()?, &op.worker_id, "Worker").await?;
        let report = self.latest_report(&mission.id).await?;
        let (mut stdout_tail, mut stderr_tail) = (None, None);
        if op.include_logs {
            let lines = (op.log_tail_lines as usize).min(OUTPUT_LINES_MAX);
            let (output, errors) = match self.last_session_of(&mission).await? {
                Some(session) => (self.sessions.output(&session, lines).await?, self.sessions.errors(&session).await?),
                None => (Vec::new(), String::new()),
            };
            stdout_tail = Some(output.join("\n"));
            stderr_tail = Some(last_lines(&errors, lines));
        }
        let worker = self.worker_payload(mission).await?;
        Ok(CollectedWorker { worker, result: report.as_ref().map(result), stdout_tail, stderr_tail })
    }
}

impl Service {
    /// Reads the newest session of a mission, as it is right now.
    pub(super) async fn last_session_of(&self, mission: &Mission) -> Result<Option<Session>> {
        let newest = Query::latest(by::session::mission(&mission.id), 1);
        Ok(self.store.list::<Session>(newest).await?.records.pop())
    }

    /// Shows a mission as a worker.
    pub(super) async fn worker_payload(&self, mission: Mission) -> Result<WorkerPayload> {
        let project = self.project_of(&mission).await?;
        let session = self.last_session_of(&mission).await?;
        let live = session.as_ref().and_then(|session| self.sessions.live(&session.id));
        let session = live.as_ref().map(|live| live.session.clone()).or(session);
        let waits_for = self.mission_standing(&mission).await?.1;
        let choice = self.runner.standing_choice(&mission, project.as_ref());
        let shown = Shown {
            status: WorkerStatus::from(&mission),
            now: self.clock.now(),
            executor: session.as_ref().map_or(choice.agent.value, |session| session.order.agent.clone()),
            model: live
                .as_ref()
                .and_then(|live| live.model.clone())
                .or_else(|| session.as_ref().and_then(|session| session.model.clone().or(session.order.model.clone())))
                .or(choice.model.value),
            timeout_seconds: mission
                .limits
                .secs_max
                .or_else(|| Some(u64::from(self.settings().session_timeout_secs)).filter(|secs| *secs > 0)),
            files: session.as_ref().map(|session| self.sessions.output_files(session)),
            waits_for,
            mission,
            project,
            session,
            live,
        };
        Ok(shown.payload())
    }
}

/// What is known of a worker.
struct Shown {
    mission: Mission,
    project: Option<Project>,
    session: Option<Session>,
    live: Option<Live>,
    status: WorkerStatus,
    now: Timestamp,
    executor: String,
    model: Option<String>,
    timeout_seconds: Option<u64>,
    files: Option<sessions::OutputFiles>,
    waits_for: Option<String>,
}

impl Shown {
    fn payload(self) -> WorkerPayload {
        let (ended, heard) = (ended_at(&self.mission), self.heard_at());
        let started = self.session.as_ref().map(|session| session.created_at);
        let known = self.live.as_ref().map(|_| self.now).or(ended);
        let age = |at: Option<Timestamp>| span(at.map(|at| secs_between(at, self.now)));
        let elapsed = span(started.map(|at| secs_between(at, ended.unwrap_or(self.now))));
        let (heartbeat_age, last_output_age) = (age(known), age(heard));
        let workspace = self.session.as_ref().and_then(|session| session.workspace.as_ref());
        let tree = workspace.and_then(|workspace| Some((workspace, workspace.worktree.as_ref()?)));
        let notes = self.mission.worker.clone().unwrap_or_default();
        let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
        let files = self.files.as_ref();
        let of_model = self.model.as_deref().map(|model| format!("/{model}")).unwrap_or_default();
        let summary_line =
            format!("{} {} ({}{of_model}) {elapsed}", self.status.label(), self.mission.title, self.executor);
        WorkerPayload {
            error_message: self.trouble(),
            heartbeat_message: self.heartbeat(&last_output_age),
            worker_id: self.mission.id.clone(),
            task_name: self.mission.title.clone(),
            status: self.status,
            repo_path: self.project.as_ref().map(|project| project.path.clone()).unwrap_or_default(),
            branch_name: tree.map(|(_, tree)| tree.branch.clone()),
            worktree_path: tree.map(|(workspace, _)| workspace.path.clone()),
            worker_dir: files.map(|files| text(&files.folder)),
            model: self.model.clone(),
            executor: self.executor.clone(),
            profile: notes.profile,
            created_at: epoch(self.mission.created_at),
            started_at: started.map(epoch),
            ended_at: ended.map(epoch),
            last_heartbeat_at: known.map(epoch),
            last_activity_at: heard.map(epoch),
            timeout_seconds: self.timeout_seconds,
            pid: self.live.as_ref().and_then(|live| live.pid),
            exit_code: self.session.as_ref().and_then(|session| session.exit),
            retry_count: self.session.as_ref().map_or(0, |session| session.runs.saturating_sub(1)),
            tags: notes.tags,
            metadata: notes.metadata,
            prompt_path: None,
            result_json_path: workspace.map(|it| format!("{}/{}/result.json", it.path, workspaces::TALK)),
            stdout_path: files.map(|files| text(&files.output)),
            stderr_path: files.map(|files| text(&files.errors)),
            meta_path: None,
            elapsed,
            heartbeat_age,
            last_output_age,
            status_label: self.status.label().to_owned(),
            summary_line,
            session_id: self.session.as_ref().map(|session| session.id.clone()),
            parent_worker_id: self.mission.parent.clone(),
        }
    }

    fn heard_at(&self) -> Option<Timestamp> {
        let live = self.live.as_ref().map(|live| live.pulse.heard_at());
        live.or_else(|| self.session.as_ref().map(|session| session.updated_at))
    }

    /// Says why it came to no good end.
    fn trouble(&self) -> Option<String> {
        let ended = self.session.as_ref().and_then(|session| match &session.state {
            SessionState::Ended { ending: SessionEnding::Failed { class, text }, .. } => {
                Some(format!("{}: {text}", class.as_str()))
            }
            SessionState::Ended { .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Stopping { .. } => None,
        });
        match &self.mission.state {
            MissionState::Failed { failure: Failure::NotDone { reasons, .. }, .. } => {
                Some(reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
            }
            MissionState::Failed { failure: Failure::Session { class, .. }, .. } => {
                Some(ended.unwrap_or_else(|| class.as_str().to_owned()))
            }
            MissionState::Failed { failure: Failure::Stated { by }, .. } => Some(format!("{by} said that it failed")),
            MissionState::Cancelled { .. } => Some(CANCELLED.to_owned()),
            MissionState::Draft
            | MissionState::Ready { .. }
            | MissionState::Held { .. }
            | MissionState::Landing { .. }
            | MissionState::Parked { .. }
            | MissionState::Done { .. } => None,
        }
    }

    fn heartbeat(&self, last_output_age: &str) -> Option<String> {
        match (&self.waits_for, &self.mission.state, self.status) {
            (Some(waits_for), _, _) => Some(format!("Waiting for {waits_for}")),
            (None, MissionState::Ready { .. }, _) => Some("Waiting for a slot".to_owned()),
            (None, _, WorkerStatus::Running) => Some(format!("Worker running; last output {last_output_age} ago")),
            (None, _, _) => None,
        }
    }
}

/// Says what a worker did: what is there by Fleet's evidence, the rest in its agent's words.
fn result(report: &Report) -> WorkerResult {
    let said = report.words().cloned().unwrap_or_default();
    let tested = Some(said.what_tested).filter(|text| !text.trim().is_empty());
    let reported = tested.map(|details| TestRun { command: String::new(), status: "reported".to_owned(), details });
    WorkerResult {
        summary: said.what_done,
        status: ResultStatus::from(said.claim),
        files_changed: report.evidence.files.iter().map(|file| file.path.clone()).collect(),
        tests: report.evidence.checks.iter().map(test_run).chain(reported).collect(),
        commits: report.evidence.commits.iter().map(|commit| commit.oid.clone()).collect(),
        next_steps: said.next_steps.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect(),
    }
}

fn test_run(check: &CheckRun) -> TestRun {
    let status = match &check.outcome {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Failed { .. } | CheckOutcome::TimedOut => "failed",
        CheckOutcome::NotStarted { .. } => "not_run",
    };
    TestRun { command: check.command.clone(), status: status.to_owned(), details: check.outcome.to_string() }
}

fn ended_at(mission: &Mission) -> Option<Timestamp> {
    match &mission.state {
        MissionState::Done { at, .. } | MissionState::Failed { at, .. } | MissionState::Cancelled { at, .. } => {
            Some(*at)
        }
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. } => None,
    }
}

fn epoch(at: Timestamp) -> f64 {
    at.as_millisecond() as f64 / 1_000.0
}

fn secs_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.as_second().saturating_sub(from.as_second())).unwrap_or_default()
}

fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.lines().collect();
    all.get(all.len().saturating_sub(lines)..).unwrap_or_default().join("\n")
}
