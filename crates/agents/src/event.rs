//! The one vocabulary in which every agent's output is told.
//!
//! Adapters translate into it, everything else reads it: what a dialect calls these events is said in [`crate::shown`]
//! alone. An event keeps enough to be shown and to decide by; the line itself stays in the spool.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::Timestamp;

use crate::{FailureClass, Task, Totals, Usage};

/// Something that an agent did or that befell it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// The agent is up and begins a turn.
    Started(Started),
    /// It said something.
    Text {
        /// What.
        text: String,
        /// The tool call in which a subagent said it.
        within: Option<String>,
    },
    /// It thought something.
    Thinking {
        /// What.
        text: String,
        /// The tool call in which a subagent thought it.
        within: Option<String>,
    },
    /// It calls a tool.
    ToolCall {
        /// The call's id, which its result repeats.
        id: String,
        /// The tool.
        name: String,
        /// What it is called with.
        input: Value,
        /// The tool call in which a subagent calls it.
        within: Option<String>,
    },
    /// A tool call came to its end.
    ToolResult {
        /// The call's id.
        id: String,
        /// What the tool answered, as text.
        text: String,
        /// How the call ended.
        end: CallEnd,
        /// The tool call in which a subagent had called it.
        within: Option<String>,
    },
    /// A model was called, or the context was made smaller.
    Usage(Usage),
    /// Its provider slows it down, or reports how much is left.
    RateLimited(RateLimited),
    /// It waits for an answer.
    Asking {
        /// What an answer must name.
        request: String,
        /// What it asks.
        ask: Ask,
    },
    /// It took notice of something that was sent to it.
    Acknowledged {
        /// What was sent: the id that the sender gave it.
        id: String,
        /// How far it got.
        stage: Stage,
    },
    /// What it leaves running beside its turns has changed.
    Background {
        /// All that runs now.
        tasks: Vec<Task>,
    },
    /// A turn is over.
    Result(TurnResult),
    /// The process is gone. Reported by the code that ran it, never by the agent.
    Ended {
        /// How it went.
        exit: Exit,
    },
    /// A line that means nothing to Fleet, as it was.
    Raw {
        /// The line; invalid UTF-8 is replaced.
        line: String,
    },
}

/// What an agent reports when it is up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Started {
    /// The agent's own id of the conversation, with which it can be resumed.
    pub session: Option<String>,
    /// The model it will use.
    pub model: Option<String>,
    /// Where it works.
    pub cwd: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// How it treats tool calls that are not allowed yet, in its own word.
    pub permissions: Option<String>,
    /// The MCP servers it was given; one that failed does not stop it.
    pub servers: Vec<ToolServer>,
}

/// An MCP server as the agent sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolServer {
    /// Its name.
    pub name: String,
    /// The agent's word for how it is, such as `connected` or `failed`.
    pub status: String,
}

impl ToolServer {
    /// Words of agents for a server that is there, is coming, or is not wanted.
    const FINE: [&str; 6] = ["connected", "ready", "pending", "connecting", "starting", "disabled"];

    /// Returns whether its tools are missing. An unknown word counts as a failure, and is shown as it is.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        !Self::FINE.iter().any(|word| self.status.eq_ignore_ascii_case(word))
    }
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallEnd {
    /// It ran and answered.
    Ok,
    /// It ran and failed.
    Failed,
    /// It was not allowed to run.
    Denied,
    /// It was cut off; what it did until then is done.
    Interrupted,
}

/// What a provider says of how much may be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum RateLimited {
    /// A call failed and will be tried again by the agent itself.
    Retrying {
        /// Which try failed, from one.
        attempt: u32,
        /// After how many it gives up.
        attempts_max: u32,
        /// How long it waits.
        delay_ms: u64,
        /// The provider's HTTP status; none if there was no answer.
        status: Option<u16>,
        /// What it would fail of if this were the last try.
        class: FailureClass,
    },
    /// How much of a window of the account is used.
    Window {
        /// Whether it lets calls through.
        status: WindowStatus,
        /// Which one, in the provider's word, such as `five_hour`.
        window: Option<String>,
        /// The used part, from 0 to 1.
        utilization: Option<f64>,
        /// When it is empty again.
        resets_at: Option<Timestamp>,
    },
}

/// Whether a window of the account lets calls through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowStatus {
    /// It does.
    Allowed,
    /// It does, and not for long.
    Warning,
    /// It does not until it is empty again.
    Rejected,
}

/// What an agent asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Ask {
    /// May this call run? The agent is up and waits.
    Permission {
        /// The tool.
        tool: String,
        /// What it would be called with.
        input: Value,
        /// The call's id.
        call: Option<String>,
    },
    /// May this call continue? Asked of every call where a brief wants it; a program answers, at once.
    Gate {
        /// The tool.
        tool: String,
        /// What it would be called with.
        input: Value,
        /// The call's id.
        call: Option<String>,
    },
    /// May this call run? The agent has gone; resuming it asks again.
    Deferred {
        /// The tool.
        tool: String,
        /// What it would be called with.
        input: Value,
    },
    /// A question in words.
    Question {
        /// The words.
        text: String,
    },
}

/// How far something that was sent to an agent has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Stage {
    /// The agent has it and is busy.
    Queued,
    /// The agent works on it.
    Begun,
    /// The agent is done with it.
    Finished,
    /// It came to nothing.
    Cancelled,
    /// It was refused.
    Refused {
        /// Why.
        why: String,
    },
}

/// What an agent reports when a turn is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TurnResult {
    /// How it went, by every flag the agent set.
    pub ending: Ending,
    /// Its last words, or what went wrong.
    pub text: String,
    /// The agent's own id of the conversation.
    pub session: Option<String>,
    /// Turns of the model that it took.
    pub turns: Option<u32>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// The agent's running totals; see [`crate::Meter`].
    pub totals: Option<Totals>,
    /// What the agent says this turn alone took.
    pub turn: Option<Totals>,
    /// Calls that were not allowed.
    pub denials: Vec<Denial>,
    /// The answer in the form that was asked for.
    pub structured: Option<Value>,
}

/// How a turn went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ending {
    /// The agent says that it is done, and no flag says otherwise.
    Completed,
    /// It stopped because a call awaits a decision.
    Deferred,
    /// It failed.
    Failed {
        /// Of what.
        class: FailureClass,
    },
}

/// A call that was not allowed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Denial {
    /// The tool.
    pub tool: String,
    /// What it would have been called with.
    pub input: Value,
}

/// How a process went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Exit {
    /// It returned.
    Code {
        /// What.
        code: i32,
    },
    /// A signal ended it.
    Signal {
        /// Which.
        signal: i32,
    },
    /// The exit was not observed: the machine or the shim went down.
    Unseen,
}
