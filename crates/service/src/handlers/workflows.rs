//! Workflows under a name: made, changed, removed. What their steps mean is decided in crate `workflow`.

use api::claude_fleet::{
    Changed, CreateWorkflow, DeleteWorkflow, GetWorkflow, ListWorkflows, UpdateWorkflow, WorkflowView,
};
use api::{Code, Error, FieldProblem, Listing};
use store::{Query, by};
use tokens::Member;
use types::{Definition, Event, RecordChange, Role, TeamName, Workflow, WorkflowId};

use super::{LIST_MAX, listing, not_found};
use crate::{Caller, Handle, Result, Service};

/// Workflows that a team may have: people choose among them by name.
const WORKFLOWS_MAX: u64 = 500;

impl Handle<CreateWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: CreateWorkflow) -> Result<WorkflowView> {
        let member = caller.member()?;
        makes_sense(&op.definition)?;
        let (stamp, op) = (self.stamp(member, &member.team), &op);
        let (at, team) = (stamp.at, &stamp.team);
        let made = self.store.transact(&stamp, |tx| async move {
            self.workflow_name_is_free(team, &op.name).await?;
            if self.store.count(&by::workflow::team(team)) >= WORKFLOWS_MAX {
                let message = format!("team `{team}` has {WORKFLOWS_MAX} workflows, and no team may have more");
                return Err(Error::new(Code::RECORDS_FULL, message)
                    .hint("Remove one: `fleet workflow delete WORKFLOW`.")
                    .into());
            }
            let workflow = Workflow {
                id: self.draw_id(WorkflowId::from_code)?,
                team: team.clone(),
                name: op.name.clone(),
                description: op.description.clone().unwrap_or_default(),
                version: 1,
                definition: op.definition.clone(),
                is_template: op.is_template.unwrap_or(false),
                created_by: member.handle.clone(),
                created_at: at,
                updated_at: at,
            };
            tx.insert(&workflow)?;
            tx.append(Event::WorkflowChanged { workflow: workflow.id.clone(), change: RecordChange::Created });
            Ok::<_, crate::Error>(workflow)
        });
        Ok(made.await?.into())
    }
}

impl Handle<ListWorkflows> for Service {
    async fn handle(&self, caller: &Caller, op: ListWorkflows) -> Result<Listing<WorkflowView>> {
        let member = caller.member()?;
        let group = match member.role {
            Role::Owner => by::workflow::all(),
            Role::TeamLead | Role::Coordinator | Role::Worker | Role::Merger | Role::Monitor | Role::Notifier => {
                by::workflow::team(&member.team)
            }
        };
        let wanted = |workflow: &Workflow| op.is_template.is_none_or(|wanted| wanted == workflow.is_template);
        let page = self.page_of::<Workflow>(member, Query::earliest(group, LIST_MAX), op.page, wanted).await?;
        Ok(listing(page, WorkflowView::from))
    }
}

impl Handle<GetWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: GetWorkflow) -> Result<WorkflowView> {
        Ok(self.workflow(caller.member()?, &op.id).await?.into())
    }
}

impl Handle<UpdateWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: UpdateWorkflow) -> Result<WorkflowView> {
        let member = caller.member()?;
        if let Some(definition) = &op.definition {
            makes_sense(definition)?;
        }
        let stamp = self.stamp(member, &self.workflow(member, &op.id).await?.team);
        let (op, at) = (&op, stamp.at);
        let changed = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Workflow>(&op.id).await?.ok_or_else(not_found::workflow)?;
            let mut workflow = held.record.clone();
            workflow.description = op.description.clone().unwrap_or(workflow.description);
            workflow.definition = op.definition.clone().unwrap_or(workflow.definition);
            if workflow == held.record {
                return Ok(workflow);
            }
            (workflow.version, workflow.updated_at) = (workflow.version.saturating_add(1), at);
            tx.update(&held, &workflow)?;
            tx.append(Event::WorkflowChanged { workflow: workflow.id.clone(), change: RecordChange::Updated });
            Ok::<_, crate::Error>(workflow)
        });
        Ok(changed.await?.into())
    }
}

impl Handle<DeleteWorkflow> for Service {
    async fn handle(&self, caller: &Caller, op: DeleteWorkflow) -> Result<Changed<WorkflowId>> {
        let member = caller.member()?;
        let stamp = self.stamp(member, &self.workflow(member, &op.id).await?.team);
        let id = &op.id;
        let gone = self.store.transact(&stamp, |tx| async move {
            let held = tx.get::<Workflow>(id).await?.ok_or_else(not_found::workflow)?;
            tx.delete(&held);
            tx.append(Event::WorkflowChanged { workflow: id.clone(), change: RecordChange::Deleted });
            Ok::<_, crate::Error>(())
        });
        gone.await?;
        Ok(Changed::new(op.id))
    }
}

impl Service {
    pub(super) async fn workflow(&self, member: &Member, id: &WorkflowId) -> Result<Workflow> {
        self.read_seen(member, id, not_found::workflow).await
    }

    async fn workflow_name_is_free(&self, team: &TeamName, name: &str) -> Result<()> {
        let query = Query::earliest(by::workflow::team(team), LIST_MAX);
        match self.first::<Workflow>(query, |workflow| workflow.name == name).await?.first() {
            Some(other) => {
                let message = format!("name: `{name}` is taken by `{}`", other.id);
                let hint =
                    format!("Choose another name, or change that one; `fleet workflow show {}` shows it.", other.id);
                Err(Error::new(Code::RECORD_EXISTS, message).hint(hint).into())
            }
            None => Ok(()),
        }
    }
}

/// Refuses a definition of which an execution could not end.
pub(super) fn makes_sense(definition: &Definition) -> Result<()> {
    let problems = workflow::check(definition);
    if problems.is_empty() {
        return Ok(());
    }
    let fields = problems.into_iter().map(|problem| {
        let path = format!("/definition{}", problem.at);
        FieldProblem {
            path: path.split('/').skip(1).map(str::to_owned).collect(),
            message: problem.message,
            given: None,
            missing: false,
        }
    });
    Err(Error::fields(fields.collect()).into())
}
