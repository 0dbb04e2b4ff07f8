//! Executions and their steps, in this contract's words.

use serde_json::{Value, json};
use types::{
    Execution, ExecutionState, ExecutionStateName, RunKey, Step, StepConfig, StepKey, StepRef, StepRun, StepState,
    StepWork, Timestamp,
};

use super::session_node::millis;
use super::workflows::{ExecutionContext, ExecutionEvent, ExecutionStatus, ExecutionView, StepStatus, StepView};

impl From<ExecutionStateName> for ExecutionStatus {
    fn from(state: ExecutionStateName) -> Self {
        match state {
            ExecutionStateName::Running => Self::Running,
            ExecutionStateName::Paused => Self::Paused,
            ExecutionStateName::Completed => Self::Completed,
            ExecutionStateName::Failed => Self::Failed,
            ExecutionStateName::Cancelled => Self::Cancelled,
        }
    }
}

impl ExecutionStatus {
    /// Returns the state that it stands for; none for one that executions of Fleet never have.
    #[must_use]
    pub fn state(self) -> Option<ExecutionStateName> {
        Some(match self {
            Self::Pending => return None,
            Self::Running => ExecutionStateName::Running,
            Self::Paused => ExecutionStateName::Paused,
            Self::Completed => ExecutionStateName::Completed,
            Self::Failed => ExecutionStateName::Failed,
            Self::Cancelled => ExecutionStateName::Cancelled,
        })
    }
}

impl From<Execution> for ExecutionView {
    fn from(execution: Execution) -> Self {
        let own: Vec<&StepRun> =
            execution.steps.iter().filter(|(run, _)| run.item.is_none()).map(|(_, step)| step).collect();
        let (steps_over, steps_total) = (own.iter().filter(|step| step.state.is_over()).count(), own.len());
        let why = why(&execution);
        let (outputs, error) = match &execution.state {
            ExecutionState::Completed { outputs, .. } => (Some(outputs.clone()), None),
            ExecutionState::Failed { .. } => (None, Some(why.clone())),
            ExecutionState::Running { .. } | ExecutionState::Paused { .. } | ExecutionState::Cancelled { .. } => {
                (None, None)
            }
        };
        Self {
            status: execution.state.name().into(),
            completed_at: execution.state.ended().map(millis),
            id: execution.id,
            name: execution.name,
            workflow_id: execution.workflow,
            swarm_id: execution.swarm,
            project_id: execution.project,
            context: ExecutionContext { inputs: execution.inputs },
            outputs,
            steps_over,
            steps_total,
            why,
            started_at: Some(millis(execution.created_at)),
            error,
            created_at: millis(execution.created_at),
            created_by: execution.created_by,
        }
    }
}

/// Says what an execution waits for, or why it ended.
fn why(execution: &Execution) -> String {
    match &execution.state {
        ExecutionState::Completed { .. } => "all its steps are over".to_owned(),
        ExecutionState::Failed { step: Some(step), why, .. } => format!("step `{step}`: {why}"),
        ExecutionState::Failed { step: None, why, .. } => why.clone(),
        ExecutionState::Cancelled { by, .. } => format!("{by} cancelled it"),
        ExecutionState::Paused { by, .. } => format!("{by} paused it: `fleet workflow resume {}`", execution.id),
        ExecutionState::Running { .. } => {
            let running = execution
                .steps
                .iter()
                .filter_map(|(run, step)| Some(format!("{run}: {}", waits(execution, run, step)?)));
            let running: Vec<String> = running.collect();
            if running.is_empty() { "its next steps begin".to_owned() } else { running.join("; ") }
        }
    }
}

/// Says what a running step waits for.
fn waits(execution: &Execution, run: &RunKey, step: &StepRun) -> Option<String> {
    let StepState::Running { work } = &step.state else { return None };
    let id = &execution.id;
    Some(match work {
        StepWork::Mission { mission, blocked: None } => {
            format!("mission {mission} runs or waits: `fleet why {mission}`")
        }
        StepWork::Mission { mission, blocked: Some(why) } => {
            format!("mission {mission} is parked: {why}: `fleet why {mission}`")
        }
        StepWork::Landing { mission, blocked: None } => format!("the work of mission {mission} lands"),
        StepWork::Landing { mission, blocked: Some(why) } => {
            format!("the work of mission {mission} cannot land: {why}: `fleet why {mission}`")
        }
        StepWork::Person { goal } => format!("a person decides: {goal}: `fleet workflow complete {id}.{run}`"),
        StepWork::Steps => "the steps that it joins are not over".to_owned(),
        StepWork::Items { count } => format!("its {count} items are not all over"),
        StepWork::Until { at } => format!("it waits until {at:.0}"),
    })
}

impl StepView {
    /// Shows the steps of an execution, in the order of its definition.
    #[must_use]
    pub fn of(execution: &Execution) -> Vec<Self> {
        let mut views = Vec::new();
        for step in &execution.definition.steps {
            let runs = execution.steps.iter().filter(|(run, _)| run.step == step.key);
            views.extend(runs.map(|(run, state)| view(execution, step, run, state)));
        }
        views
    }
}

fn view(execution: &Execution, step: &Step, run: &RunKey, state: &StepRun) -> StepView {
    let is_open =
        |key: &&StepKey| execution.steps.get(&RunKey::from((*key).clone())).is_some_and(|step| !step.state.is_over());
    let open: Vec<&StepKey> = step.depends_on.iter().filter(is_open).collect();
    let config = serde_json::to_value(&step.config).unwrap_or_default();
    let ended: Option<Timestamp> = match &state.state {
        StepState::Pending | StepState::Running { .. } => None,
        StepState::Done { at, .. }
        | StepState::Failed { at, .. }
        | StepState::Skipped { at, .. }
        | StepState::Cancelled { at, .. } => Some(*at),
    };
    StepView {
        id: StepRef { execution: execution.id.clone(), run: run.clone() },
        execution_id: execution.id.clone(),
        step_key: run.to_string(),
        name: step.name.clone().unwrap_or_else(|| step.key.to_string()),
        step_type: config["type"].as_str().unwrap_or_default().to_owned(),
        status: status(execution, state, open.len()),
        why: step_why(execution, run, state, &open),
        config: config["config"].clone(),
        depends_on: step.depends_on.clone(),
        blocked_by_count: open.len(),
        output: match &state.state {
            StepState::Done { value, .. } => Some(value.clone()).filter(|value| !value.is_null()),
            StepState::Running { work: StepWork::Person { goal } } => Some(json!({ "goal": goal })),
            StepState::Pending
            | StepState::Running { .. }
            | StepState::Failed { .. }
            | StepState::Skipped { .. }
            | StepState::Cancelled { .. } => None,
        },
        mission_id: state.state.mission().cloned(),
        assigned_to: assigned(step),
        started_at: state.began.map(millis),
        completed_at: ended.map(millis),
        error: match &state.state {
            StepState::Failed { why, .. } => Some(why.clone()),
            StepState::Pending
            | StepState::Running { .. }
            | StepState::Done { .. }
            | StepState::Skipped { .. }
            | StepState::Cancelled { .. } => None,
        },
        retry_count: state.attempt.saturating_sub(1),
        max_retries: step.max_retries,
    }
}

fn assigned(step: &Step) -> Option<types::Handle> {
    match &step.config {
        StepConfig::Task(task) => task.assign_to.clone(),
        StepConfig::Checkpoint(checkpoint) => checkpoint.to_handle.clone(),
        StepConfig::Spawn(_)
        | StepConfig::Script(_)
        | StepConfig::Condition(_)
        | StepConfig::Join(_)
        | StepConfig::Land(_)
        | StepConfig::Wait(_) => None,
    }
}

fn status(execution: &Execution, step: &StepRun, open: usize) -> StepStatus {
    match &step.state {
        StepState::Pending if open == 0 && execution.state.is_live() => StepStatus::Ready,
        StepState::Pending => StepStatus::Pending,
        StepState::Running {
            work:
                StepWork::Mission { blocked: Some(_), .. }
                | StepWork::Landing { blocked: Some(_), .. }
                | StepWork::Person { .. },
        } => StepStatus::Blocked,
        StepState::Running { .. } => StepStatus::Running,
        StepState::Done { .. } => StepStatus::Completed,
        StepState::Failed { .. } => StepStatus::Failed,
        StepState::Skipped { .. } | StepState::Cancelled { .. } => StepStatus::Skipped,
    }
}

fn step_why(execution: &Execution, run: &RunKey, step: &StepRun, open: &[&StepKey]) -> String {
    match &step.state {
        StepState::Pending if open.is_empty() => "it begins when the execution goes on".to_owned(),
        StepState::Pending => {
            let open: Vec<String> = open.iter().map(|key| format!("`{key}`")).collect();
            format!("it waits for {}", open.join(", "))
        }
        StepState::Running { .. } => waits(execution, run, step).unwrap_or_default(),
        StepState::Done { .. } => "it is done".to_owned(),
        StepState::Failed { why, .. } | StepState::Skipped { why, .. } => why.clone(),
        StepState::Cancelled { cause, .. } => format!("it was called off: {cause}"),
    }
}

impl ExecutionEvent {
    /// Shows what happened in an execution, newest first.
    #[must_use]
    pub fn of(execution: &Execution, limit: usize) -> Vec<Self> {
        let event = |(place, entry): (usize, &types::LogEntry)| {
            let actor = entry.why.strip_prefix("by ").map(str::to_owned);
            let details = Value::from(entry.why.clone());
            Self {
                id: place + 1,
                execution_id: execution.id.clone(),
                step_id: entry.step.clone().map(|run| StepRef { execution: execution.id.clone(), run }),
                event_type: entry.what.clone(),
                details: details.as_str().filter(|text| !text.is_empty() && actor.is_none()).map(str::to_owned),
                actor,
                created_at: millis(entry.at),
            }
        };
        execution.log.iter().enumerate().rev().take(limit).map(event).collect()
    }
}
