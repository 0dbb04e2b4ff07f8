//! What these tools show of workers.

use api_macros::output;
use serde_json::{Map, Value};
use types::{MissionId, SessionId};

use super::words::{ResultStatus, WorkerStatus};

/// A worker
#[output]
pub struct WorkerPayload {
    /// Its id: the mission's
    pub worker_id: MissionId,
    /// What its task is called
    pub task_name: String,
    /// Its status
    pub status: WorkerStatus,
    /// The repository; empty for work that has none
    pub repo_path: String,
    /// Its branch, once it is made
    pub branch_name: Option<String>,
    /// Its worktree, once it is made
    pub worktree_path: Option<String>,
    /// The folder with what its agent wrote
    pub worker_dir: Option<String>,
    /// The model that its agent reports, or the one asked for
    pub model: Option<String>,
    /// The agent
    pub executor: String,
    /// As it was given
    pub profile: Option<String>,
    /// When it was asked for, in seconds since 1970
    pub created_at: f64,
    /// When its agent was started
    pub started_at: Option<f64>,
    /// When it ended
    pub ended_at: Option<f64>,
    /// When Fleet last knew of it
    pub last_heartbeat_at: Option<f64>,
    /// When its agent last wrote something
    pub last_activity_at: Option<f64>,
    /// Most seconds that it may take; unset for no limit
    pub timeout_seconds: Option<u64>,
    /// The process of its agent
    pub pid: Option<u32>,
    /// What that returned
    pub exit_code: Option<i32>,
    /// How many processes were started after its first
    pub retry_count: u32,
    /// As they were given
    pub tags: Vec<String>,
    /// As it was given
    pub metadata: Map<String, Value>,
    /// Why it failed or was cancelled
    pub error_message: Option<String>,
    /// What it waits for, or since when its agent is silent
    pub heartbeat_message: Option<String>,
    /// Always null: the prompt is in the record, `fleet mission show`
    pub prompt_path: Option<String>,
    /// Where its agent may leave its own account
    pub result_json_path: Option<String>,
    /// What its agent wrote to its standard output
    pub stdout_path: Option<String>,
    /// What its agent wrote to its standard error
    pub stderr_path: Option<String>,
    /// Always null: there are no files beside the record
    pub meta_path: Option<String>,
    /// How long it has worked
    pub elapsed: String,
    /// How long ago Fleet last knew of it
    pub heartbeat_age: String,
    /// How long ago its agent last wrote something
    pub last_output_age: String,
    /// Its status for people
    pub status_label: String,
    /// All of it in a line
    pub summary_line: String,
    /// Its last session
    pub session_id: Option<SessionId>,
    /// The worker that it is a part of
    pub parent_worker_id: Option<MissionId>,
}

/// Some workers
#[output]
pub struct WorkerPayloads {
    /// The workers, the newest first
    pub workers: Vec<WorkerPayload>,
    /// How many
    pub count: usize,
    /// How many in which status
    pub summary: String,
}

/// A worker and what it did
#[output]
pub struct CollectedWorker {
    /// The worker
    #[serde(flatten)]
    pub worker: WorkerPayload,
    /// What it did; null until there is a report
    pub result: Option<WorkerResult>,
    /// The end of its output
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_tail: Option<String>,
    /// The end of its errors
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr_tail: Option<String>,
}

/// What a worker did
#[output]
pub struct WorkerResult {
    /// In its agent's words
    pub summary: String,
    /// How far it says it got
    pub status: ResultStatus,
    /// Files that differ from where it started, as git has it
    pub files_changed: Vec<String>,
    /// Checks that Fleet ran, and what its agent says it tested
    pub tests: Vec<TestRun>,
    /// Its commits by their full names, as git has it
    pub commits: Vec<String>,
    /// What its agent would do next
    pub next_steps: Vec<String>,
}

/// Something that was tested
#[output]
pub struct TestRun {
    /// What was run; empty for what its agent says
    pub command: String,
    /// `passed`, `failed` or `not_run`; `reported` for what its agent says
    pub status: String,
    /// More about it
    pub details: String,
}

/// What was removed of a worker
#[output]
pub struct CleanedWorker {
    /// The worker
    pub worker_id: MissionId,
    /// Whether its worktree was removed now
    pub worktree_removed: bool,
    /// Whether its branch was removed now
    pub branch_removed: bool,
    /// Always false: retention removes what its agent wrote, after `spool_keep_days`
    pub worker_dir_removed: bool,
    /// What could not be removed, and why
    pub errors: Vec<String>,
}
