//! Sessions under `/api`: how a mission is started, taken up again, watched and called off.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{MissionId, SessionId};

use super::sandbox::{SandboxLevel, SandboxNetwork};
use super::words::{MissionStatus, SessionStatus};

/// Declares an operation that starts an agent on a mission: which, and how. What is unset is the mission's, the
/// project's or the settings'.
macro_rules! starting {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            /// The mission
            pub mission: MissionId,
            /// The agent, where the mission names none; the project's or the settings', when unset
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(min = 1, max = 32))]
            pub agent: Option<String>,
            /// Another word for `agent`
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(min = 1, max = 32))]
            pub coder: Option<String>,
            /// Another word for `agent`
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(min = 1, max = 32))]
            pub executor: Option<String>,
            /// The model, in place of the mission's
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(min = 1, max = 100))]
            pub model: Option<String>,
            /// Most turns of the agent
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 1, max = 100_000))]
            pub max_turns: Option<u32>,
            /// Most dollars it may cost
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 0.0, max = 1_000_000.0))]
            pub max_budget_usd: Option<f64>,
            /// Tools that need no question, in place of every preset
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 200), inner(length(min = 1, max = 300)))]
            pub allowed_tools: Option<Vec<String>>,
            /// A preset, in place of the mission's
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(min = 1, max = 100))]
            pub tool_preset: Option<String>,
            /// Text for the system prompt, after the project's
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 20000))]
            pub append_system_prompt: Option<String>,
            /// Go on with a copy of the conversation, not with the conversation itself
            #[serde(default, skip_serializing_if = "is_false")]
            pub fork_session: bool,
            /// Attach the context-mode MCP server and allow its tools; the settings name its command
            #[serde(default, skip_serializing_if = "is_false")]
            pub context_mode: bool,
            /// How much the sandbox of its agents matters; the mission's, when unset
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub sandbox: Option<SandboxLevel>,
            /// What its agents reach of the network; the mission's, when unset
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub sandbox_network: Option<SandboxNetwork>,
            /// Paths that they read though they are hidden, beside those of the settings; `~` is the home of the user
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
            pub sandbox_read: Option<Vec<String>>,
            /// Paths that they write to beside their work, such as caches
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 100), inner(length(min = 1, max = 4096)))]
            pub sandbox_write: Option<Vec<String>>,
            /// TCP ports that they reach, and no others beside those of their services
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(max = 100))]
            pub sandbox_tcp_ports: Option<Vec<u16>>,
            /// Most processes after the first that are started by themselves
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 0, max = 100))]
            pub max_retries: Option<u32>,
            /// Seconds before the first retry
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 0.0, max = 86_400.0))]
            pub retry_initial_delay: Option<f64>,
            /// Most seconds before a retry
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(range(min = 0.0, max = 86_400.0))]
            pub retry_max_delay: Option<f64>,
            /// What the branch starts from: a branch, a tag or a commit; the project's HEAD, when unset
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schemars(length(min = 1, max = 200))]
            pub base: Option<String>,
            /// A session whose branch this one starts from
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub inherit: Option<SessionId>,
            /// Work in the project's own folder, with nobody kept apart
            #[serde(default, skip_serializing_if = "is_false")]
            pub in_place: bool,
        }
    };
}

starting! {
    /// Start an agent on a mission
    DispatchMission
}

starting! {
    /// Take a mission's last session up again, in its conversation
    ResumeMission
}

impl DispatchMission {
    /// Starts a mission with everything as the mission, the project and the settings have it.
    #[must_use]
    pub fn of(mission: MissionId) -> Self {
        Self {
            mission,
            agent: None,
            coder: None,
            executor: None,
            model: None,
            max_turns: None,
            max_budget_usd: None,
            allowed_tools: None,
            tool_preset: None,
            append_system_prompt: None,
            fork_session: false,
            context_mode: false,
            sandbox: None,
            sandbox_network: None,
            sandbox_read: None,
            sandbox_write: None,
            sandbox_tcp_ports: None,
            max_retries: None,
            retry_initial_delay: None,
            retry_max_delay: None,
            base: None,
            inherit: None,
            in_place: false,
        }
    }
}

impl From<ResumeMission> for DispatchMission {
    fn from(op: ResumeMission) -> Self {
        Self {
            mission: op.mission,
            agent: op.agent,
            coder: op.coder,
            executor: op.executor,
            model: op.model,
            max_turns: op.max_turns,
            max_budget_usd: op.max_budget_usd,
            allowed_tools: op.allowed_tools,
            tool_preset: op.tool_preset,
            append_system_prompt: op.append_system_prompt,
            fork_session: op.fork_session,
            context_mode: op.context_mode,
            sandbox: op.sandbox,
            sandbox_network: op.sandbox_network,
            sandbox_read: op.sandbox_read,
            sandbox_write: op.sandbox_write,
            sandbox_tcp_ports: op.sandbox_tcp_ports,
            max_retries: op.max_retries,
            retry_initial_delay: op.retry_initial_delay,
            retry_max_delay: op.retry_max_delay,
            base: op.base,
            inherit: op.inherit,
            in_place: op.in_place,
        }
    }
}

/// A session that was started, or a mission that waits for a place
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dispatched {
    /// The session; none while the mission waits until one of the agents at work has ended
    pub session_id: Option<SessionId>,
    /// `running`, or `queued` when all places are taken: then it starts by itself as soon as one is free
    pub status: MissionStatus,
    /// The model
    pub model: String,
}

/// A session that was taken up again
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Resumed {
    /// The session
    pub session_id: SessionId,
    /// Always `running`
    pub status: SessionStatus,
    /// Always true
    pub resumed: bool,
}

/// List sessions, newest first
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListSessions {
    /// Only sessions of this mission
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    /// Only sessions with this status
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<SessionStatus>,
    /// Most sessions to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// Show a session with its output and its report
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetSession {
    /// The session
    pub session: SessionId,
}

/// End a session and everything its agent started
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelSession {
    /// The session
    pub session: SessionId,
}

fn is_false(flag: &bool) -> bool {
    !*flag
}
