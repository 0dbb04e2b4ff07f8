//! Workflows: definitions under a name, and their executions.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use types::{Definition, ExecutionId, Handle, MissionId, ProjectId, StepKey, StepRef, Workflow, WorkflowId};

use super::session_node::millis;
use crate::Page;

/// Create a workflow
///
/// Steps that wait for each other in a circle, and names that stand for nothing, are refused. `docs/workflows.md` explains
/// the steps.
#[input(camelCase)]
pub struct CreateWorkflow {
    /// Its name; no other workflow of the team has it
    #[schemars(regex(pattern = "^[A-Za-z0-9_-]{1,100}$"))]
    pub name: String,
    /// What it is for
    #[schemars(length(max = 500))]
    pub description: Option<String>,
    /// Its steps, with what they are given and answer
    pub definition: Definition,
    /// Whether it is listed as a template
    pub is_template: Option<bool>,
}

/// List workflows, by name
#[input(Default, camelCase)]
pub struct ListWorkflows {
    /// Only templates, or only others
    pub is_template: Option<bool>,
    #[group]
    pub page: Page,
}

/// Show a workflow
#[input]
pub struct GetWorkflow {
    /// The workflow
    pub id: WorkflowId,
}

/// Change a workflow; executions keep the definition that they began with
#[input(camelCase)]
pub struct UpdateWorkflow {
    /// The workflow
    pub id: WorkflowId,
    /// What it is for
    #[schemars(length(max = 500))]
    pub description: Option<String>,
    /// Its steps, with what they are given and answer
    pub definition: Option<Definition>,
}

/// Delete a workflow; its executions stay
#[input]
pub struct DeleteWorkflow {
    /// The workflow
    pub id: WorkflowId,
}

/// Start a workflow
#[input(camelCase)]
pub struct StartWorkflow {
    /// The workflow
    pub id: WorkflowId,
    /// What it is given, by name
    pub inputs: Option<Map<String, Value>>,
    /// The swarm it belongs to
    #[schemars(length(max = 100))]
    pub swarm_id: Option<String>,
    /// The project that its agents work on
    pub project: Option<ProjectId>,
    /// What branches start from: a branch or a commit; the target branch, if unset
    #[schemars(length(min = 1, max = 200))]
    pub base: Option<String>,
}

/// List executions, newest first
#[input(Default, camelCase)]
pub struct ListExecutions {
    /// Only those of this workflow
    pub workflow_id: Option<WorkflowId>,
    /// Only those in this state
    pub status: Option<ExecutionStatus>,
    /// Only those of this swarm
    #[schemars(length(max = 100))]
    pub swarm_id: Option<String>,
    #[group]
    pub page: Page,
}

/// Show an execution
#[input]
pub struct GetExecution {
    /// The execution
    pub id: ExecutionId,
}

/// Let no further step of an execution begin
#[input]
pub struct PauseExecution {
    /// The execution
    pub id: ExecutionId,
}

/// Let the steps of a paused execution begin again
#[input]
pub struct ResumeExecution {
    /// The execution
    pub id: ExecutionId,
}

/// Cancel an execution; its agents are stopped, and their branches stay
#[input]
pub struct CancelExecution {
    /// The execution
    pub id: ExecutionId,
}

/// List the steps of an execution, with why each is where it is
#[input]
pub struct ListExecutionSteps {
    /// The execution
    pub id: ExecutionId,
}

/// List what happened in an execution, newest first
#[input]
pub struct ListExecutionEvents {
    /// The execution
    pub id: ExecutionId,
    /// Most entries to return; 100, if unset
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
}

/// Try a failed step again; what was called off with it waits again
#[input]
pub struct RetryStep {
    /// The step
    pub id: StepRef,
}

/// Complete a step that waits for a person
#[input]
pub struct CompleteStep {
    /// The step
    pub id: StepRef,
    /// What later steps see as its output
    pub output: Option<Map<String, Value>>,
    /// Why it fails instead
    #[schemars(length(min = 1, max = 1000))]
    pub error: Option<String>,
}

/// A workflow
#[output(camelCase)]
pub struct WorkflowView {
    /// Its id
    pub id: WorkflowId,
    /// Its name
    pub name: String,
    /// What it is for
    pub description: Option<String>,
    /// Counts its definitions, from 1
    pub version: u32,
    /// Its steps, with what they are given and answer
    pub definition: Definition,
    /// Whether it is listed as a template
    pub is_template: bool,
    /// When it was made, in milliseconds since 1970
    pub created_at: u64,
    /// When it last changed, in milliseconds since 1970
    pub updated_at: u64,
}

/// The state of an execution
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// Nothing has begun
    Pending,
    /// Its steps run
    Running,
    /// No further step begins
    Paused,
    /// All its steps are over
    Completed,
    /// A step failed, or time ran out
    Failed,
    /// It was called off
    Cancelled,
}

/// An execution of a workflow
#[output(camelCase)]
pub struct ExecutionView {
    /// Its id
    pub id: ExecutionId,
    /// What people call it
    pub name: String,
    /// Its state
    pub status: ExecutionStatus,
    /// How many of its steps are over
    pub steps_over: usize,
    /// How many it has
    pub steps_total: usize,
    /// What it waits for, or why it ended, in one sentence
    pub why: String,
    /// The workflow; unset if its definition was sent along
    pub workflow_id: Option<WorkflowId>,
    /// The project that its agents work on
    pub project_id: Option<ProjectId>,
    /// The swarm it belongs to
    pub swarm_id: Option<String>,
    /// What it was given
    pub context: ExecutionContext,
    /// What it answers, once it is completed
    pub outputs: Option<Map<String, Value>>,
    /// When it began, in milliseconds since 1970
    pub started_at: Option<u64>,
    /// When it ended, in milliseconds since 1970
    pub completed_at: Option<u64>,
    /// Why it failed
    pub error: Option<String>,
    /// When it was asked for, in milliseconds since 1970
    pub created_at: u64,
    /// Who asked for it
    pub created_by: Handle,
}

/// What an execution was given
#[output]
pub struct ExecutionContext {
    /// By name
    pub inputs: Map<String, Value>,
}

/// The state of a step
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// It waits for other steps
    Pending,
    /// It begins as soon as the execution is resumed
    Ready,
    /// It runs
    Running,
    /// It is over
    Completed,
    /// It failed
    Failed,
    /// It did not run, or was called off
    Skipped,
    /// It waits for a person
    Blocked,
}

/// A step of an execution
#[output(camelCase)]
pub struct StepView {
    /// Its id
    pub id: StepRef,
    /// Its state
    pub status: StepStatus,
    /// Why, in one sentence
    pub why: String,
    /// Its mission
    pub mission_id: Option<MissionId>,
    /// What it does
    pub step_type: String,
    /// What people call it
    pub name: String,
    /// What other steps call it
    pub step_key: String,
    /// Its execution
    pub execution_id: ExecutionId,
    /// What it needs
    pub config: Value,
    /// The steps that must be over before it begins
    pub depends_on: Vec<StepKey>,
    /// How many of them are not over
    pub blocked_by_count: usize,
    /// What it answered beside the report of its mission
    pub output: Option<Value>,
    /// Who is to do it
    pub assigned_to: Option<Handle>,
    /// When its last try began, in milliseconds since 1970
    pub started_at: Option<u64>,
    /// When it ended, in milliseconds since 1970
    pub completed_at: Option<u64>,
    /// Why it failed
    pub error: Option<String>,
    /// How often it was tried again
    pub retry_count: u32,
    /// How often it may be
    pub max_retries: u32,
}

/// Something that happened in an execution
#[output(camelCase)]
pub struct ExecutionEvent {
    /// Counts the events that are kept, from 1
    pub id: usize,
    /// The execution
    pub execution_id: ExecutionId,
    /// The step; unset for the whole
    pub step_id: Option<StepRef>,
    /// The state it is in since
    pub event_type: String,
    /// Who did it, if a person did
    pub actor: Option<String>,
    /// Why, or the mission
    pub details: Option<String>,
    /// When, in milliseconds since 1970
    pub created_at: u64,
}

/// A workflow, an execution or a step that was changed
#[output]
pub struct Changed<I> {
    /// Always true
    pub success: bool,
    /// Its id
    pub id: I,
}

impl<I> Changed<I> {
    /// Says that it was.
    #[must_use]
    pub fn new(id: I) -> Self {
        Self { success: true, id }
    }
}

impl From<Workflow> for WorkflowView {
    fn from(workflow: Workflow) -> Self {
        Self {
            id: workflow.id,
            name: workflow.name,
            description: Some(workflow.description).filter(|text| !text.is_empty()),
            version: workflow.version,
            definition: workflow.definition,
            is_template: workflow.is_template,
            created_at: millis(workflow.created_at),
            updated_at: millis(workflow.updated_at),
        }
    }
}
