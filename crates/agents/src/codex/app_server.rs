//! Codex over its app-server: threads, turns and items, in both directions.
//!
//! Its approval policy is `untrusted`, under which it was seen to ask about every command, `cat` too, and about every
//! patch; under `on-request` the model chooses what is asked about. MCP servers are set to `prompt`, without which
//! tools that say they only read are not asked about. So every call that can change something is judged. Facts are as
//! observed with version 0.166.0.

mod approvals;
mod items;
mod shell;
mod thread;
mod trouble;

use std::collections::{BTreeMap, VecDeque};

use serde_json::{Value, json};

use crate::dialogue::rpc::{self, Asked, Incoming, text, word};
use crate::dialogue::{Dialogue, Opening, Out, Prose, Questions, Voice};
use crate::{Denial, Ending, Event, Say, Stage, Started, ToolServer, Totals, TurnResult};
use approvals::Pending;
use trouble::Windows;

/// A conversation with Codex's app-server.
#[derive(Debug)]
pub struct AppServer {
    opening: Opening,
    asked: Asked<Sent>,
    place: DialogueState,
    started: Started,
    prose: Prose,
    /// The message that comes in pieces.
    streamed: Option<String>,
    /// Items that are under way.
    items: BTreeMap<String, Value>,
    questions: Questions<Pending>,
    waiting: VecDeque<Message>,
    closing: bool,
    /// What the thread took, over all processes.
    totals: Option<Totals>,
    windows: Windows,
}

/// What we asked the server.
#[derive(Debug)]
enum Sent {
    Initialize,
    Thread,
    Turn,
    Steer(Message),
    Interrupt,
}

/// How far the conversation is.
#[derive(Debug)]
enum DialogueState {
    Opening,
    Idle { thread: String },
    Turn { thread: String, turn: Turn },
    Over,
}

/// Something that the agent is to read.
#[derive(Debug)]
struct Message {
    id: Option<String>,
    text: String,
}

/// A turn under way.
#[derive(Debug, Default)]
struct Turn {
    /// The server's id; none until it has said so.
    id: Option<String>,
    /// The messages that the agent has taken up.
    messages: Vec<String>,
    /// The caller that requested the interruption.
    interrupts: Vec<String>,
    cancelled: bool,
    denials: Vec<Denial>,
    /// Why calls were refused, by item.
    refused: BTreeMap<String, String>,
}

impl AppServer {
    /// Makes a conversation that is not begun yet.
    #[must_use]
    pub fn new(opening: Opening) -> Self {
        let waiting = match opening.prompt.as_str() {
            "" => VecDeque::new(),
            prompt => [Message { id: opening.prompt_id.clone(), text: prompt.to_owned() }].into(),
        };
        Self {
            opening,
            waiting,
            asked: Asked::default(),
            place: DialogueState::Opening,
            started: Started::default(),
            prose: Prose::default(),
            streamed: None,
            items: BTreeMap::new(),
            questions: Questions::default(),
            closing: false,
            totals: None,
            windows: Windows::default(),
        }
    }

    fn send(&mut self, sent: Sent, method: &str, params: &Value) -> Out {
        Out::Send(self.asked.request(sent, method, params))
    }

    /// Begins the next turn, if there is one to begin; otherwise it may be the end.
    fn go_on(&mut self) -> Vec<Out> {
        let DialogueState::Idle { thread } = &self.place else { return Vec::new() };
        let thread = thread.clone();
        let Some(message) = self.waiting.pop_front() else {
            return if self.closing { vec![Out::Over] } else { Vec::new() };
        };
        let params = json!({"threadId": thread, "input": input(&message.text)});
        let start = self.send(Sent::Turn, "turn/start", &params);
        let begun = message.id.clone().map(|id| Event::Acknowledged { id, stage: Stage::Begun });
        let turn = Turn { messages: message.id.into_iter().collect(), ..Turn::default() };
        self.place = DialogueState::Turn { thread, turn };
        [start].into_iter().chain(begun.map(Out::Tell)).collect()
    }

    /// Says what waits in the middle of a turn; the server folds it in.
    fn steer(&mut self) -> Vec<Out> {
        let DialogueState::Turn { thread, turn: Turn { id: Some(id), cancelled: false, .. } } = &self.place else {
            return Vec::new();
        };
        let (thread, id) = (thread.clone(), id.clone());
        let messages: Vec<Message> = self.waiting.drain(..).collect();
        let steer = |message: Message| {
            let params = json!({"threadId": thread, "input": input(&message.text), "expectedTurnId": id});
            self.send(Sent::Steer(message), "turn/steer", &params)
        };
        messages.into_iter().map(steer).collect()
    }

    fn told(&mut self, id: &str, text: &str) -> Vec<Out> {
        self.waiting.push_back(Message { id: Some(id.to_owned()), text: text.to_owned() });
        let queued = match self.place {
            DialogueState::Idle { .. } => None,
            DialogueState::Opening | DialogueState::Turn { .. } | DialogueState::Over => {
                Some(Event::Acknowledged { id: id.to_owned(), stage: Stage::Queued })
            }
        };
        let next = if queued.is_some() { self.steer() } else { self.go_on() };
        queued.map(Out::Tell).into_iter().chain(next).collect()
    }

    /// The agent has read a message in the middle of its turn.
    fn steered(&mut self, message: Message) -> Vec<Out> {
        let Some(id) = message.id else { return Vec::new() };
        if let DialogueState::Turn { turn, .. } = &mut self.place {
            turn.messages.push(id.clone());
        }
        vec![Out::Tell(Event::Acknowledged { id, stage: Stage::Begun })]
    }

    fn interrupt(&mut self, id: &str) -> Vec<Out> {
        if let DialogueState::Turn { turn, .. } = &mut self.place {
            turn.interrupts.push(id.to_owned());
            return self.cancel();
        }
        vec![Out::Tell(Event::Acknowledged { id: id.to_owned(), stage: Stage::Finished })]
    }

    /// Asks the server to break off, as soon as it has said which turn it is.
    fn cancel(&mut self) -> Vec<Out> {
        let DialogueState::Turn { thread, turn } = &mut self.place else { return Vec::new() };
        let first = !std::mem::replace(&mut turn.cancelled, true);
        let params = turn.id.as_ref().filter(|_| first).map(|id| json!({"threadId": thread, "turnId": id}));
        let sent = params.map(|params| self.send(Sent::Interrupt, "turn/interrupt", &params));
        let withdrawn = self.questions.close_all().into_iter().flat_map(approvals::withdrawn);
        sent.into_iter().chain(withdrawn).collect()
    }

    /// The server has said which turn it is.
    fn turn_begun(&mut self, result: &Value) -> Vec<Out> {
        let DialogueState::Turn { thread, turn } = &mut self.place else { return Vec::new() };
        if turn.id.is_none() {
            turn.id = text(&result["turn"], "id");
        }
        match (&turn.id, turn.cancelled) {
            (Some(id), true) => {
                let params = json!({"threadId": thread, "turnId": id});
                vec![self.send(Sent::Interrupt, "turn/interrupt", &params)]
            }
            (Some(_), false) => self.steer(),
            (None, _) => Vec::new(),
        }
    }

    fn noticed(&mut self, method: &str, params: &Value) -> Option<Vec<Out>> {
        let events = match method {
            "item/started" => self.item_begun(&params["item"], self.within(params)),
            "item/completed" => self.item_over(&params["item"], self.within(params)),
            "item/agentMessage/delta" => self.piece(params),
            "thread/tokenUsage/updated" if self.is_ours(params) => self.used(&params["tokenUsage"]),
            "account/rateLimits/updated" => self.windows.read(&params["rateLimits"]),
            "mcpServer/startupStatus/updated" => self.server(params),
            "error" => trouble::retrying(params).into_iter().collect(),
            "serverRequest/resolved" => return Some(self.resolved(&params["requestId"])),
            "turn/completed" if self.is_ours(params) => return Some(self.turn_over(&params["turn"])),
            "warning" | "configWarning" | "guardianWarning" | "deprecationNotice" => return None,
            // Reported by other messages too, or meant for display only.
            _ => Vec::new(),
        };
        Some(events.into_iter().map(Out::Tell).collect())
    }

    fn is_ours(&self, params: &Value) -> bool {
        match &self.place {
            DialogueState::Turn { thread, .. } | DialogueState::Idle { thread } => word(params, "threadId") == thread,
            DialogueState::Opening | DialogueState::Over => false,
        }
    }

    /// The thread of a subagent, which is not the one we speak with.
    fn within(&self, params: &Value) -> Option<String> {
        if self.is_ours(params) { None } else { text(params, "threadId") }
    }

    fn piece(&mut self, params: &Value) -> Vec<Event> {
        let (item, delta) = (word(params, "itemId"), word(params, "delta"));
        if !self.is_ours(params) || delta.is_empty() {
            return Vec::new();
        }
        self.streamed = Some(item.to_owned());
        self.prose.said(Voice::Aloud, delta, Some(item))
    }

    /// How the MCP servers are, once all of them have said so. Told in a turn alone: afterwards it would begin another.
    fn server(&mut self, params: &Value) -> Vec<Event> {
        let status = match word(params, "status") {
            "ready" => "connected",
            "failed" | "cancelled" => "failed",
            _ => return Vec::new(),
        };
        let Some(name) = text(params, "name") else { return Vec::new() };
        self.started.servers.retain(|server| server.name != name);
        self.started.servers.push(ToolServer { name, status: status.to_owned() });
        let all =
            self.opening.mcp.iter().all(|server| self.started.servers.iter().any(|told| told.name == server.name));
        match self.place {
            DialogueState::Turn { .. } if all => vec![Event::Started(self.started.clone())],
            DialogueState::Turn { .. } | DialogueState::Opening | DialogueState::Idle { .. } | DialogueState::Over => {
                Vec::new()
            }
        }
    }

    fn turn_over(&mut self, over: &Value) -> Vec<Out> {
        let other =
            |turn: &Turn| turn.id.is_some() && over["id"].is_string() && turn.id.as_deref() != over["id"].as_str();
        if !matches!(&self.place, DialogueState::Turn { turn, .. } if !other(turn)) {
            return Vec::new();
        }
        let DialogueState::Turn { thread, turn } = std::mem::replace(&mut self.place, DialogueState::Over) else {
            return Vec::new();
        };
        let mut out: Vec<Out> = self.prose.told().into_iter().map(Out::Tell).collect();
        out.extend(self.questions.close_all().into_iter().flat_map(approvals::withdrawn));
        self.items.clear();
        let words = self.prose.last_words();
        let (ending, text) = match word(over, "status") {
            "completed" => (Ending::Completed, words),
            "interrupted" => (trouble::interrupted(), words),
            _ => {
                let class = trouble::class(&over["error"], &self.windows);
                (Ending::Failed { class }, trouble::words(&over["error"]))
            }
        };
        let done = turn.messages.iter().chain(&turn.interrupts);
        out.extend(done.map(|id| Out::Tell(Event::Acknowledged { id: id.clone(), stage: Stage::Finished })));
        out.push(Out::Tell(Event::Result(TurnResult {
            ending,
            text,
            session: Some(thread.clone()),
            turns: None,
            duration_ms: over["durationMs"].as_u64(),
            totals: self.totals,
            turn: None,
            denials: turn.denials,
            structured: None,
        })));
        self.place = DialogueState::Idle { thread };
        out.extend(self.go_on());
        out
    }

    /// A turn that the server did not begin is over.
    fn not_begun(&mut self, error: &Value) -> Vec<Out> {
        self.turn_over(&json!({"status": "failed", "error": error}))
    }
}

impl Dialogue for AppServer {
    fn open(&mut self) -> Vec<Out> {
        vec![self.send(Sent::Initialize, "initialize", &thread::initialize())]
    }

    fn hear(&mut self, message: &Value) -> Vec<Out> {
        let raw = || vec![Out::Tell(Event::Raw { line: message.to_string() })];
        match Incoming::of(message) {
            Incoming::Request { id, method, params } => self.asks(id, method, params),
            Incoming::Notice { method, params } => self.noticed(method, params).unwrap_or_else(raw),
            Incoming::Answer { id, answer } => match (self.asked.answered(id), answer) {
                (Some(Sent::Initialize), Ok(_)) => self.initialized(),
                (Some(Sent::Thread), Ok(result)) => self.begun(result),
                (Some(Sent::Initialize | Sent::Thread), Err(error)) => self.fail(error),
                (Some(Sent::Turn), Ok(result)) => self.turn_begun(result),
                (Some(Sent::Turn), Err(error)) => self.not_begun(error),
                (Some(Sent::Steer(message)), Ok(_)) => self.steered(message),
                // A turn that takes nothing more: it is the next one's.
                (Some(Sent::Steer(message)), Err(_)) => {
                    self.waiting.push_back(message);
                    self.go_on()
                }
                (Some(Sent::Interrupt), _) => Vec::new(),
                (None, _) => raw(),
            },
            Incoming::Noise => raw(),
        }
    }

    fn say(&mut self, say: &Say) -> Vec<Out> {
        match say {
            Say::Message { id, text } => self.told(id, text),
            Say::Interrupt { id } => self.interrupt(id),
            Say::Allow { request, input } => self.allow(request, input),
            Say::Deny { request, why } => self.deny(request, why),
            // The decision was already made by the approval request.
            Say::Escalate { .. } => Vec::new(),
        }
    }

    fn close(&mut self) -> Vec<Out> {
        self.closing = true;
        match self.place {
            DialogueState::Opening if self.waiting.is_empty() => vec![Out::Over],
            DialogueState::Idle { .. } => self.go_on(),
            DialogueState::Over => vec![Out::Over],
            DialogueState::Opening | DialogueState::Turn { .. } => Vec::new(),
        }
    }

    fn stop(&mut self) -> Vec<Out> {
        self.waiting.clear();
        self.closing = true;
        match self.place {
            DialogueState::Turn { .. } => self.cancel(),
            DialogueState::Opening | DialogueState::Idle { .. } | DialogueState::Over => vec![Out::Over],
        }
    }
}

fn input(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

/// Answers a request.
fn reply(id: &Value, result: &Value) -> Out {
    Out::Send(rpc::answer(id, result))
}

#[cfg(test)]
#[path = "app_server_tests.rs"]
mod tests;
