//! How a conversation with the app-server begins.

use serde_json::{Map, Value, json};
use types::Access;

use super::{AppServer, DialogueState, Sent, trouble};
use crate::dialogue::rpc::{self, text};
use crate::dialogue::{Opening, Out};
use crate::{Conversation, Ending, Event, FailureClass, McpServer, McpTransport, Started, TurnResult};

pub(super) fn initialize() -> Value {
    let client = json!({"name": "fleet", "title": "Fleet", "version": env!("CARGO_PKG_VERSION")});
    json!({"clientInfo": client, "capabilities": {}})
}

impl AppServer {
    pub(super) fn initialized(&mut self) -> Vec<Out> {
        let mut params = params(&self.opening);
        let method = match &self.opening.conversation {
            Conversation::New { .. } => "thread/start",
            Conversation::Resume { session } => {
                params["threadId"] = json!(session);
                params["excludeTurns"] = json!(true);
                "thread/resume"
            }
            Conversation::Fork { session } => {
                params["threadId"] = json!(session);
                params["excludeTurns"] = json!(true);
                "thread/fork"
            }
        };
        let begin = self.send(Sent::Thread, method, &params);
        vec![Out::Send(rpc::notice("initialized", None)), begin]
    }

    pub(super) fn begun(&mut self, result: &Value) -> Vec<Out> {
        let Some(thread) = text(&result["thread"], "id") else {
            return self.fail(&json!({"message": "it began a thread and did not say which"}));
        };
        self.started = Started {
            session: Some(thread.clone()),
            model: text(result, "model"),
            cwd: text(result, "cwd"),
            version: text(&result["thread"], "cliVersion"),
            permissions: text(result, "approvalPolicy"),
            servers: std::mem::take(&mut self.started.servers),
        };
        self.place = DialogueState::Idle { thread };
        let started = Out::Tell(Event::Started(self.started.clone()));
        [started].into_iter().chain(self.go_on()).collect()
    }

    /// No conversation exists: the agent can exit.
    pub(super) fn fail(&mut self, error: &Value) -> Vec<Out> {
        self.place = DialogueState::Over;
        let class = match (&self.opening.conversation, trouble::class(error, &self.windows)) {
            (Conversation::Resume { .. } | Conversation::Fork { .. }, FailureClass::Crash | FailureClass::Invalid) => {
                FailureClass::NoSession
            }
            (_, class) => class,
        };
        let result = TurnResult {
            ending: Ending::Failed { class },
            text: trouble::words(error),
            session: None,
            turns: None,
            duration_ms: None,
            totals: None,
            turn: None,
            denials: Vec::new(),
            structured: None,
        };
        vec![Out::Tell(Event::Result(result)), Out::Over]
    }
}

/// What every thread is begun with, earlier ones too: nothing of it is kept.
fn params(opening: &Opening) -> Value {
    let mut params = json!({
        "cwd": opening.cwd,
        "approvalPolicy": "untrusted",
        "sandbox": sandbox(opening),
        "config": config(opening),
    });
    if let Some(model) = &opening.model {
        params["model"] = json!(model);
    }
    if let Some(words) = &opening.system_prompt {
        params["developerInstructions"] = json!(words);
    }
    params
}

fn sandbox(opening: &Opening) -> &'static str {
    match opening.access {
        Access::ReadOnly | Access::Workspace if opening.walled => "danger-full-access",
        Access::ReadOnly => "read-only",
        Access::Workspace => "workspace-write",
        Access::Full => "danger-full-access",
    }
}

fn config(opening: &Opening) -> Value {
    let mut config = Map::new();
    if !opening.mcp.is_empty() {
        let servers: Map<String, Value> = opening.mcp.iter().map(server).collect();
        config.insert("mcp_servers".to_owned(), servers.into());
    }
    if !opening.writable.is_empty() {
        config.insert("sandbox_workspace_write".to_owned(), json!({"writable_roots": opening.writable}));
    }
    config.into()
}

/// Every call of a server is asked about, of those too that say they only read.
fn server(server: &McpServer) -> (String, Value) {
    let value = match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            json!({"command": command, "args": args, "env": env, "default_tools_approval_mode": "prompt"})
        }
        // It speaks the newer way alone; who gives it another is told before.
        McpTransport::Http { url, headers } | McpTransport::Sse { url, headers } => {
            json!({"url": url, "http_headers": headers, "default_tools_approval_mode": "prompt"})
        }
    };
    (server.name.clone(), value)
}
