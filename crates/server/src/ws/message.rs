//! What travels over the socket, in the words of claude-fleet's contract.

use api::claude_fleet::{SpawnedWorker, TaskStatus, TaskView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::{Handle, MissionId, SessionId, TeamName, Uid};

/// What a client may say.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase", rename_all_fields = "camelCase")]
#[schemars(rename = "SocketRequest")]
pub(crate) enum Request {
    /// Says who it is.
    Auth {
        /// A token of this server's.
        token: String,
    },
    /// Asks to be told of what happens in a chat.
    Subscribe {
        /// Which.
        chat_id: String,
        /// Who it says it is; the token decides.
        uid: Option<String>,
    },
    /// Asks to be told no more.
    Unsubscribe {
        /// Of which.
        chat_id: String,
    },
    /// Asks for a sign of life.
    Ping,
}

/// What the server says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[schemars(rename = "SocketReply")]
pub(crate) enum Reply {
    /// The token was believed.
    Authenticated {
        /// Whose it is.
        uid: Uid,
    },
    /// What happens in this chat is told from now on.
    Subscribed {
        /// Which.
        chat_id: String,
    },
    /// A sign of life.
    Pong,
    /// What was asked is not done.
    Error {
        /// Why.
        message: String,
    },
    /// A task was given by one of two members to the other.
    TaskAssigned {
        /// The task.
        task: Box<TaskView>,
        /// Who gave it.
        handle: Handle,
    },
    /// The status of a task changed.
    TaskUpdated {
        /// Which.
        task_id: MissionId,
        /// What it is now.
        status: TaskStatus,
        /// The team.
        team_name: TeamName,
        /// Who is to do it.
        owner_handle: Option<Handle>,
    },
    /// A worker was started, or taken up again.
    WorkerSpawned {
        /// The worker, as its spawn is answered.
        worker: Box<SpawnedWorker>,
    },
    /// A worker said or did something.
    WorkerOutput {
        /// Which.
        handle: Handle,
        /// What: whole lines.
        output: String,
        /// The team.
        team_name: TeamName,
        /// Its session.
        session_id: SessionId,
        /// How many lines before these there was no room for; `output` of the worker has them.
        #[serde(skip_serializing_if = "is_zero")]
        left_out: u64,
    },
    /// A worker is gone.
    WorkerDismissed {
        /// Which.
        handle: Handle,
        /// The team.
        team_name: TeamName,
        /// Its session.
        session_id: SessionId,
        /// How it ended: `completed`, `failed` or `cancelled`.
        reason: &'static str,
    },
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Names of the messages that a client may send.
const KNOWN: [&str; 4] = ["auth", "subscribe", "unsubscribe", "ping"];

/// Characters of a client's own words that are repeated to it.
const ECHO_MAX: usize = 40;

impl Reply {
    pub(super) fn error(message: impl Into<String>) -> Self {
        Self::Error { message: message.into() }
    }
}

/// Reads a message, or says what is wrong with it.
pub(super) fn read(text: &str) -> Result<Request, Reply> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| Reply::error(format!("the message is not JSON: {error}")))?;
    let Some(name) = value.get("type").and_then(Value::as_str).map(str::to_owned) else {
        return Err(Reply::error("the message has no `type`"));
    };
    if !KNOWN.contains(&name.as_str()) {
        let name: String = name.chars().take(ECHO_MAX).collect();
        return Err(Reply::error(format!("unknown message type `{name}`; known are {}", KNOWN.join(", "))));
    }
    serde_json::from_value(value).map_err(|error| Reply::error(format!("malformed message of type `{name}`: {error}")))
}
