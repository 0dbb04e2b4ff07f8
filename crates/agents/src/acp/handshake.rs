//! How a conversation begins: who speaks which version, which conversation it is, and with which model.

use serde_json::{Value, json};

use super::{Acp, DialogueState, Message, Sent, ending};
use crate::dialogue::Out;
use crate::dialogue::rpc::{list, text};
use crate::{Conversation, Ending, Event, FailureClass, McpServer, McpTransport, Started, TurnResult};

/// The version of the protocol.
const VERSION: u64 = 1;

/// No editor capability is offered: an agent that writes through its client would bypass the sandbox.
pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": VERSION,
        "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
        "clientInfo": {"name": "fleet", "title": "Fleet", "version": env!("CARGO_PKG_VERSION")},
    })
}

impl Acp {
    pub(super) fn initialized(&mut self, result: &Value) -> Vec<Out> {
        if result["protocolVersion"].as_u64() != Some(VERSION) {
            let spoken = &result["protocolVersion"];
            let why = format!("it speaks version {spoken} of the Agent Client Protocol, and Fleet version {VERSION}");
            return self.fail(FailureClass::Invalid, why);
        }
        self.version = text(&result["agentInfo"], "version");
        let can = &result["agentCapabilities"];
        let (cwd, mcp) = (self.opening.cwd.clone(), servers(&self.opening.mcp));
        let earlier = |session: &String| json!({"sessionId": session, "cwd": cwd, "mcpServers": mcp});
        let (method, params) = match &self.opening.conversation {
            Conversation::New { .. } => ("session/new", json!({"cwd": cwd, "mcpServers": mcp})),
            // To take it up without hearing all of it again is better, where there is a choice.
            Conversation::Resume { session } if can["sessionCapabilities"]["resume"].is_object() => {
                ("session/resume", earlier(session))
            }
            Conversation::Resume { session } if can["loadSession"] == true => ("session/load", earlier(session)),
            Conversation::Fork { session } if can["sessionCapabilities"]["fork"].is_object() => {
                ("session/fork", earlier(session))
            }
            Conversation::Resume { .. } => {
                return self.fail(FailureClass::NoSession, "it cannot take up an earlier conversation".to_owned());
            }
            Conversation::Fork { .. } => {
                return self.fail(FailureClass::NoSession, "it cannot continue a copy of a conversation".to_owned());
            }
        };
        self.loads = method == "session/load";
        vec![self.send(Sent::Session, method, &params)]
    }

    /// The agent is ready.
    pub(super) fn begun(&mut self, result: &Value) -> Vec<Out> {
        let known = match &self.opening.conversation {
            Conversation::Resume { session } => Some(session.clone()),
            Conversation::New { .. } | Conversation::Fork { .. } => None,
        };
        let Some(session) = text(result, "sessionId").or(known) else {
            return self.fail(FailureClass::Crash, "it began a conversation and did not say which".to_owned());
        };
        // Gemini replays a loaded conversation after it has reported that it is loaded. What is asked for after that is
        // answered after that.
        if let (true, Some(mode)) = (self.loads, text(&result["modes"], "currentModeId")) {
            let params = json!({"sessionId": session, "modeId": mode});
            self.stage = DialogueState::Loaded { session, result: result.clone() };
            return vec![self.send(Sent::Settle, "session/set_mode", &params)];
        }
        self.ready(session, result)
    }

    /// What was said long ago is told.
    pub(super) fn settled(&mut self) -> Vec<Out> {
        match std::mem::replace(&mut self.stage, DialogueState::Over) {
            DialogueState::Loaded { session, result } => self.ready(session, &result),
            other @ (DialogueState::Opening
            | DialogueState::Idle { .. }
            | DialogueState::Turn { .. }
            | DialogueState::Over) => {
                self.stage = other;
                Vec::new()
            }
        }
    }

    fn ready(&mut self, session: String, result: &Value) -> Vec<Out> {
        let (model, switch) = model(result, &session, self.opening.model.as_deref());
        let started = Event::Started(Started {
            session: Some(session.clone()),
            model,
            cwd: Some(self.opening.cwd.display().to_string()),
            version: self.version.clone(),
            permissions: text(&result["modes"], "currentModeId"),
            servers: Vec::new(),
        });
        self.cost_before = self.cost;
        self.introduce();
        self.stage = DialogueState::Idle { session };
        let next = match switch {
            Some((method, params)) => vec![self.send(Sent::Model, method, &params)],
            None => self.go_on(),
        };
        [Out::Tell(started)].into_iter().chain(next).collect()
    }

    /// The protocol has no field for a system prompt: it is put before the first prompt of a new conversation.
    fn introduce(&mut self) {
        if let (Conversation::New { .. }, Some(words), Some(Message { text, .. })) =
            (&self.opening.conversation, &self.opening.system_prompt, self.waiting.front_mut())
        {
            *text = format!("{words}\n\n{text}");
        }
    }

    pub(super) fn not_begun(&mut self, error: &Value) -> Vec<Out> {
        let words = ending::words(error);
        let class = match (&self.opening.conversation, ending::class(error)) {
            (Conversation::Resume { .. } | Conversation::Fork { .. }, FailureClass::Crash | FailureClass::Invalid) => {
                FailureClass::NoSession
            }
            (_, class) => class,
        };
        self.fail(class, words)
    }

    /// No conversation exists: the agent can exit.
    pub(super) fn fail(&mut self, class: FailureClass, text: String) -> Vec<Out> {
        self.stage = DialogueState::Over;
        let result = TurnResult {
            ending: Ending::Failed { class },
            text,
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

/// The model in use, and how to ask for the one that is wanted. There are two ways, by the age of the agent.
fn model(result: &Value, session: &str, wanted: Option<&str>) -> (Option<String>, Option<(&'static str, Value)>) {
    let option = list(result, "configOptions").iter().find(|option| option["category"] == "model");
    let now =
        option.and_then(|option| text(option, "currentValue")).or_else(|| text(&result["models"], "currentModelId"));
    let Some(wanted) = wanted.filter(|wanted| now.as_deref() != Some(wanted)) else { return (now, None) };
    let switch = match option {
        Some(option) => {
            let params = json!({"sessionId": session, "configId": option["id"], "value": wanted});
            Some(("session/set_config_option", params))
        }
        None if result["models"].is_object() => {
            Some(("session/set_model", json!({"sessionId": session, "modelId": wanted})))
        }
        None => None,
    };
    if switch.is_some() { (Some(wanted.to_owned()), switch) } else { (now, None) }
}

fn servers(servers: &[McpServer]) -> Vec<Value> {
    let pairs = |pairs: &std::collections::BTreeMap<String, String>| -> Vec<Value> {
        pairs.iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
    };
    let server = |server: &McpServer| match &server.transport {
        McpTransport::Stdio { command, args, env } => {
            json!({"name": server.name, "command": command, "args": args, "env": pairs(env)})
        }
        McpTransport::Sse { url, headers } => {
            json!({"type": "sse", "name": server.name, "url": url, "headers": pairs(headers)})
        }
        McpTransport::Http { url, headers } => {
            json!({"type": "http", "name": server.name, "url": url, "headers": pairs(headers)})
        }
    };
    servers.iter().map(server).collect()
}
