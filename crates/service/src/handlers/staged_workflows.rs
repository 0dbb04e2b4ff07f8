//! Workflows of stages, as the tools for workers show them: executions whose steps are called `stage_N`.

use api::codefleet::{
    CancelStagedWorkflow, CleanUpWorker, CleanUpWorkflow, CleanedWorkflow, CollectWorkerResult, CollectWorkflowResult,
    CollectedWorker, CollectedWorkflow, CreateStagedWorkflow, GetWorkflowStatus, ListStagedWorkflows, StageResult,
    StageSummary, StagedStatus, WorkerStatus, WorkflowPayload, WorkflowPayloads, span,
};
use api::{Code, Error};
use store::{Query, by};
use types::{
    Execution, ExecutionState, MissionId, Project, Role, RunKey, Step, StepConfig, StepRun, StepState, Timestamp,
};

use super::LIST_MAX;
use super::executions::Asked;
use crate::{Caller, Handle, Result, Service};

/// How many are listed for which no number was asked.
const LISTED: i32 = 25;

/// The last lines of an output that are shown.
const LOG_LINES: u32 = 80;

impl Handle<CreateStagedWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: CreateStagedWorkflow) -> Result<WorkflowPayload> {
        let member = caller.member()?;
        let definition = op.definition().map_err(|why| Error::new(Code::FIELDS_INVALID, format!("stages: {why}")))?;
        let project = self.project_of_repo(member, &op.repo_path).await?;
        let asked = Asked {
            workflow: None,
            definition,
            inputs: op.inputs(),
            name: op.name,
            project: Some(project.id),
            base: Some(op.base_ref),
            swarm: None,
        };
        let execution = self.begin_execution(member, asked).await?;
        self.staged(&execution).await
    }
}

impl Handle<GetWorkflowStatus> for Service {
    async fn handle(&self, caller: &Caller, op: GetWorkflowStatus) -> Result<WorkflowPayload> {
        let execution = self.execution(caller.member()?, &op.workflow_id).await?;
        self.staged(&execution).await
    }
}

impl Handle<ListStagedWorkflows> for Service {
    async fn handle(&self, caller: &Caller, op: ListStagedWorkflows) -> Result<WorkflowPayloads> {
        let member = caller.member()?;
        let who = self.viewer(member);
        let group = match member.role {
            Role::Owner => by::execution::all(),
            Role::TeamLead | Role::Coordinator | Role::Worker | Role::Merger | Role::Monitor | Role::Notifier => {
                by::execution::team(&member.team)
            }
        };
        let statuses = op.statuses.unwrap_or_default();
        let wanted = |execution: &Execution| {
            let status = word(status(execution));
            who.sees(execution) && (statuses.is_empty() || statuses.iter().any(|asked| asked == status))
        };
        let limit = usize::try_from(op.limit.unwrap_or(LISTED)).map_or(LIST_MAX, |limit| limit.min(LIST_MAX));
        let mut found = self.filtered(Query::latest(group, limit.max(1)), wanted).await?.records;
        found.truncate(limit);
        let mut workflows = Vec::with_capacity(found.len());
        for execution in &found {
            workflows.push(self.staged(execution).await?);
        }
        let count = workflows.len();
        Ok(WorkflowPayloads { workflows, count, summary: format!("{count} workflows") })
    }
}

impl Handle<CancelStagedWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: CancelStagedWorkflow) -> Result<WorkflowPayload> {
        let member = caller.member()?;
        let cancel =
            |execution: &Execution, facts: &workflow::Facts| workflow::cancel(execution, &member.handle, facts);
        let execution = self.steer(member, &op.workflow_id, cancel).await?;
        self.staged(&execution).await
    }
}

impl Handle<CollectWorkflowResult> for Service {
    async fn handle(&self, caller: &Caller, op: CollectWorkflowResult) -> Result<CollectedWorkflow> {
        let execution = self.execution(caller.member()?, &op.workflow_id).await?;
        let workflow = self.staged(&execution).await?;
        let mut results = Vec::new();
        let from = if op.include_all_stages { 0 } else { workflow.stage_summary.len().saturating_sub(1) };
        for stage in workflow.stage_summary.iter().skip(from) {
            let result = match &stage.worker_id {
                Some(worker) => Some(self.collected(caller, worker, op.include_logs).await?),
                None => None,
            };
            results.push(StageResult { index: stage.index, name: stage.name.clone(), status: stage.status, result });
        }
        let last = if op.include_all_stages { None } else { results.pop().and_then(|last| last.result) };
        let all = op.include_all_stages.then_some(results);
        Ok(CollectedWorkflow { workflow, final_result: last, stage_results: all })
    }
}

impl Handle<CleanUpWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: CleanUpWorkflow) -> Result<CleanedWorkflow> {
        let execution = self.execution(caller.member()?, &op.workflow_id).await?;
        let (mut stages_cleaned, mut errors) = (0, Vec::new());
        for mission in execution.steps.values().filter_map(|step| step.state.mission()) {
            let clean = CleanUpWorker { worker_id: mission.clone(), remove_branch: true, remove_worktree_dir: true };
            match self.handle(caller, clean).await {
                Ok(cleaned) => {
                    stages_cleaned += usize::from(cleaned.errors.is_empty());
                    errors.extend(cleaned.errors);
                }
                Err(error) => errors.push(error.to_string()),
            }
        }
        Ok(CleanedWorkflow { workflow_id: execution.id, stages_cleaned, errors })
    }
}

impl Service {
    async fn collected(&self, caller: &Caller, worker: &MissionId, include_logs: bool) -> Result<CollectedWorker> {
        let collect = CollectWorkerResult { worker_id: worker.clone(), include_logs, log_tail_lines: LOG_LINES };
        self.handle(caller, collect).await
    }

    /// Shows an execution as a workflow of stages.
    async fn staged(&self, execution: &Execution) -> Result<WorkflowPayload> {
        let project = match &execution.project {
            Some(project) => self.store.get::<Project>(project).await?,
            None => None,
        };
        let now = self.clock.now();
        let steps = &execution.definition.steps;
        let stages: Vec<StageSummary> =
            steps.iter().enumerate().filter_map(|(index, step)| stage(execution, index, step, now)).collect();
        let (ended, status) = (execution.state.ended(), status(execution));
        let elapsed = span(secs(execution.created_at, ended.unwrap_or(now)));
        let progress = progress(&stages);
        Ok(WorkflowPayload {
            workflow_id: execution.id.clone(),
            name: execution.name.clone(),
            status,
            repo_path: project.map(|project| project.path),
            created_at: stamp(execution.created_at),
            completed_at: ended.map(stamp),
            error_message: match &execution.state {
                ExecutionState::Failed { step, why, .. } => Some(match step {
                    Some(step) => format!("Stage {step}: {why}"),
                    None => why.clone(),
                }),
                ExecutionState::Cancelled { by, .. } => Some(format!("Cancelled by {by}")),
                ExecutionState::Running { .. } | ExecutionState::Paused { .. } | ExecutionState::Completed { .. } => {
                    None
                }
            },
            summary_line: format!("{} {}: {progress}, {elapsed}", execution.id, word(status)),
            stage_summary: stages,
            elapsed,
            progress,
        })
    }
}

fn status(execution: &Execution) -> StagedStatus {
    match &execution.state {
        ExecutionState::Running { .. } | ExecutionState::Paused { .. } => StagedStatus::Running,
        ExecutionState::Completed { .. } => StagedStatus::Succeeded,
        ExecutionState::Failed { .. } => StagedStatus::Failed,
        ExecutionState::Cancelled { .. } => StagedStatus::Cancelled,
    }
}

fn word(status: StagedStatus) -> &'static str {
    match status {
        StagedStatus::Running => "running",
        StagedStatus::Succeeded => "succeeded",
        StagedStatus::Failed => "failed",
        StagedStatus::Cancelled => "cancelled",
    }
}

fn stage(execution: &Execution, index: usize, step: &Step, now: Timestamp) -> Option<StageSummary> {
    let run: &StepRun = execution.steps.get(&RunKey::from(step.key.clone()))?;
    let (status, ended) = match &run.state {
        StepState::Pending => (WorkerStatus::Pending, None),
        StepState::Running { .. } => (WorkerStatus::Running, None),
        StepState::Done { at, .. } => (WorkerStatus::Succeeded, Some(*at)),
        StepState::Failed { at, why, .. } if why.starts_with("it timed out") => (WorkerStatus::TimedOut, Some(*at)),
        StepState::Failed { at, .. } => (WorkerStatus::Failed, Some(*at)),
        StepState::Skipped { at, .. } | StepState::Cancelled { at, .. } => (WorkerStatus::Cancelled, Some(*at)),
    };
    let (executor, model) = match &step.config {
        StepConfig::Spawn(agent) => (agent.agent.clone().unwrap_or_default(), agent.model.clone()),
        StepConfig::Task(_)
        | StepConfig::Script(_)
        | StepConfig::Condition(_)
        | StepConfig::Checkpoint(_)
        | StepConfig::Join(_)
        | StepConfig::Land(_)
        | StepConfig::Wait(_) => (String::new(), None),
    };
    Some(StageSummary {
        index,
        name: step.name.clone().unwrap_or_else(|| step.key.to_string()),
        executor,
        status,
        worker_id: run.state.mission().cloned(),
        status_label: status.label().to_owned(),
        elapsed: span(run.began.and_then(|began| secs(began, ended.unwrap_or(now)))),
        model,
    })
}

fn progress(stages: &[StageSummary]) -> String {
    let count = |status: WorkerStatus| stages.iter().filter(|stage| stage.status == status).count();
    let done = count(WorkerStatus::Succeeded);
    let failed = count(WorkerStatus::Failed) + count(WorkerStatus::TimedOut);
    let (running, pending) = (count(WorkerStatus::Running), count(WorkerStatus::Pending));
    let of = stages.len();
    format!("{done}/{of} stages complete ({done} done, {running} running, {pending} pending, {failed} failed)")
}

fn secs(from: Timestamp, to: Timestamp) -> Option<u64> {
    u64::try_from(to.as_second().saturating_sub(from.as_second())).ok()
}

fn stamp(at: Timestamp) -> f64 {
    at.as_millisecond() as f64 / 1_000.0
}
