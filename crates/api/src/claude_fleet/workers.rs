//! Workers: agents that a team starts, speaks to and dismisses by name.

use api_macros::{input, output};
use serde_json::Value;
use types::{Handle, LetterId, MissionId, SessionId, SpawnMode, TeamName};

use super::words::{WorkerHealth, WorkerMode, WorkerState};
use crate::AgentName;
use crate::devfleet::DeliveryStatus;

/// Start a worker that stays until it is dismissed
///
/// It works in a worktree of its own, on a branch of its own; a folder that is in no git repository is refused unless
/// `inPlace` is set. Without a prompt it waits for messages.
#[input(camelCase)]
pub struct SpawnWorker {
    /// The worker's name; no other live worker of the team has it
    pub handle: Handle,
    /// What to do first
    #[schemars(length(max = 100_000))]
    pub initial_prompt: Option<String>,
    /// The team; the caller's own, when unset
    pub team_name: Option<TeamName>,
    /// The folder to work in, as an absolute path. When unset: the current folder of the command line, or the one the
    /// server was started in
    #[schemars(length(min = 1, max = 500))]
    pub working_dir: Option<String>,
    /// A conversation that was begun with the agent itself, to go on with; set `inPlace` and name its folder
    #[schemars(length(min = 1, max = 100))]
    pub session_id: Option<String>,
    /// Its swarm
    #[schemars(length(min = 1, max = 100))]
    pub swarm_id: Option<String>,
    /// How many agents stand above it
    #[schemars(range(min = 0, max = 10))]
    pub depth_level: Option<u8>,
    /// How it is to be started; all ways are the same here, and what is asked is shown again
    pub spawn_mode: Option<SpawnMode>,
    /// The model
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    #[group]
    pub agent: AgentName,
    /// Work in the folder directly, without isolation; otherwise in a worktree of its own
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_place: bool,
    /// Tools, in place of every preset
    #[schemars(length(max = 200), inner(length(min = 1, max = 300)))]
    pub tools: Option<Vec<String>>,
    /// A preset of such tools; `implement`, when unset
    #[schemars(length(min = 1, max = 100))]
    pub preset: Option<String>,
    /// Most turns of the agent
    #[schemars(range(min = 1, max = 100_000))]
    pub max_turns: Option<u32>,
    /// Most dollars it may cost
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub max_budget_usd: Option<f64>,
    /// Most seconds that one of its processes may run
    #[schemars(range(min = 1, max = 31_536_000))]
    pub timeout_secs: Option<u32>,
}

impl SpawnWorker {
    /// Asks for a worker as the settings have it.
    #[must_use]
    pub fn new(handle: Handle, initial_prompt: Option<String>) -> Self {
        Self {
            handle,
            initial_prompt,
            team_name: None,
            working_dir: None,
            session_id: None,
            swarm_id: None,
            depth_level: None,
            spawn_mode: None,
            model: None,
            agent: AgentName::default(),
            in_place: false,
            tools: None,
            preset: None,
            max_turns: None,
            max_budget_usd: None,
            timeout_secs: None,
        }
    }
}

/// A worker that was started
#[output(camelCase)]
pub struct SpawnedWorker {
    /// Its session
    pub id: SessionId,
    /// Its name
    pub handle: Handle,
    /// Its team
    pub team_name: TeamName,
    /// The folder that was named; the one it works in is shown once it is made
    pub working_dir: String,
    /// Its status
    pub state: WorkerState,
    /// When it was asked for, in milliseconds since 1970
    pub spawned_at: u64,
    /// How it was asked to be started
    pub spawn_mode: WorkerMode,
    /// Always null: models are not chosen by prompt yet
    pub routing: Option<Value>,
}

/// List live workers
#[input(Default)]
pub struct ListWorkers {}

/// A live worker
#[output(camelCase)]
pub struct WorkerView {
    /// Its session
    pub id: SessionId,
    /// Its name
    pub handle: Handle,
    /// Its team
    pub team_name: TeamName,
    /// Its status
    pub state: WorkerState,
    /// How it is
    pub health: WorkerHealth,
    /// What it waits for, in a few words; unset if it waits for nothing
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// The folder it works in
    pub working_dir: String,
    /// The agent's own id of the conversation, once it is known
    pub session_id: Option<String>,
    /// When it was asked for, in milliseconds since 1970
    pub spawned_at: u64,
    /// The mission it works on
    pub current_task_id: Option<MissionId>,
    /// How many of its processes were started because the one before broke off
    pub restart_count: u32,
    /// How it was asked to be started
    pub spawn_mode: WorkerMode,
    /// Its swarm
    pub swarm_id: Option<String>,
    /// How many agents stand above it
    pub depth_level: u8,
    /// The agent
    pub agent: String,
    /// The model that it reported, or the one asked for
    pub model: Option<String>,
    /// Its branch
    pub branch: Option<String>,
    /// Its process
    pub pid: Option<u32>,
    /// Tokens it has taken
    pub total_tokens: u64,
    /// What it has cost, as far as that is known
    pub total_cost_usd: f64,
    /// Set if its agent reports no price, so that what it has cost is unknown
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
}

/// Send a message to a worker
///
/// It is stored first and delivered as soon as the worker can take it; the answer shows the delivery so far.
#[input]
pub struct SendToWorker {
    /// The worker
    pub handle: Handle,
    /// The message
    #[schemars(length(min = 1, max = 50_000))]
    pub message: String,
}

/// A message that was stored
#[output(camelCase)]
pub struct SentToWorker {
    /// Always true: it is stored and will be handed over
    pub success: bool,
    /// The worker
    pub handle: Handle,
    /// How far it got
    pub delivery: DeliveryStatus,
    /// The message
    pub message_id: LetterId,
}

/// Show the last 100 lines of a worker's output
///
/// If the worker has ended, shows the output of the last one with that name.
#[input]
pub struct GetWorkerOutput {
    /// The worker
    pub handle: Handle,
}

/// What a worker said and did last
#[output(camelCase)]
pub struct WorkerOutput {
    /// The worker
    pub handle: Handle,
    /// Its status
    pub state: WorkerState,
    /// The lines, the oldest first
    pub output: Vec<String>,
    /// Its session
    pub session: SessionId,
}

/// End a worker and everything it started
///
/// Returns when all its processes have ended. Its worktree and its branch stay.
#[input]
pub struct DismissWorker {
    /// The worker
    pub handle: Handle,
}

/// What was asked is done
#[output]
pub struct WorkerDone {
    /// Always true
    pub success: bool,
    /// The worker
    pub handle: Handle,
}

/// Register a worker that another program runs
///
/// It takes one of the places for agents and is not refused for want of one. One that is there already is returned.
#[input(camelCase)]
pub struct RegisterWorker {
    /// The worker's name
    pub handle: Handle,
    /// The team; the caller's own, when unset
    pub team_name: Option<TeamName>,
    /// The folder it works in; the one the server was started in, when unset
    #[schemars(length(min = 1, max = 500))]
    pub working_dir: Option<String>,
    /// Its swarm
    #[schemars(length(min = 1, max = 100))]
    pub swarm_id: Option<String>,
}

/// Report the output of a worker that another program runs
///
/// Events are those of Claude Code's `stream-json`, one object each; anything else is kept and shown as it is.
#[input]
pub struct ReportWorkerOutput {
    /// The worker
    pub handle: Handle,
    /// One event
    pub event: Option<Value>,
    /// Several events, in order
    #[schemars(length(max = 1000))]
    pub events: Option<Vec<Value>>,
}

/// How many events were taken
#[output]
pub struct ReportedOutput {
    /// Always true
    pub success: bool,
    /// How many
    pub count: usize,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
