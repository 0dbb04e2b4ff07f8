//! How an execution begins: its inputs are checked, and all its steps wait.

use serde_json::{Map, Value};
use types::{
    Definition, Execution, ExecutionId, ExecutionState, Handle, InputKind, LogEntry, ProjectId, RunKey, StepRun,
    TeamName, Timestamp, WorkflowId,
};

/// Most steps of an execution, items included.
pub const RUNS_MAX: usize = 200;

/// Most bytes of its inputs as JSON.
const INPUTS_MAX: usize = 50_000;

/// What is asked of an execution.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its id.
    pub id: ExecutionId,
    /// The team that sees it.
    pub team: TeamName,
    /// What it works on.
    pub project: Option<ProjectId>,
    /// The workflow.
    pub workflow: Option<WorkflowId>,
    /// What people call it.
    pub name: String,
    /// Its steps.
    pub definition: Definition,
    /// What it is given.
    pub inputs: Map<String, Value>,
    /// The commit that its branches start from.
    pub base: Option<String>,
    /// The swarm it belongs to.
    pub swarm: Option<String>,
    /// Who asks.
    pub by: Handle,
}

/// Why an execution does not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BeginError {
    /// An input is missing.
    #[error("Missing required input: {0}")]
    Missing(String),
    /// An input is not of its kind.
    #[error("input `{0}` is not of type {1}")]
    Kind(String, &'static str),
    /// There is no such input.
    #[error("there is no input `{name}`; there are: {known}")]
    Unknown {
        /// Its name.
        name: String,
        /// Those there are.
        known: String,
    },
    /// The inputs are too long.
    #[error("the inputs have {0} bytes; an execution is given at most {INPUTS_MAX}")]
    Long(usize),
}

/// Makes an execution in which nothing has begun.
///
/// # Errors
/// When an input is missing, unknown or of another kind.
pub fn begin(asked: Request, now: Timestamp) -> Result<Execution, BeginError> {
    let Request { id, team, project, workflow, name, definition, inputs, base, swarm, by } = asked;
    let inputs = given(&definition, inputs)?;
    let steps = definition.steps.iter().map(|step| (RunKey::from(step.key.clone()), StepRun::pending(None))).collect();
    Ok(Execution {
        id,
        team,
        project,
        workflow,
        name,
        definition,
        inputs,
        base,
        state: ExecutionState::Running { since: now },
        steps,
        stopping: Vec::new(),
        log: vec![LogEntry { at: now, step: None, what: "started".to_owned(), why: format!("by {by}") }],
        swarm,
        created_by: by,
        created_at: now,
        updated_at: now,
    })
}

fn given(definition: &Definition, mut inputs: Map<String, Value>) -> Result<Map<String, Value>, BeginError> {
    let bytes = serde_json::to_vec(&inputs).map_or(0, |text| text.len());
    if bytes > INPUTS_MAX {
        return Err(BeginError::Long(bytes));
    }
    if let Some(name) = inputs.keys().find(|name| !definition.inputs.contains_key(*name)) {
        let known: Vec<&str> = definition.inputs.keys().map(String::as_str).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(BeginError::Unknown { name: name.chars().take(60).collect(), known });
    }
    for (name, rule) in &definition.inputs {
        match (inputs.get(name), &rule.default) {
            (Some(value), _) if !is_of_kind(value, rule.kind) => {
                return Err(BeginError::Kind(name.clone(), word(rule.kind)));
            }
            (Some(_), _) => {}
            (None, Some(default)) => drop(inputs.insert(name.clone(), default.clone())),
            (None, None) if rule.required => return Err(BeginError::Missing(name.clone())),
            (None, None) => drop(inputs.insert(name.clone(), Value::Null)),
        }
    }
    Ok(inputs)
}

pub(crate) fn is_of_kind(value: &Value, kind: InputKind) -> bool {
    match kind {
        InputKind::String => value.is_string(),
        InputKind::Number => value.is_number(),
        InputKind::Boolean => value.is_boolean(),
        InputKind::Array => value.is_array(),
        InputKind::Object => value.is_object(),
        InputKind::Any => true,
    }
}

fn word(kind: InputKind) -> &'static str {
    match kind {
        InputKind::String => "string",
        InputKind::Number => "number",
        InputKind::Boolean => "boolean",
        InputKind::Array => "array",
        InputKind::Object => "object",
        InputKind::Any => "any",
    }
}
