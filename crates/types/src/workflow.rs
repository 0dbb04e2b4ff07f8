//! A workflow: steps that depend on each other, stated once and executed as often as someone asks.
//!
//! This is the shape of files, of requests and of records alike. What the steps mean is decided in crate `workflow`.

use std::collections::BTreeMap;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Handle, LandMode, StepKey, TeamName, WorkflowId};

/// A definition under a name
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Workflow {
    /// Its id.
    pub id: WorkflowId,
    /// The team that sees it.
    pub team: TeamName,
    /// Its name, which no other of its team has.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Counts its definitions, from 1.
    pub version: u32,
    /// Its steps.
    pub definition: Definition,
    /// Whether it is listed as a template.
    pub is_template: bool,
    /// Who made it.
    pub created_by: Handle,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
}

/// Steps, what they are given, and what they answer
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Definition {
    /// What an execution is given, by name
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub inputs: BTreeMap<String, InputRule>,
    /// The steps, in any order
    #[schemars(length(min = 1, max = 100))]
    pub steps: Vec<Step>,
    /// What an execution answers, by name: templates
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "templates")]
    pub outputs: BTreeMap<String, String>,
    /// Milliseconds after which an execution has failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_000_000_000))]
    pub timeout_ms: Option<u32>,
}

/// A value that an execution is given
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct InputRule {
    /// What kind of value it is
    #[serde(default, rename = "type", skip_serializing_if = "is_usual")]
    pub kind: InputKind,
    /// What it is for
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 500))]
    pub description: String,
    /// Whether an execution without it is refused
    #[serde(default, skip_serializing_if = "is_usual")]
    pub required: bool,
    /// What it is if it is not given
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

/// The kind of a value
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum InputKind {
    /// A text
    String,
    /// A number
    Number,
    /// True or false
    Boolean,
    /// A list
    #[serde(alias = "list")]
    Array,
    /// An object
    Object,
    /// Any of these
    #[default]
    Any,
}

/// A step of a workflow
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Step {
    /// What other steps call it
    pub key: StepKey,
    /// What people call it; its key, if unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub name: Option<String>,
    /// The steps that must be over before it begins
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    pub depends_on: Vec<StepKey>,
    /// It is skipped unless this is true
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// What its failure does
    #[serde(default, skip_serializing_if = "is_usual")]
    pub on_failure: OnFailure,
    /// How often it is tried again if `onFailure` is `retry`
    #[serde(default, skip_serializing_if = "is_usual")]
    #[schemars(range(max = 10))]
    pub max_retries: u32,
    /// Milliseconds after which it has failed
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 2_000_000_000))]
    pub timeout_ms: Option<u32>,
    /// It runs once for each item of this list: a template whose value is a list, or a text with an item per line
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1000))]
    pub each: Option<String>,
    /// What it does
    #[serde(flatten)]
    pub config: StepConfig,
}

/// What a step does: its type, and what that needs
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", content = "config", rename_all = "snake_case")]
#[schemars(transform = described)]
pub enum StepConfig {
    /// An agent works on a mission.
    Spawn(AgentStep),
    /// A member of the team works on a mission, or any agent if no member is named.
    Task(TaskStep),
    /// A command runs in a worktree, in the sandbox, and must exit with status 0.
    Script(ScriptStep),
    /// A condition decides which steps are skipped.
    #[serde(rename = "gate")]
    Condition(ConditionStep),
    /// A person decides.
    Checkpoint(CheckpointStep),
    /// Several steps are waited for.
    #[serde(rename = "parallel")]
    Join(JoinStep),
    /// The work of a step lands on the target branch.
    Land(LandStep),
    /// Time passes.
    Wait(WaitStep),
}

/// An agent works on a mission
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AgentStep {
    /// What to do: a template
    #[schemars(length(min = 1, max = 50_000))]
    pub task: String,
    /// Its role: `scout` explores, `critic` reviews, `tester` tests, any other changes files
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50))]
    pub agent_role: Option<String>,
    /// The kind of work, which overrides the role: `implement`, `fix`, `review`, `test`, `explore`, `full`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50))]
    pub kind: Option<String>,
    /// The title of its mission: a template
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub title: Option<String>,
    /// How to tell that it is done
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 10_000))]
    pub acceptance: Option<String>,
    /// The agent, such as `claude`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 32))]
    pub agent: Option<String>,
    /// Its model
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// What its branch starts from
    #[serde(default, skip_serializing_if = "is_usual")]
    pub worktree: BranchPoint,
    /// What happens to its branch when it is done; it stays as it is, if unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub land: Option<LandMode>,
    /// Words of which its report must name one, in a line `choice: WORD`
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20), inner(length(min = 1, max = 50)))]
    pub choices: Vec<String>,
    /// The swarm it belongs to
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100))]
    pub swarm_id: Option<String>,
}

/// What the branch of a step starts from
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum BranchPoint {
    /// The commit at which the execution began
    #[default]
    New,
    /// The work of the steps that it depends on
    Inherit,
}

/// A member of the team works on a mission
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct TaskStep {
    /// Its title: a template
    #[schemars(length(min = 1, max = 200))]
    pub title: String,
    /// What to do: a template
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50_000))]
    pub description: Option<String>,
    /// Who is to do it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assign_to: Option<Handle>,
}

/// A command runs in a worktree
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ScriptStep {
    /// The command, for `sh`; nothing in it is replaced
    #[schemars(length(min = 1, max = 10_000))]
    pub script: String,
    /// What its worktree starts from: by default the work of the steps that it depends on
    #[serde(default = "inherit")]
    pub worktree: BranchPoint,
    /// Another name for its output, beside its key
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50))]
    pub output_key: Option<String>,
}

const fn inherit() -> BranchPoint {
    BranchPoint::Inherit
}

/// A condition decides which steps are skipped
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct ConditionStep {
    /// What is compared
    pub condition: Guard,
    /// Steps that are skipped unless it is true
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    pub on_true: Vec<StepKey>,
    /// Steps that are skipped if it is true
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 20))]
    pub on_false: Vec<StepKey>,
}

/// Something that is true or false, such as `steps.judge.output.choice == "a"`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Guard")]
pub struct Guard {
    /// A comparison; several are joined by `&&` and `||`
    #[schemars(length(min = 1, max = 1000))]
    pub condition: String,
    /// Values that it names beside those of the execution
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, Value>,
    /// `expression`, `script` and `output_check` mean the same
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50))]
    pub kind: Option<String>,
}

/// A person decides
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct CheckpointStep {
    /// What is to be decided: a template
    #[schemars(length(min = 1, max = 1000))]
    pub goal: String,
    /// Who decides; any lead, if unset
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_handle: Option<Handle>,
    /// Whether the step is over only when it was decided
    #[serde(default = "yes")]
    pub wait_for_acceptance: bool,
}

const fn yes() -> bool {
    true
}

/// Several steps are waited for
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct JoinStep {
    /// The steps
    #[schemars(length(min = 1, max = 20))]
    pub step_keys: Vec<StepKey>,
    /// How many of them
    #[serde(default, skip_serializing_if = "is_usual")]
    pub strategy: Join,
}

/// How many steps are waited for
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Join {
    /// All
    #[default]
    All,
    /// The first that is done
    Any,
    /// The first that is done; the others are cancelled
    Race,
}

/// The work of a step lands on the target branch
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct LandStep {
    /// The key of the step: a template, such as `{{steps.judge.output.choice}}`
    #[schemars(length(min = 1, max = 200))]
    pub step: String,
}

/// Time passes
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct WaitStep {
    /// Milliseconds
    #[schemars(range(max = 2_000_000_000))]
    pub duration_ms: u32,
}

/// What the failure of a step does
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OnFailure {
    /// The execution fails; what runs is cancelled, what waits is skipped
    #[default]
    Fail,
    /// The step counts as skipped
    Skip,
    /// It is tried again, up to `maxRetries` times; then the execution fails
    Retry,
    /// The steps that depend on it run as if it were done
    Continue,
}

fn is_usual<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

fn templates(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 50,
        "additionalProperties": { "type": "string", "maxLength": 1000 },
    })
}

/// Says in the schema what the two fields are that every type of step has.
fn described(schema: &mut Schema) {
    let Some(Value::Array(types)) = schema.get_mut("oneOf") else { return };
    for one in types {
        for (field, text) in [("type", "What the step does"), ("config", "What that needs")] {
            if let Some(Value::Object(field)) = one.pointer_mut(&format!("/properties/{field}")) {
                field.insert("description".to_owned(), text.into());
            }
        }
    }
}
