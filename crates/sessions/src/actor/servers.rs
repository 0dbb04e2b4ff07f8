//! The MCP servers of an agent beside Fleet's own: those that its project gives it, and how all of them fared.
//!
//! A server that an agent cannot use does not stop the session: the session says so, and continues without it.

use std::collections::BTreeMap;

use agents::{Adapter, McpForm, McpServer, McpTransport};
use store::{Query, Transaction, by};
use types::{Event, ProjectServer, ServerReach, ServerState, Session, Workspace};

use super::Actor;
use crate::Result;

/// The server of the context mode.
const CONTEXT_MODE: &str = "context-mode";

/// The tools of the context mode.
const CONTEXT_TOOLS: [&str; 6] = ["execute", "batch_execute", "execute_file", "index", "search", "fetch_and_index"];

/// Tools with which an agent changes something.
const WRITING: [&str; 5] = ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"];

/// Most servers of one project that are read.
const SERVERS_MAX: usize = 100;

/// What an agent gets beside Fleet's own tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Gear {
    /// The servers.
    pub(super) servers: Vec<McpServer>,
    /// Their tools that need no question.
    pub(super) tools: Vec<String>,
    /// Servers that the agent cannot use, and why.
    pub(super) passed_over: Vec<ServerState>,
}

impl Actor {
    /// Gathers the servers that the project gives, and the context mode if it was asked for.
    pub(super) async fn gear(&self, workspace: &Workspace) -> Result<Gear> {
        let adapter = self.adapter()?;
        let mut servers = match &self.session.project {
            Some(project) => {
                let query = Query::earliest(by::mcp_server::project(project), SERVERS_MAX);
                self.shared.parts.store.list::<ProjectServer>(query).await?.records
            }
            None => Vec::new(),
        };
        servers.retain(|server| server.enabled);
        let allowed = self.session.order.allowed_tools.as_deref().unwrap_or_default();
        let mut gear = Gear::of(adapter.as_ref(), servers, allowed);
        if self.session.order.context_mode {
            gear.add(adapter.as_ref(), self.context_mode(workspace));
            gear.tools.extend(CONTEXT_TOOLS.map(|tool| format!("mcp__{CONTEXT_MODE}__ctx_{tool}")));
        }
        Ok(gear)
    }

    fn context_mode(&self, workspace: &Workspace) -> McpServer {
        let settings = self.shared.settings();
        let mut words = settings.context_mode_cmd.split_whitespace().map(str::to_owned);
        let command = words.next().unwrap_or_else(|| CONTEXT_MODE.to_owned());
        let env = BTreeMap::from([("PROJECT_DIR".to_owned(), workspace.path.clone())]);
        let transport = McpTransport::Stdio { command, args: words.collect(), env };
        McpServer { name: CONTEXT_MODE.to_owned(), transport }
    }

    /// Takes down how the servers are: at once if one has failed, else with the next change.
    pub(super) async fn fared(&mut self, heard: Vec<ServerState>) -> Result<()> {
        let servers = merged(&self.session.servers, heard);
        if servers == self.session.servers {
            return Ok(());
        }
        if newly_failed(&self.session.servers, &servers).next().is_some() {
            return self.change(|session| session.servers = servers).await;
        }
        self.session.servers = servers;
        self.live.send_modify(|live| live.session.servers = self.session.servers.clone());
        Ok(())
    }
}

impl Gear {
    /// Sorts out what an agent can use. Where it may change nothing, the tools of a project's servers are asked about
    /// like all others: who knows what they do.
    fn of(adapter: &dyn Adapter, servers: Vec<ProjectServer>, allowed: &[String]) -> Self {
        let writes = allowed.iter().any(|tool| WRITING.contains(&tool.as_str()));
        let mut gear = Self::default();
        for server in servers {
            let name = server.name.clone();
            if gear.add(adapter, given(server)) && writes {
                gear.tools.push(format!("mcp__{name}__*"));
            }
        }
        gear
    }

    /// Adds a server, if the agent can use it; says whether it can.
    fn add(&mut self, adapter: &dyn Adapter, server: McpServer) -> bool {
        match unusable(adapter, &server.transport) {
            None => {
                self.servers.push(server);
                true
            }
            Some(why) => {
                let status = format!("not given: agent `{}` takes {why}", adapter.name());
                self.passed_over.push(ServerState { name: server.name, status, failed: true });
                false
            }
        }
    }
}

fn unusable(adapter: &dyn Adapter, transport: &McpTransport) -> Option<&'static str> {
    match adapter.capabilities().mcp {
        McpForm::None => Some("no MCP servers"),
        McpForm::Argument => (!adapter.takes_server(transport)).then_some("no MCP servers of this type"),
    }
}

fn given(server: ProjectServer) -> McpServer {
    let transport = match server.reach {
        ServerReach::Stdio { command, args, env, cwd: None } => McpTransport::Stdio { command, args, env },
        // Not every agent takes a folder for a server, so the program is started there by a shell.
        ServerReach::Stdio { command, args, env, cwd: Some(folder) } => {
            let script = r#"cd -- "$0" && exec "$@""#.to_owned();
            let args = ["-c".to_owned(), script, folder, command].into_iter().chain(args).collect();
            McpTransport::Stdio { command: "/bin/sh".to_owned(), args, env }
        }
        ServerReach::Sse { url, headers } => McpTransport::Sse { url, headers },
        ServerReach::Http { url, headers } => McpTransport::Http { url, headers },
    };
    McpServer { name: server.name, transport }
}

/// What the agent says now counts; of servers that it does not speak of, what was known stays.
fn merged(known: &[ServerState], heard: Vec<ServerState>) -> Vec<ServerState> {
    let silent = |state: &&ServerState| !heard.iter().any(|other| other.name == state.name);
    known.iter().filter(silent).cloned().collect::<Vec<_>>().into_iter().chain(heard.clone()).collect()
}

/// Finds the servers that are missing and were not known to be.
fn newly_failed<'a>(before: &'a [ServerState], after: &'a [ServerState]) -> impl Iterator<Item = &'a ServerState> {
    after.iter().filter(|state| state.failed && !before.contains(state))
}

/// Reports the servers that a change of a session's record shows to have failed.
pub(super) fn tell(tx: &Transaction, before: &Session, after: &Session) {
    for state in newly_failed(&before.servers, &after.servers) {
        tx.append(Event::ServerFailed {
            session: after.id.clone(),
            mission: after.mission.as_ref().map(|assignment| assignment.mission.clone()),
            server: state.name.clone(),
            status: state.status.clone(),
        });
    }
}

#[cfg(test)]
#[path = "servers_tests.rs"]
mod tests;
