//! Sessions under `/api`: how a mission is started, taken up again, watched and called off.

use api_macros::{fields, input, output};
use types::{MissionId, SessionId};

use super::sandbox::SandboxEdit;
use super::words::{MissionStatus, SessionStatus};
use crate::{AgentName, Page};

/// How an agent is started on a mission. What is unset is the mission's, the project's or the settings'
#[fields(Default)]
pub struct StartOptions {
    #[group]
    pub agent: AgentName,
    /// The model, in place of the mission's
    #[schemars(length(min = 1, max = 100))]
    pub model: Option<String>,
    /// Most turns of the agent
    #[schemars(range(min = 1, max = 100_000))]
    pub max_turns: Option<u32>,
    /// Most dollars it may cost
    #[schemars(range(min = 0.0, max = 1_000_000.0))]
    pub max_budget_usd: Option<f64>,
    /// Tools, in place of every preset
    #[schemars(length(max = 200), inner(length(min = 1, max = 300)))]
    pub allowed_tools: Option<Vec<String>>,
    /// A preset, in place of the mission's
    #[schemars(length(min = 1, max = 100))]
    pub tool_preset: Option<String>,
    /// Text for the system prompt, after the project's
    #[schemars(length(max = 20000))]
    pub append_system_prompt: Option<String>,
    /// Continue a copy of the conversation
    #[serde(default, skip_serializing_if = "is_false")]
    pub fork_session: bool,
    /// Attach the context-mode MCP server and allow its tools; the settings name its command
    #[serde(default, skip_serializing_if = "is_false")]
    pub context_mode: bool,
    #[group]
    pub sandbox: SandboxEdit,
    /// Most automatic restarts
    #[schemars(range(min = 0, max = 100))]
    pub max_retries: Option<u32>,
    /// Seconds before the first retry
    #[schemars(range(min = 0.0, max = 86_400.0))]
    pub retry_initial_delay: Option<f64>,
    /// Most seconds before a retry
    #[schemars(range(min = 0.0, max = 86_400.0))]
    pub retry_max_delay: Option<f64>,
    /// What the branch starts from: a branch, a tag or a commit; the project's HEAD, when unset
    #[schemars(length(min = 1, max = 200))]
    pub base: Option<String>,
    /// A session whose branch this one starts from
    pub inherit: Option<SessionId>,
    /// Work in the project's own folder, without isolation
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_place: bool,
}

/// Start an agent on a mission
#[input]
pub struct DispatchMission {
    /// The mission
    pub mission: MissionId,
    #[group]
    pub options: StartOptions,
}

/// Resume a mission's last session
#[input]
pub struct ResumeMission {
    /// The mission
    pub mission: MissionId,
    #[group]
    pub options: StartOptions,
}

/// A session that was started, or a mission that waits for a place
#[output]
pub struct Dispatched {
    /// The session; none while the mission waits until one of the agents at work has ended
    pub session_id: Option<SessionId>,
    /// `running`, or `queued` when all places are taken: then it starts by itself as soon as one is free
    pub status: MissionStatus,
    /// The model
    pub model: String,
}

/// A session that was taken up again
#[output]
pub struct Resumed {
    /// The session
    pub session_id: SessionId,
    /// Always `running`
    pub status: SessionStatus,
    /// Always true
    pub resumed: bool,
}

/// List sessions, newest first
#[input(Default)]
pub struct ListSessions {
    /// Only sessions of this mission
    pub mission_id: Option<MissionId>,
    /// Only sessions with this status
    pub status: Option<SessionStatus>,
    #[group]
    pub page: Page,
}

/// Show a session with its output and its report
#[input]
pub struct GetSession {
    /// The session
    pub session: SessionId,
}

/// End a session and everything its agent started
#[input]
pub struct CancelSession {
    /// The session
    pub session: SessionId,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
