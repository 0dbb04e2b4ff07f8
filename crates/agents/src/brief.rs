//! What an agent is to do, in Fleet's words; an adapter says it in the agent's.
//!
//! A way around the permission checks of an agent cannot be expressed here.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use types::{Access, Limits};

/// The order to an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Brief {
    /// What to do.
    pub prompt: String,
    /// The id of the prompt as a message: a UUID that acknowledgements repeat.
    pub prompt_id: Option<String>,
    /// What a conversation that goes on was begun with, for an agent that remembers nothing.
    pub first_prompt: Option<String>,
    /// The folder to work in.
    pub cwd: PathBuf,
    /// The program that is Fleet, for what it starts beside the agent.
    pub program: PathBuf,
    /// A folder for this run that only its owner can read; what must not be seen in a list of processes goes there.
    pub private_dir: Option<PathBuf>,
    /// Which model; none leaves it to the settings.
    pub model: Option<String>,
    /// The conversation to begin or to continue with.
    pub conversation: Conversation,
    /// The key that answers to its questions are proved by, for a bridge; none if they are not.
    pub answer_key: Option<String>,
    /// For how many seconds the conversation has been silent; none if unknown.
    pub rested_secs: Option<u64>,
    /// Ceilings that the agent is asked to keep by itself; Fleet keeps them too.
    pub limits: Limits,
    /// Text for the system prompt, after the agent's own.
    pub system_prompt: Option<String>,
    /// MCP servers, and no others.
    pub mcp: Vec<McpServer>,
    /// Tools that need no question.
    pub allowed_tools: Vec<String>,
    /// Tools that are not there at all.
    pub denied_tools: Vec<String>,
    /// What happens with all other calls.
    pub permissions: Permissions,
    /// Who judges its calls before they run.
    pub gate: ApprovalChannel,
    /// What it may do to files, where its own sandbox or mode can be told.
    pub access: Access,
    /// Whether it runs inside Fleet's sandbox: its own cannot be created inside that, and need not be.
    pub walled: bool,
    /// Folders beside the working one that it may write to, such as the git folders of a worktree.
    pub writable: Vec<PathBuf>,
    /// Whether settings that lie in the repository count.
    pub trust: Trust,
    /// Environment to set, beside what the settings say.
    pub env: BTreeMap<String, String>,
    /// Arguments to add, behind those of the settings.
    pub args: Vec<String>,
}

/// The conversation to begin or to continue with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Conversation {
    /// A new one.
    New {
        /// The id it shall have, where the agent lets others choose.
        session: Option<String>,
    },
    /// An earlier one.
    Resume {
        /// The agent's id of it.
        session: String,
    },
    /// A copy of an earlier one.
    Fork {
        /// The agent's id of the earlier one.
        session: String,
    },
}

impl Default for Conversation {
    fn default() -> Self {
        Self::New { session: None }
    }
}

/// An MCP server for the agent to use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    /// Its name, a part of the names of its tools.
    pub name: String,
    /// How to reach it.
    pub transport: McpTransport,
}

/// How to reach an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum McpTransport {
    /// As a child of the agent.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment.
        env: BTreeMap<String, String>,
    },
    /// Over HTTP, in the older way with a stream of events.
    Sse {
        /// Where.
        url: String,
        /// What to send along, such as a token.
        headers: BTreeMap<String, String>,
    },
    /// Over HTTP.
    Http {
        /// Where.
        url: String,
        /// What to send along, such as a token.
        headers: BTreeMap<String, String>,
    },
}

/// What happens with tool calls that are not allowed yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permissions {
    /// Each is asked about.
    #[default]
    Ask,
    /// Edits in the working folder run, the rest is asked about.
    Edits,
    /// Nothing is written.
    Plan,
    /// They are refused.
    Refuse,
}

/// Who judges the agent's calls before they run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum ApprovalChannel {
    /// The agent itself; it asks about calls that are not allowed yet.
    #[default]
    Off,
    /// A program that the agent's own hook runs at every call, with the question on its standard input.
    Program {
        /// The program and its arguments.
        argv: Vec<String>,
    },
}

/// Whether settings that lie in the repository count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// No: a repository's hooks would run without a question.
    #[default]
    User,
    /// Yes, the project is trusted.
    Project,
}
