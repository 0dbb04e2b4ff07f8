//! What a conversation begins with: the part of a brief that a bridge needs.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use types::Access;

use crate::{Brief, Conversation, McpServer};

/// Agents take seconds to be ready, and more on a machine that is busy; their servers have to start, too.
const READY_SECS_MAX: u64 = 180;

/// The first line that a bridge reads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Opening {
    /// What to do; if it is empty, the agent waits to be told.
    pub prompt: String,
    /// The id of the prompt as a message.
    pub prompt_id: Option<String>,
    /// Where to work.
    pub cwd: PathBuf,
    /// Which model, by its full name, where the command line does not say so.
    pub model: Option<String>,
    /// The conversation to begin or to continue with.
    pub conversation: Conversation,
    /// Text that comes before everything else.
    pub system_prompt: Option<String>,
    /// MCP servers.
    pub mcp: Vec<McpServer>,
    /// What it may do to files, where the agent has a sandbox of its own.
    pub access: Access,
    /// Whether it already runs inside Fleet's sandbox, inside of which it cannot create another.
    pub walled: bool,
    /// Folders beside the working one that it may write to.
    pub writable: Vec<PathBuf>,
    /// When an earlier conversation can be taken up.
    pub loading: Loading,
    /// How many seconds the agent may take until it is ready.
    pub ready_secs_max: u64,
    /// The key that answers to questions are proved by; none from a server that proves none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer_key: Option<String>,
}

impl Default for Opening {
    fn default() -> Self {
        Self::of(&Brief::default())
    }
}

/// When an earlier conversation can be taken up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loading {
    /// At once.
    #[default]
    AtOnce,
    /// Not in the minute of the clock in which it was begun: the agent would write over it.
    NextMinute,
}

impl Opening {
    /// Takes from a brief what a conversation begins with.
    #[must_use]
    pub fn of(brief: &Brief) -> Self {
        Self {
            prompt: brief.prompt.clone(),
            prompt_id: brief.prompt_id.clone(),
            cwd: brief.cwd.clone(),
            model: brief.model.clone(),
            conversation: brief.conversation.clone(),
            system_prompt: brief.system_prompt.clone(),
            mcp: brief.mcp.clone(),
            access: brief.access,
            walled: brief.walled,
            writable: brief.writable.clone(),
            loading: Loading::AtOnce,
            ready_secs_max: READY_SECS_MAX,
            answer_key: brief.answer_key.clone(),
        }
    }
}
