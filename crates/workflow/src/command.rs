//! What people do with an execution.

use serde_json::{Value, json};
use types::{Execution, ExecutionState, ExecutionStateName, Handle, RunKey, StepState, StepWork};

use crate::advance::{Facts, Work};

/// Most bytes of what a person answers, as JSON.
const ANSWER_MAX: usize = 4_000;

/// Why something is not done with an execution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It is not in a state for it.
    #[error("the execution is {0}")]
    State(&'static str),
    /// The step is not in a state for it.
    #[error("step `{step}` is {state}")]
    Step {
        /// The step.
        step: RunKey,
        /// Its state.
        state: &'static str,
    },
    /// Fleet judges the work of missions itself.
    #[error("step `{step}` ends with its mission `{mission}`, whose work Fleet judges")]
    Judged {
        /// The step.
        step: RunKey,
        /// Its mission.
        mission: String,
    },
    /// The answer is too long.
    #[error("the output has {0} bytes; at most {ANSWER_MAX} are kept")]
    Long(usize),
    /// There is no such step.
    #[error("there is no step `{0}`")]
    NoStep(RunKey),
}

/// The states in which steps may still change.
const LIVE: [ExecutionStateName; 2] = [ExecutionStateName::Running, ExecutionStateName::Paused];

/// Lets no further step begin; one that is paused stays so.
///
/// # Errors
/// When it has ended.
pub fn pause(execution: &Execution, by: &Handle, facts: &Facts) -> Result<Execution, CommandError> {
    must_be(execution, &LIVE)?;
    if execution.state.name() == ExecutionStateName::Paused {
        return Ok(execution.clone());
    }
    let mut work = Work::new(execution.clone(), facts);
    work.log(None, "paused", format!("by {by}"));
    work.execution.state = ExecutionState::Paused { since: facts.now, by: by.clone() };
    Ok(changed(work))
}

/// Lets steps begin again; one that runs goes on.
///
/// # Errors
/// When it has ended.
pub fn resume(execution: &Execution, by: &Handle, facts: &Facts) -> Result<Execution, CommandError> {
    must_be(execution, &LIVE)?;
    if execution.state.name() == ExecutionStateName::Running {
        return Ok(execution.clone());
    }
    let mut work = Work::new(execution.clone(), facts);
    work.log(None, "resumed", format!("by {by}"));
    work.execution.state = ExecutionState::Running { since: facts.now };
    Ok(changed(work))
}

/// Calls everything off that is not over.
///
/// # Errors
/// When it has ended.
pub fn cancel(execution: &Execution, by: &Handle, facts: &Facts) -> Result<Execution, CommandError> {
    must_be(execution, &LIVE)?;
    let mut work = Work::new(execution.clone(), facts);
    work.end(ExecutionState::Cancelled { at: facts.now, by: by.clone() });
    Ok(changed(work))
}

/// Tries a step again that failed; what was called off with it waits again.
///
/// # Errors
/// When the step did not fail.
pub fn restart(execution: &Execution, run: &RunKey, by: &Handle, facts: &Facts) -> Result<Execution, CommandError> {
    let step = execution.steps.get(run).ok_or_else(|| CommandError::NoStep(run.clone()))?;
    if !matches!(step.state, StepState::Failed { .. }) {
        return Err(CommandError::Step { step: run.clone(), state: step.state.name().as_str() });
    }
    must_be(execution, &[ExecutionStateName::Failed, ExecutionStateName::Running, ExecutionStateName::Paused])?;
    let mut work = Work::new(execution.clone(), facts);
    work.log(Some(run), "retried", format!("by {by}"));
    let has_ended = !execution.state.is_live();
    let again: Vec<RunKey> = execution
        .steps
        .iter()
        .filter(|(other, step)| {
            let called_off = has_ended && matches!(step.state, StepState::Cancelled { .. });
            // The items of a step that failed begin with it.
            let of_it = other.step == run.step && matches!(step.state, StepState::Failed { .. });
            called_off || of_it
        })
        .map(|(other, _)| other.clone())
        .collect();
    for other in again {
        work.set(&other, StepState::Pending);
    }
    if has_ended {
        work.execution.state = ExecutionState::Running { since: facts.now };
    }
    Ok(changed(work))
}

/// Ends a step that waits for a person.
///
/// # Errors
/// When it does not, or the answer is too long.
pub fn complete(
    execution: &Execution,
    run: &RunKey,
    answer: Result<Value, String>,
    by: &Handle,
    facts: &Facts,
) -> Result<Execution, CommandError> {
    let step = execution.steps.get(run).ok_or_else(|| CommandError::NoStep(run.clone()))?;
    let bytes = answer.as_ref().map_or_else(|why| why.len(), |value| value.to_string().len());
    if bytes > ANSWER_MAX {
        return Err(CommandError::Long(bytes));
    }
    must_be(execution, &LIVE)?;
    match &step.state {
        StepState::Running { work: StepWork::Person { .. } } => {}
        StepState::Running { work: StepWork::Mission { mission, .. } | StepWork::Landing { mission, .. } } => {
            return Err(CommandError::Judged { step: run.clone(), mission: mission.to_string() });
        }
        StepState::Running { work: StepWork::Steps | StepWork::Items { .. } | StepWork::Until { .. } }
        | StepState::Pending
        | StepState::Done { .. }
        | StepState::Failed { .. }
        | StepState::Skipped { .. }
        | StepState::Cancelled { .. } => {
            return Err(CommandError::Step { step: run.clone(), state: step.state.name().as_str() });
        }
    }
    let mut work = Work::new(execution.clone(), facts);
    match answer {
        Ok(Value::Object(mut fields)) => {
            fields.insert("by".to_owned(), by.to_string().into());
            work.done(run, None, Value::Object(fields));
        }
        Ok(value) => work.done(run, None, json!({ "value": value, "by": by })),
        Err(why) => work.fail(run, format!("{by}: {why}")),
    }
    Ok(changed(work))
}

fn must_be(execution: &Execution, states: &[ExecutionStateName]) -> Result<(), CommandError> {
    let state = execution.state.name();
    if states.contains(&state) { Ok(()) } else { Err(CommandError::State(state.as_str())) }
}

fn changed(mut work: Work<'_>) -> Execution {
    work.execution.updated_at = work.facts.now;
    work.execution
}
