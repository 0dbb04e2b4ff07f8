//! An execution: one run of a workflow, with the state of each of its steps.
//!
//! The definition is copied into it, so a workflow that is changed or removed changes no execution. What agents reported
//! is not: it is in their reports.

use std::collections::BTreeMap;
use std::str::FromStr;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Definition, ExecutionId, Handle, MissionId, ProjectId, StepKey, TeamName, WorkflowId};

/// One run of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Execution {
    /// Its id.
    pub id: ExecutionId,
    /// The team that sees it.
    pub team: TeamName,
    /// What it works on; none for work without a directory.
    pub project: Option<ProjectId>,
    /// The workflow it was made of; none for a definition that was sent along.
    pub workflow: Option<WorkflowId>,
    /// What people call it.
    pub name: String,
    /// Its steps.
    pub definition: Definition,
    /// What it was given.
    pub inputs: Map<String, Value>,
    /// The commit that its branches start from.
    pub base: Option<String>,
    /// Its state.
    pub state: ExecutionState,
    /// Its steps; those with an `each` also for each item.
    pub steps: BTreeMap<RunKey, StepRun>,
    /// Missions of steps that were called off, and that are not over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stopping: Vec<MissionId>,
    /// What happened, oldest first; the beginning is dropped when it is long.
    pub log: Vec<LogEntry>,
    /// The swarm it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swarm: Option<String>,
    /// Who asked for it.
    pub created_by: Handle,
    /// When.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The state of an execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum ExecutionState {
    /// Its steps run.
    Running {
        /// Since when.
        since: Timestamp,
    },
    /// No further step begins.
    Paused {
        /// Since when.
        since: Timestamp,
        /// By whose word.
        by: Handle,
    },
    /// All its steps are over.
    Completed {
        /// When.
        at: Timestamp,
        /// What it answers.
        outputs: Map<String, Value>,
    },
    /// A step failed, or time ran out.
    Failed {
        /// When.
        at: Timestamp,
        /// The step, if it was one.
        step: Option<RunKey>,
        /// Why.
        why: String,
    },
    /// It was called off.
    Cancelled {
        /// When.
        at: Timestamp,
        /// By whose word.
        by: Handle,
    },
}

/// The name of an execution's state without its data
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ExecutionStateName {
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

/// Names a step of an execution: `review`, or `test.2` for the third item of a step with an `each`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RunKey {
    /// The step.
    pub step: StepKey,
    /// Which item, from 0.
    pub item: Option<u32>,
}

/// A text that does not name a step of an execution.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` does not name a step, which looks like `review` or `test.2`")]
pub struct RunKeyError(String);

/// Names a step of some execution: `e-x7k2m.review`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StepRef {
    /// The execution.
    pub execution: ExecutionId,
    /// The step.
    pub run: RunKey,
}

/// A step of an execution.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepRun {
    /// Counts its tries, from 1; 0 before the first.
    pub attempt: u32,
    /// Its item, for one of a step with an `each`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Value>,
    /// When it last began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<Timestamp>,
    /// Its state.
    pub state: StepState,
}

/// The state of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum StepState {
    /// It waits for others.
    Pending,
    /// It runs.
    Running {
        /// As what.
        work: StepWork,
    },
    /// It is over.
    Done {
        /// When.
        at: Timestamp,
        /// The mission whose work it is.
        mission: Option<MissionId>,
        /// What it says beside the report of its mission.
        value: Value,
    },
    /// It failed.
    Failed {
        /// When.
        at: Timestamp,
        /// The mission whose work it is.
        mission: Option<MissionId>,
        /// Why.
        why: String,
    },
    /// It did not run, and need not.
    Skipped {
        /// When.
        at: Timestamp,
        /// Why.
        why: String,
    },
    /// It was called off.
    Cancelled {
        /// When.
        at: Timestamp,
        /// The mission that it had begun.
        mission: Option<MissionId>,
        /// Why.
        cause: CalledOff,
    },
}

/// Why a step was called off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CalledOff {
    /// Its execution ended before it did.
    ExecutionEnded,
    /// Another step was first.
    Overtaken {
        /// Which.
        by: StepKey,
    },
}

/// What a running step waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepWork {
    /// A mission.
    Mission {
        /// Which.
        mission: MissionId,
        /// Why it cannot go on for now, if it cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocked: Option<String>,
    },
    /// The landing of a mission.
    Landing {
        /// Which.
        mission: MissionId,
        /// Why it cannot go on for now, if it cannot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blocked: Option<String>,
    },
    /// A person.
    Person {
        /// What is to be decided.
        goal: String,
    },
    /// Other steps.
    Steps,
    /// Its items.
    Items {
        /// How many.
        count: u32,
    },
    /// A time.
    Until {
        /// When.
        at: Timestamp,
    },
}

/// The name of a step's state without its data
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum StepStateName {
    /// It waits for others
    Pending,
    /// It runs
    Running,
    /// It is over
    Done,
    /// It failed
    Failed,
    /// It did not run, and need not
    Skipped,
    /// It was called off
    Cancelled,
}

/// Something that happened in an execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When.
    pub at: Timestamp,
    /// To which step; none for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<RunKey>,
    /// What: the name of the state it is in since.
    pub what: String,
    /// Why, or by whose word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

impl ExecutionState {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> ExecutionStateName {
        match self {
            Self::Running { .. } => ExecutionStateName::Running,
            Self::Paused { .. } => ExecutionStateName::Paused,
            Self::Completed { .. } => ExecutionStateName::Completed,
            Self::Failed { .. } => ExecutionStateName::Failed,
            Self::Cancelled { .. } => ExecutionStateName::Cancelled,
        }
    }

    /// Returns whether its steps may still change.
    #[must_use]
    pub fn is_live(&self) -> bool {
        matches!(self, Self::Running { .. } | Self::Paused { .. })
    }

    /// Returns when it ended.
    #[must_use]
    pub fn ended(&self) -> Option<Timestamp> {
        match self {
            Self::Running { .. } | Self::Paused { .. } => None,
            Self::Completed { at, .. } | Self::Failed { at, .. } | Self::Cancelled { at, .. } => Some(*at),
        }
    }
}

impl ExecutionStateName {
    /// Returns the word used in keys and on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl StepState {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> StepStateName {
        match self {
            Self::Pending => StepStateName::Pending,
            Self::Running { .. } => StepStateName::Running,
            Self::Done { .. } => StepStateName::Done,
            Self::Failed { .. } => StepStateName::Failed,
            Self::Skipped { .. } => StepStateName::Skipped,
            Self::Cancelled { .. } => StepStateName::Cancelled,
        }
    }

    /// Returns whether it does not change by itself any more.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !matches!(self, Self::Pending | Self::Running { .. })
    }

    /// Returns the mission that it runs as, or ran as.
    #[must_use]
    pub fn mission(&self) -> Option<&MissionId> {
        match self {
            Self::Running { work: StepWork::Mission { mission, .. } | StepWork::Landing { mission, .. } } => {
                Some(mission)
            }
            Self::Done { mission, .. } | Self::Failed { mission, .. } | Self::Cancelled { mission, .. } => {
                mission.as_ref()
            }
            Self::Pending | Self::Running { .. } | Self::Skipped { .. } => None,
        }
    }
}

impl StepStateName {
    /// Returns its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

impl std::fmt::Display for CalledOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ExecutionEnded => f.write_str("the execution ended first"),
            Self::Overtaken { by } => write!(f, "step `{by}` was first"),
        }
    }
}

impl StepRun {
    /// Returns a step that has not begun.
    #[must_use]
    pub fn pending(item: Option<Value>) -> Self {
        Self { attempt: 0, item, began: None, state: StepState::Pending }
    }
}

impl From<StepKey> for RunKey {
    fn from(step: StepKey) -> Self {
        Self { step, item: None }
    }
}

impl std::fmt::Display for RunKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.item {
            Some(item) => write!(f, "{}.{item}", self.step),
            None => write!(f, "{}", self.step),
        }
    }
}

impl FromStr for RunKey {
    type Err = RunKeyError;

    fn from_str(text: &str) -> Result<Self, RunKeyError> {
        let error = || RunKeyError(text.chars().take(60).collect());
        let (step, item) = match text.split_once('.') {
            Some((step, item)) => (step, Some(item.parse().map_err(|_| error())?)),
            None => (text, None),
        };
        Ok(Self { step: step.parse().map_err(|_| error())?, item })
    }
}

impl TryFrom<String> for RunKey {
    type Error = RunKeyError;

    fn try_from(text: String) -> Result<Self, RunKeyError> {
        text.parse()
    }
}

impl From<RunKey> for String {
    fn from(key: RunKey) -> Self {
        key.to_string()
    }
}

impl std::fmt::Display for StepRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.execution, self.run)
    }
}

impl FromStr for StepRef {
    type Err = RunKeyError;

    fn from_str(text: &str) -> Result<Self, RunKeyError> {
        let error = || RunKeyError(text.chars().take(60).collect());
        let (execution, run) = text.split_once('.').ok_or_else(error)?;
        Ok(Self { execution: execution.parse().map_err(|_| error())?, run: run.parse()? })
    }
}

impl TryFrom<String> for StepRef {
    type Error = RunKeyError;

    fn try_from(text: String) -> Result<Self, RunKeyError> {
        text.parse()
    }
}

impl From<StepRef> for String {
    fn from(step: StepRef) -> Self {
        step.to_string()
    }
}

impl JsonSchema for StepRef {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StepRef".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A step of an execution",
            "pattern": "^e-[2-9a-hjkmnp-z]{5,26}\\.[A-Za-z0-9_-]{1,50}(\\.[0-9]{1,3})?$",
            "examples": ["e-x7k2m.review"],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_step_reads_as_it_is_written() {
        for text in ["e-x7k2m.review", "e-x7k2m.test.2"] {
            assert_eq!(text.parse::<StepRef>().unwrap().to_string(), text);
        }
        for text in ["e-x7k2m", "m-x7k2m.review", "e-x7k2m.", "e-x7k2m.a.b", "e-x7k2m.a.1.2", "e-x7k2m.a/b"] {
            assert!(text.parse::<StepRef>().is_err(), "{text}");
        }
    }
}
