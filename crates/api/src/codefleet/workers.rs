//! Workers: one agent in a worktree of its own, on one piece of work.

use api_macros::input;
use serde_json::{Map, Value};
use types::MissionId;

/// Start one agent on a task, in a worktree and on a branch of its own
///
/// It works in the repository at `repo_path`; a full fleet lets it wait as `pending` until a slot is free. An agent
/// starts workers in its own repository, as parts of its own mission.
#[input]
pub struct CreateWorker {
    /// A git repository, or a folder in one, by its absolute path
    #[schemars(length(min = 1, max = 500))]
    pub repo_path: String,
    /// What the task is called, in a few words
    #[schemars(length(min = 1, max = 300))]
    pub task_name: String,
    /// What to do, in full
    #[schemars(length(min = 1, max = 100_000))]
    pub prompt: String,
    /// The branch or commit to start from; `HEAD` is what the repository is on, and the target branch for agents
    #[serde(default = "head")]
    #[schemars(length(min = 1, max = 200))]
    pub base_ref: String,
    /// The model; the settings decide, when unset
    #[schemars(length(max = 100))]
    pub model: Option<String>,
    /// The agent, such as `codex`, `gemini` or `claude`; the settings decide, when unset
    #[schemars(length(max = 32))]
    pub executor: Option<String>,
    /// How hard the model thinks, in the executor's own word; for `codex` and `claude`
    #[schemars(length(max = 16))]
    pub reasoning_effort: Option<String>,
    /// Most seconds that it may take; 0 leaves it to the settings
    #[schemars(range(min = 0, max = 31_536_000))]
    pub timeout_seconds: Option<u32>,
    /// A name for this kind of worker; stored and shown again
    #[schemars(length(max = 100))]
    pub profile: Option<String>,
    /// Words to find it by; stored and shown again
    #[schemars(length(max = 50), inner(length(max = 100)))]
    pub tags: Option<Vec<String>>,
    /// Data of yours; stored and shown again
    pub metadata: Option<Map<String, Value>>,
    /// Arguments for the executor's program, after its usual ones; requires a role that leads
    #[schemars(length(max = 50), inner(length(max = 1000)))]
    pub extra_args: Option<Vec<String>>,
    /// Alias of `extra_args`
    #[schemars(length(max = 50), inner(length(max = 1000)))]
    pub extra_codex_args: Option<Vec<String>>,
    /// The worker that it is a part of; an agent's own, when unset
    pub parent_worker_id: Option<MissionId>,
}

fn head() -> String {
    CreateWorker::HEAD.to_owned()
}

impl CreateWorker {
    /// What the repository is on.
    pub const HEAD: &str = "HEAD";
}

/// Show the status of a worker
#[input]
pub struct GetWorkerStatus {
    /// The worker
    pub worker_id: MissionId,
}

/// List workers, the newest first
#[input(Default)]
pub struct ListWorkers {
    /// Only those in one of these: pending, running, succeeded, failed, cancelled, timed_out
    #[schemars(length(max = 20), inner(length(max = 32)))]
    pub statuses: Option<Vec<String>>,
    /// Most to return; a negative number returns up to 1000
    #[serde(default = "most")]
    #[schemars(range(min = -1, max = 1000))]
    pub limit: i32,
}

fn most() -> i32 {
    25
}

/// Show what a worker did, by Fleet's own evidence
///
/// Files and commits are those that are there, whatever its agent says. The result is null until there is a report.
#[input]
pub struct CollectWorkerResult {
    /// The worker
    pub worker_id: MissionId,
    /// Show the end of its output, too
    #[serde(default)]
    pub include_logs: bool,
    /// How many lines of it
    #[serde(default = "tail")]
    #[schemars(range(min = 0, max = 2000))]
    pub log_tail_lines: u32,
}

fn tail() -> u32 {
    80
}

/// End a worker and everything it started
///
/// What it did so far stays in its worktree. One that has ended before is left as it is.
#[input]
pub struct CancelWorker {
    /// The worker
    pub worker_id: MissionId,
}

/// Remove the worktree and the branch of a worker that has ended
///
/// Everything in the worktree is in a snapshot first, with the commits of its branch: `fleet workspace restore` brings
/// them back. What was removed before is not an error.
#[input]
pub struct CleanUpWorker {
    /// The worker
    pub worker_id: MissionId,
    /// Remove its branch
    #[serde(default = "yes")]
    pub remove_branch: bool,
    /// Remove its worktree
    #[serde(default = "yes")]
    pub remove_worktree_dir: bool,
}

fn yes() -> bool {
    true
}
