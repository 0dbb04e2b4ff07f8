//! Workflows of stages: each stage is a step with an agent, its prompt a template in braces.

use std::collections::BTreeMap;

use api_macros::{fields, input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use types::{
    AgentStep, BranchPoint, Definition, ExecutionId, InputKind, InputRule, MissionId, Step, StepConfig, StepKey,
};

use super::{CollectedWorker, WorkerStatus};

/// The input that holds the task of a workflow.
const TASK: &str = "task_prompt";

/// What a variable of a stage is called, and the field of an output that it stands for.
const VARIABLES: [(&str, &str); 5] = [
    ("_summary", ".summary"),
    ("_files", ".files_changed"),
    ("_next_steps", ".next_steps"),
    ("_status", ".status"),
    ("_result", ""),
];

/// Start a workflow of stages, each with an agent of its own
///
/// A prompt may name `{task_prompt}` and, of each stage by its index, `{stage_N_summary}`, `{stage_N_files}`,
/// `{stage_N_next_steps}`, `{stage_N_status}` and `{stage_N_result}`; other braces stay as they are.
#[input]
pub struct CreateStagedWorkflow {
    /// What the workflow is called
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// A git repository, or a folder in one, by its absolute path
    #[schemars(length(min = 1, max = 500))]
    pub repo_path: String,
    /// What to do, for `{task_prompt}`
    #[schemars(length(min = 1, max = 40_000))]
    pub task_prompt: String,
    /// The stages
    #[schemars(length(min = 1, max = 100))]
    pub stages: Vec<StageDefinition>,
    /// The branch or commit to start from; `HEAD` is what the repository is on
    #[serde(default = "head")]
    #[schemars(length(min = 1, max = 200))]
    pub base_ref: String,
    /// Most seconds that each stage may take, unless it says otherwise
    #[schemars(range(min = 1, max = 2_000_000))]
    pub timeout_seconds: Option<u32>,
}

fn head() -> String {
    super::CreateWorker::HEAD.to_owned()
}

/// A stage of a workflow
#[fields]
pub struct StageDefinition {
    /// What it is called
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// The agent, such as `codex`, `gemini` or `claude`
    #[schemars(length(min = 1, max = 32))]
    pub executor: String,
    /// What to do: a template
    #[schemars(length(min = 1, max = 40_000))]
    pub prompt_template: String,
    /// The model; the settings decide, when unset
    #[schemars(length(max = 100))]
    pub model: Option<String>,
    /// What its branch starts from: the base of the workflow, or the work of the stages that it depends on
    #[serde(default)]
    pub worktree_strategy: BranchPoint,
    /// The stages that must be done first, by their indexes
    #[serde(default)]
    #[schemars(length(max = 20), inner(range(min = 0, max = 99)))]
    pub depends_on: Vec<u32>,
    /// Most seconds that it may take
    #[schemars(range(min = 1, max = 2_000_000))]
    pub timeout_seconds: Option<u32>,
}

/// Show the status of a workflow and of its stages
#[input]
pub struct GetWorkflowStatus {
    /// The workflow
    pub workflow_id: ExecutionId,
}

/// List workflows of stages, the newest first
#[input(Default)]
pub struct ListStagedWorkflows {
    /// Only those in one of these: pending, running, succeeded, failed, cancelled
    #[schemars(length(max = 20), inner(length(max = 32)))]
    pub statuses: Option<Vec<String>>,
    /// Most to return; 25, when unset
    #[schemars(range(min = -1, max = 1000))]
    pub limit: Option<i32>,
}

/// Cancel a workflow; its agents are stopped, and their branches stay
#[input]
pub struct CancelStagedWorkflow {
    /// The workflow
    pub workflow_id: ExecutionId,
}

/// Read the result of the last stage of a workflow, or of all
#[input]
pub struct CollectWorkflowResult {
    /// The workflow
    pub workflow_id: ExecutionId,
    /// Whether the results of all stages are returned
    #[serde(default)]
    pub include_all_stages: bool,
    /// Whether the end of their output is returned
    #[serde(default)]
    pub include_logs: bool,
}

/// Remove the worktrees and branches of a workflow
///
/// Their work stays in snapshots.
#[input]
pub struct CleanUpWorkflow {
    /// The workflow
    pub workflow_id: ExecutionId,
}

/// The status of a workflow
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum StagedStatus {
    /// Its stages run
    Running,
    /// All its stages are over
    Succeeded,
    /// A stage failed
    Failed,
    /// It was called off
    Cancelled,
}

/// A workflow of stages
#[output]
pub struct WorkflowPayload {
    /// Its id
    pub workflow_id: ExecutionId,
    /// What it is called
    pub name: String,
    /// Its status
    pub status: StagedStatus,
    /// Its repository
    pub repo_path: Option<String>,
    /// Its stages, in order
    pub stage_summary: Vec<StageSummary>,
    /// When it was created, in seconds since 1970
    pub created_at: f64,
    /// When it ended
    pub completed_at: Option<f64>,
    /// Why it failed
    pub error_message: Option<String>,
    /// How long it took, or takes
    pub elapsed: String,
    /// How many of its stages are over
    pub progress: String,
    /// All of it in one line
    pub summary_line: String,
}

/// A stage of a workflow
#[output]
pub struct StageSummary {
    /// Its place, from 0
    pub index: usize,
    /// What it is called
    pub name: String,
    /// Its agent
    pub executor: String,
    /// Its status
    pub status: WorkerStatus,
    /// Its worker, once it has one
    pub worker_id: Option<MissionId>,
    /// Its status, for people
    pub status_label: String,
    /// How long it took, or takes
    pub elapsed: String,
    /// Its model, if one was named
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// Workflows of stages
#[output]
pub struct WorkflowPayloads {
    /// The newest first
    pub workflows: Vec<WorkflowPayload>,
    /// How many are listed
    pub count: usize,
    /// All of them in one line
    pub summary: String,
}

/// A workflow with what its stages made
#[output]
pub struct CollectedWorkflow {
    /// The workflow
    #[serde(flatten)]
    pub workflow: WorkflowPayload,
    /// What the last stage made
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_result: Option<CollectedWorker>,
    /// What all stages made
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage_results: Option<Vec<StageResult>>,
}

/// What a stage made
#[output]
pub struct StageResult {
    /// Its place, from 0
    pub index: usize,
    /// What it is called
    pub name: String,
    /// Its status
    pub status: WorkerStatus,
    /// What it made
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<CollectedWorker>,
}

/// A workflow whose worktrees and branches were removed
#[output]
pub struct CleanedWorkflow {
    /// Its id
    pub workflow_id: ExecutionId,
    /// How many of its stages were cleaned up
    pub stages_cleaned: usize,
    /// What could not be removed
    pub errors: Vec<String>,
}

impl CreateStagedWorkflow {
    /// Returns its steps: stage N is the step `stage_N`.
    ///
    /// # Errors
    /// Names a dependency on a stage that does not exist.
    pub fn definition(&self) -> Result<Definition, String> {
        let steps = self.stages.iter().enumerate().map(|(place, stage)| self.step(place, stage));
        let task = InputRule { kind: InputKind::String, required: true, ..InputRule::default() };
        Ok(Definition {
            inputs: BTreeMap::from([(TASK.to_owned(), task)]),
            steps: steps.collect::<Result<_, String>>()?,
            ..Definition::default()
        })
    }

    /// Returns what its steps are given.
    #[must_use]
    pub fn inputs(&self) -> Map<String, Value> {
        Map::from_iter([(TASK.to_owned(), self.task_prompt.clone().into())])
    }

    fn step(&self, place: usize, stage: &StageDefinition) -> Result<Step, String> {
        let known = |index: &u32| {
            let is_there = (*index as usize) < self.stages.len();
            let named = is_there.then(|| key(*index as usize)).flatten();
            named.ok_or_else(|| format!("stage {place} depends on stage {index}; there are {}", self.stages.len()))
        };
        let secs = stage.timeout_seconds.or(self.timeout_seconds);
        let config = AgentStep {
            task: template(&stage.prompt_template, self.stages.len()),
            agent: Some(stage.executor.clone()),
            model: stage.model.clone().filter(|model| !model.is_empty()),
            title: Some(format!("{}/{}", self.name, stage.name).replace("{{", "{ {")),
            worktree: stage.worktree_strategy,
            ..AgentStep::default()
        };
        Ok(Step {
            key: key(place).ok_or("too many stages")?,
            name: Some(stage.name.clone()),
            depends_on: stage.depends_on.iter().map(known).collect::<Result<_, String>>()?,
            guard: None,
            on_failure: types::OnFailure::Fail,
            max_retries: 0,
            timeout_ms: secs.map(|secs| secs.saturating_mul(1_000).min(2_000_000_000)),
            each: None,
            config: StepConfig::Spawn(config),
        })
    }
}

fn key(place: usize) -> Option<StepKey> {
    format!("stage_{place}").parse().ok()
}

/// Translates a prompt: known variables become values, unknown ones of stages become empty, all else stays.
fn template(prompt: &str, stages: usize) -> String {
    let mut text = String::new();
    let mut rest = prompt;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        text.push_str(before);
        let name = from[1..].split('}').next().filter(|name| from.len() > name.len() + 1);
        match name.and_then(|name| variable(name, stages).map(|value| (name, value))) {
            Some((name, value)) => {
                text.push_str(&value);
                rest = &from[name.len() + 2..];
            }
            None if from.starts_with("{{") => {
                text.push_str("{{'{{'}}");
                rest = &from[2..];
            }
            None => {
                text.push('{');
                rest = &from[1..];
            }
        }
    }
    text.push_str(rest);
    text
}

/// Returns what stands for a variable: nothing for one of a stage that does not exist; none for other names.
fn variable(name: &str, stages: usize) -> Option<String> {
    if name == TASK {
        return Some(format!("{{{{inputs.{TASK}}}}}"));
    }
    let of_stage = name.strip_prefix("stage_")?;
    if !of_stage.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
        return None;
    }
    let found = VARIABLES.iter().find_map(|(suffix, field)| {
        let place: usize = of_stage.strip_suffix(suffix)?.parse().ok()?;
        (place < stages).then(|| format!("{{{{steps.stage_{place}.output{field}}}}}"))
    });
    Some(found.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variables_of_a_prompt_are_translated_and_other_braces_stay() {
        let cases = [
            ("{task_prompt}!", "{{inputs.task_prompt}}!"),
            ("A: {stage_0_summary}", "A: {{steps.stage_0.output.summary}}"),
            (
                "{stage_1_files} {stage_1_next_steps}",
                "{{steps.stage_1.output.files_changed}} {{steps.stage_1.output.next_steps}}",
            ),
            ("{stage_0_result}", "{{steps.stage_0.output}}"),
            ("[{stage_7_summary}{stage_0_mood}]", "[]"),
            (r#"{"a": {"b": 1}} { }"#, r#"{"a": {"b": 1}} { }"#),
            ("{{inputs.task_prompt}}", "{{'{{'}}inputs.task_prompt}}"),
            ("{", "{"),
            ("{other}", "{other}"),
        ];
        for (prompt, expected) in cases {
            assert_eq!(template(prompt, 2), expected, "{prompt}");
        }
    }

    #[test]
    fn a_stage_depends_on_stages_that_exist() {
        let stages = serde_json::json!([{ "name": "a", "executor": "sim", "prompt_template": "x", "depends_on": [3] }]);
        let asked: CreateStagedWorkflow = serde_json::from_value(
            serde_json::json!({ "name": "w", "repo_path": "/srv/shop", "task_prompt": "t", "stages": stages }),
        )
        .unwrap();
        assert_eq!(asked.definition().unwrap_err(), "stage 0 depends on stage 3; there are 1");
    }
}
