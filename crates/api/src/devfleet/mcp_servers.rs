//! MCP servers of projects under `/api/projects/{project}/mcp-servers` and `/api/mcp-servers`.

use api_macros::{input, output};
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use types::{ProjectId, ProjectServer, ServerId, ServerReach};

use crate::SqlTime;

/// Replaces a value that may be a secret, which is never shown.
pub const HIDDEN: &str = "***";

/// List the MCP servers of a project
#[input]
pub struct ListMcpServers {
    /// The project
    pub project: ProjectId,
}

/// Add an MCP server to a project
///
/// Agents get it from their next process on. A `stdio` server is a program that runs on the server's machine, beside
/// each agent and with what the agent may touch.
#[input(update(
    UpdateMcpServer,
    "Update an MCP server of a project

A configuration replaces the one before as a whole; where a value of `env` or `headers` is `***`, the stored one stays.",
    server: ServerId,
    "The server"
))]
pub struct AddMcpServer {
    /// The project
    #[create]
    pub project: ProjectId,
    /// Its name; its tools are named `mcp__NAME__TOOL`
    #[schemars(length(min = 1, max = 50))]
    pub server_name: String,
    /// Its transport
    #[serde(default)]
    pub server_type: ServerType,
    /// A JSON object: `command`, `args`, `env` and `cwd` of a program, or `url` and `headers`
    pub config: ServerConfig,
    /// Whether agents get it
    #[serde(default = "yes")]
    pub enabled: bool,
}

/// Enable an MCP server of a project
#[input]
pub struct EnableMcpServer {
    /// The server
    pub server: ServerId,
}

/// Disable an MCP server of a project
#[input]
pub struct DisableMcpServer {
    /// The server
    pub server: ServerId,
}

/// Remove an MCP server from its project
#[input]
pub struct RemoveMcpServer {
    /// The server
    pub server: ServerId,
}

/// How an MCP server is reached
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerType {
    /// A program beside the agent
    #[default]
    Stdio,
    /// Over HTTP, in the older way
    Sse,
    /// Over HTTP
    Http,
}

/// How an MCP server is started or found
#[input(Default)]
pub struct ServerConfig {
    /// The program
    #[schemars(length(max = 4096))]
    pub command: Option<String>,
    /// Its arguments
    #[schemars(length(max = 100), inner(length(max = 4096)))]
    pub args: Option<Vec<String>>,
    /// Its environment
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "values")]
    pub env: BTreeMap<String, String>,
    /// The folder it is started in; the agent's, when unset
    #[schemars(length(min = 1, max = 4096))]
    pub cwd: Option<String>,
    /// Where it is
    #[schemars(length(max = 2000))]
    pub url: Option<String>,
    /// What to send along
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(schema_with = "values")]
    pub headers: BTreeMap<String, String>,
}

/// An MCP server of a project
#[output]
pub struct McpServerRow {
    /// Its id
    pub id: ServerId,
    /// The project
    pub project_id: ProjectId,
    /// Its name
    pub server_name: String,
    /// Its transport
    pub server_type: ServerType,
    /// 1 when agents get it
    pub enabled: u8,
    /// When it was added
    pub created_at: SqlTime,
    /// How it is started or found; values of `env` and `headers` are hidden
    pub config: ServerConfig,
}

impl From<ProjectServer> for McpServerRow {
    fn from(server: ProjectServer) -> Self {
        let hidden = |values: BTreeMap<String, String>| -> BTreeMap<String, String> {
            values.into_keys().map(|name| (name, HIDDEN.to_owned())).collect()
        };
        let none = ServerConfig::default();
        let (server_type, config) = match server.reach {
            ServerReach::Stdio { command, args, env, cwd } => {
                let (command, args, env) = (Some(command), Some(args), hidden(env));
                (ServerType::Stdio, ServerConfig { command, args, env, cwd, ..none })
            }
            ServerReach::Sse { url, headers } => {
                (ServerType::Sse, ServerConfig { url: Some(url), headers: hidden(headers), ..none })
            }
            ServerReach::Http { url, headers } => {
                (ServerType::Http, ServerConfig { url: Some(url), headers: hidden(headers), ..none })
            }
        };
        Self {
            id: server.id,
            project_id: server.project,
            server_name: server.name,
            server_type,
            enabled: u8::from(server.enabled),
            created_at: SqlTime(server.created_at),
            config,
        }
    }
}

/// Texts by name, each with an end.
fn values(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "maxProperties": 100,
        "additionalProperties": { "type": "string", "maxLength": 8192 },
    })
}

fn yes() -> bool {
    true
}
