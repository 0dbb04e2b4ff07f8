//! What the hooks of agents ask, read as a call.

use policy::{Call, Dialect};
use serde::Deserialize;
use serde_json::Value;

/// An agent whose hook runs this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
}

impl Agent {
    const ALL: [Self; 3] = [Self::Claude, Self::Codex, Self::Gemini];

    /// Finds an agent by the word for it.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.as_str() == word)
    }

    /// Returns its name on the command line of the permission hook.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
        }
    }

    /// Returns the words of its calls.
    #[must_use]
    pub const fn dialect(self) -> Dialect {
        match self {
            Self::Claude => Dialect::Claude,
            Self::Codex => Dialect::Codex,
            Self::Gemini => Dialect::Gemini,
        }
    }
}

/// A question of a hook.
#[derive(Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) call: Call,
    /// What the agent calls this one call.
    pub(crate) id: Option<String>,
}

/// What all hooks have in common; what else they tell is not needed.
#[derive(Deserialize)]
struct Asked {
    tool_name: String,
    #[serde(default)]
    tool_input: Value,
    #[serde(default)]
    tool_use_id: Option<String>,
    /// Gemini: the server of a tool, whose name cannot be told from the tool's.
    #[serde(default)]
    mcp_context: Option<Server>,
}

#[derive(Deserialize)]
struct Server {
    server_name: String,
    tool_name: String,
}

impl Question {
    pub(crate) fn read(agent: Agent, text: &[u8]) -> Result<Self, String> {
        let asked: Asked = serde_json::from_slice(text)
            .map_err(|error| format!("the question of the hook cannot be read: {error}"))?;
        let tool = match asked.mcp_context {
            Some(server) => format!("mcp__{}__{}", server.server_name, server.tool_name),
            None => asked.tool_name,
        };
        Ok(Self { call: Call::of(agent.dialect(), &tool, &asked.tool_input), id: asked.tool_use_id })
    }
}
