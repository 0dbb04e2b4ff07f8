//! An MCP server that the agents of a project get, and how one fared.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Handle, ProjectId, ServerId, TeamName};

/// An MCP server that every agent gets that works on a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectServer {
    /// Its id.
    pub id: ServerId,
    /// The project whose it is.
    pub project: ProjectId,
    /// The team that sees it.
    pub team: TeamName,
    /// Its name, a part of the names of its tools; no two of a project share one.
    pub name: String,
    /// How to reach it.
    pub reach: ServerReach,
    /// Whether agents get it.
    pub enabled: bool,
    /// Who added it.
    pub created_by: Handle,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// How an MCP server is reached. Values of its environment and its headers may be secrets.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerReach {
    /// It is a program that runs beside the agent.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment.
        env: BTreeMap<String, String>,
        /// The folder it is started in; the agent's, when unset.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
    },
    /// Over HTTP, in the older way with a stream of events.
    Sse {
        /// Where.
        url: String,
        /// What to send along.
        headers: BTreeMap<String, String>,
    },
    /// Over HTTP.
    Http {
        /// Where.
        url: String,
        /// What to send along.
        headers: BTreeMap<String, String>,
    },
}

impl fmt::Debug for ServerReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdio { command, args, env, cwd } => {
                let mut shown = f.debug_struct("Stdio");
                shown.field("command", command).field("args", args).field("env", &env.keys()).field("cwd", cwd).finish()
            }
            Self::Sse { url, headers } => {
                f.debug_struct("Sse").field("url", url).field("headers", &headers.keys()).finish()
            }
            Self::Http { url, headers } => {
                f.debug_struct("Http").field("url", url).field("headers", &headers.keys()).finish()
            }
        }
    }
}

/// An MCP server as the agent of a session found it
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ServerState {
    /// Its name
    pub name: String,
    /// The agent's word for how it is, such as `connected` or `failed`
    pub status: String,
    /// Whether its tools are missing
    pub failed: bool,
}
