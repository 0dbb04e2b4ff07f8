//! Executions of workflows: begun, shown and steered. `workflow-runner` keeps them going.

use std::path::Path;

use api::claude_fleet::{
    CancelExecution, Changed, CompleteStep, ExecutionEvent, ExecutionView, GetExecution, ListExecutionEvents,
    ListExecutionSteps, ListExecutions, PauseExecution, ResumeExecution, RetryStep, StartWorkflow, StepView,
};
use api::fleet::RunWorkflow;
use api::{Code, Error, Listing};
use serde_json::{Map, Value};
use sessions::Combined;
use store::{Query, by};
use tokens::Member;
use types::{Definition, Execution, ExecutionId, Project, ProjectId, Role, StepRef, WorkflowId};
use workflow::{CommandError, Facts};

use super::workflows::makes_sense;
use super::{LIST_MAX, limit, listing, not_found};
use crate::{Caller, Handle, Result, Service};

/// Events of an execution that are shown unless more are asked for.
const EVENTS: u32 = 100;

/// What is asked of an execution.
pub(super) struct Asked {
    pub(super) workflow: Option<WorkflowId>,
    pub(super) name: String,
    pub(super) definition: Definition,
    pub(super) inputs: Map<String, Value>,
    pub(super) project: Option<ProjectId>,
    pub(super) base: Option<String>,
    pub(super) swarm: Option<String>,
}

impl Handle<StartWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: StartWorkflow) -> Result<ExecutionView> {
        let member = caller.member()?;
        let workflow = self.workflow(member, &op.id).await?;
        let asked = Asked {
            workflow: Some(workflow.id),
            name: workflow.name,
            definition: workflow.definition,
            inputs: op.inputs.unwrap_or_default(),
            project: op.project,
            base: op.base,
            swarm: op.swarm_id,
        };
        Ok(self.begin_execution(member, asked).await?.into())
    }
}

impl Handle<RunWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: RunWorkflow) -> Result<ExecutionView> {
        let asked = Asked {
            workflow: None,
            name: op.name,
            definition: op.definition,
            inputs: op.inputs.unwrap_or_default(),
            project: op.project,
            base: op.base,
            swarm: None,
        };
        Ok(self.begin_execution(caller.member()?, asked).await?.into())
    }
}

impl Handle<ListExecutions> for Service {
    async fn handle(&self, caller: &Caller, op: ListExecutions) -> Result<Listing<ExecutionView>> {
        let member = caller.member()?;
        let group = match &op.workflow_id {
            Some(workflow) => by::execution::workflow(workflow),
            None if member.role == Role::Owner => by::execution::all(),
            None => by::execution::team(&member.team),
        };
        let wanted = |execution: &Execution| {
            op.status.is_none_or(|status| status.state() == Some(execution.state.name()))
                && op.swarm_id.as_ref().is_none_or(|swarm| execution.swarm.as_ref() == Some(swarm))
        };
        let page = self.page_of::<Execution>(member, Query::latest(group, LIST_MAX), op.page, wanted).await?;
        Ok(listing(page, ExecutionView::from))
    }
}

impl Handle<GetExecution> for Service {
    async fn handle(&self, caller: &Caller, op: GetExecution) -> Result<ExecutionView> {
        Ok(self.execution(caller.member()?, &op.id).await?.into())
    }
}

impl Handle<ListExecutionSteps> for Service {
    async fn handle(&self, caller: &Caller, op: ListExecutionSteps) -> Result<Listing<StepView>> {
        Ok(Listing::whole(StepView::of(&self.execution(caller.member()?, &op.id).await?)))
    }
}

impl Handle<ListExecutionEvents> for Service {
    async fn handle(&self, caller: &Caller, op: ListExecutionEvents) -> Result<Listing<ExecutionEvent>> {
        let execution = self.execution(caller.member()?, &op.id).await?;
        Ok(Listing::whole(ExecutionEvent::of(&execution, limit(Some(op.limit.unwrap_or(EVENTS))))))
    }
}

impl Handle<PauseExecution> for Service {
    async fn handle(&self, caller: &Caller, op: PauseExecution) -> Result<Changed<ExecutionId>> {
        let member = caller.member()?;
        self.steer(member, &op.id, |execution, facts| workflow::pause(execution, &member.handle, facts)).await?;
        Ok(Changed::new(op.id))
    }
}

impl Handle<ResumeExecution> for Service {
    async fn handle(&self, caller: &Caller, op: ResumeExecution) -> Result<Changed<ExecutionId>> {
        let member = caller.member()?;
        self.steer(member, &op.id, |execution, facts| workflow::resume(execution, &member.handle, facts)).await?;
        Ok(Changed::new(op.id))
    }
}

impl Handle<CancelExecution> for Service {
    async fn handle(&self, caller: &Caller, op: CancelExecution) -> Result<Changed<ExecutionId>> {
        let member = caller.member()?;
        self.steer(member, &op.id, |execution, facts| workflow::cancel(execution, &member.handle, facts)).await?;
        Ok(Changed::new(op.id))
    }
}

impl Handle<RetryStep> for Service {
    async fn handle(&self, caller: &Caller, op: RetryStep) -> Result<Changed<StepRef>> {
        let (member, StepRef { execution, run }) = (caller.member()?, &op.id);
        self.steer(member, execution, |found, facts| workflow::restart(found, run, &member.handle, facts)).await?;
        Ok(Changed::new(op.id))
    }
}

impl Handle<CompleteStep> for Service {
    async fn handle(&self, caller: &Caller, op: CompleteStep) -> Result<Changed<StepRef>> {
        let (member, StepRef { execution, run }) = (caller.member()?, &op.id);
        let answer = match (&op.output, &op.error) {
            (_, Some(why)) => Err(why.clone()),
            (output, None) => Ok(Value::Object(output.clone().unwrap_or_default())),
        };
        let answer = &answer;
        self.steer(member, execution, |found, facts| {
            workflow::complete(found, run, answer.clone(), &member.handle, facts)
        })
        .await?;
        Ok(Changed::new(op.id))
    }
}

impl Service {
    pub(super) async fn execution(&self, member: &Member, id: &ExecutionId) -> Result<Execution> {
        self.read_seen(member, id, not_found::execution).await
    }

    /// Begins an execution; its first steps begin once it is stored.
    pub(super) async fn begin_execution(&self, member: &Member, asked: Asked) -> Result<Execution> {
        makes_sense(&asked.definition)?;
        let project = match &asked.project {
            Some(project) => Some(self.read_seen::<Project>(member, project, not_found::project_named).await?),
            None => None,
        };
        let base = self.base_commit(project.as_ref(), asked.base.as_deref()).await?;
        let team = project.as_ref().map_or_else(|| member.team.clone(), |project| project.team.clone());
        let (stamp, asked, base) = (self.stamp(member, &team), &asked, &base);
        let at = stamp.at;
        let made = self.store.transact(&stamp, |tx| {
            let team = team.clone();
            async move {
                let request = workflow::Request {
                    id: self.draw_id(ExecutionId::from_code)?,
                    team,
                    project: asked.project.clone(),
                    workflow: asked.workflow.clone(),
                    name: asked.name.clone(),
                    definition: asked.definition.clone(),
                    inputs: asked.inputs.clone(),
                    base: base.clone(),
                    swarm: asked.swarm.clone(),
                    by: member.handle.clone(),
                };
                let execution = workflow::begin(request, at).map_err(|refused| {
                    Error::new(Code::FIELDS_INVALID, refused.to_string())
                        .hint("`fleet workflow show WORKFLOW` shows its inputs; `--input NAME=VALUE` gives one.")
                })?;
                tx.insert(&execution)?;
                workflow_runner::changed(&tx, None, &execution);
                Ok::<_, crate::Error>(execution)
            }
        });
        made.await
    }

    /// Returns the commit that the branches of an execution start from, so that all of them start from the same.
    async fn base_commit(&self, project: Option<&Project>, base: Option<&str>) -> Result<Option<String>> {
        let Some(project) = project else { return Ok(None) };
        let on = match base {
            Some("HEAD") => None,
            Some(base) => Some(base.to_owned()),
            None => self.sessions.target_branch(project).await,
        };
        match self.sessions.combine(Path::new(&project.path), on.as_deref(), &[]).await {
            Ok(Combined::Commit(commit)) => Ok(Some(commit)),
            // A folder without git: agents work in it as it is.
            Err(_) if base.is_none() => Ok(None),
            Ok(Combined::Conflict { .. } | Combined::Gone { .. }) => Ok(None),
            Err(why) => Err(Error::new(Code::FIELDS_INVALID, format!("base: {why}"))
                .hint("Give a branch of the repository, the full id of a commit, or `HEAD`.")
                .into()),
        }
    }

    /// Changes an execution as a person asks; what follows from that is the runner's.
    pub(super) async fn steer(
        &self,
        member: &Member,
        id: &ExecutionId,
        change: impl Fn(&Execution, &Facts) -> std::result::Result<Execution, CommandError>,
    ) -> Result<Execution> {
        let stamp = self.stamp(member, &self.execution(member, id).await?.team);
        let (facts, change) = (&Facts { now: stamp.at, ..Facts::default() }, &change);
        let steered = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Execution>(id).await?.ok_or_else(not_found::execution)?;
            let next = change(&held.record, facts).map_err(|refused| refusal(id, &refused))?;
            if next != held.record {
                tx.update(&held, &next)?;
                workflow_runner::changed(&tx, Some(&held.record), &next);
            }
            Ok::<_, crate::Error>(next)
        });
        steered.await
    }
}

fn refusal(id: &ExecutionId, refused: &CommandError) -> Error {
    let message = refused.to_string();
    match refused {
        CommandError::NoStep(_) => not_found::step(),
        CommandError::Long(_) => Error::new(Code::FIELDS_INVALID, message),
        CommandError::Judged { mission, .. } => {
            Error::new(Code::EXECUTION_STATE, message).hint(format!("`fleet why {mission}` shows what it waits for."))
        }
        CommandError::State(_) | CommandError::Step { .. } => Error::new(Code::EXECUTION_STATE, message)
            .hint(format!("`fleet workflow steps {id}` shows how its steps stand.")),
    }
}
