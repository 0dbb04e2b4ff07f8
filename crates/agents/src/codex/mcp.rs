//! The MCP servers of a run, as values of Codex's settings. Possible secrets are in the environment, which other users who
//! list processes cannot see.

use std::collections::BTreeMap;

use super::argv::text;
use crate::{Brief, LaunchError, McpServer, McpTransport};

/// Servers as settings, and the environment that goes with them.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) values: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
}

pub(super) fn servers(brief: &Brief) -> Result<Servers, LaunchError> {
    let mut servers = Servers::default();
    for server in &brief.mcp {
        servers.add(server)?;
    }
    Ok(servers)
}

impl Servers {
    /// Its calls need no approval of Codex's own, which nothing could answer: Fleet's permission hook judges them.
    fn add(&mut self, server: &McpServer) -> Result<(), LaunchError> {
        let fields = match &server.transport {
            McpTransport::Stdio { command, args, env } => {
                let names = self.pass_on(env)?;
                format!("command={},args={},env_vars={}", text(command), list(args), list(&names))
            }
            McpTransport::Sse { .. } => {
                let what = "use an MCP server of type `sse`";
                return Err(LaunchError::Incapable { agent: "codex".to_owned(), what });
            }
            McpTransport::Http { url, headers } => {
                let headers = headers.iter().map(|(name, value)| self.header(name, value)).collect::<Vec<_>>();
                let headers = headers.join(",");
                format!("url={},env_http_headers={{{headers}}}", text(url))
            }
        };
        let value = format!("{{{fields},default_tools_approval_mode=\"approve\"}}");
        self.values.push(format!("mcp_servers.{}={value}", name(&server.name)?));
        Ok(())
    }

    /// Puts variables of a server into the environment of all.
    fn pass_on(&mut self, env: &BTreeMap<String, String>) -> Result<Vec<String>, LaunchError> {
        for (name, value) in env {
            let before = self.env.insert(name.clone(), value.clone());
            if before.is_some_and(|before| before != *value) {
                let what = "give two MCP servers different values of one variable";
                return Err(LaunchError::Incapable { agent: "codex".to_owned(), what });
            }
        }
        Ok(env.keys().cloned().collect())
    }

    fn header(&mut self, name: &str, value: &str) -> String {
        let variable = format!("FLEET_MCP_HEADER_{}", self.env.len());
        self.env.insert(variable.clone(), value.to_owned());
        format!("{}={}", text(name), text(&variable))
    }
}

/// A name in a path of settings, whose parts cannot be quoted.
fn name(name: &str) -> Result<&str, LaunchError> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(plain) {
        Ok(name)
    } else {
        Err(LaunchError::Value { what: "name of an MCP server", value: name.to_owned() })
    }
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|one| text(one)).collect::<Vec<_>>().join(","))
}
