//! The Agent Client Protocol, spoken with any agent that knows it.
//!
//! The messages are read leniently, as every stream is here: missing fields are left out, and unknown ones are kept
//! raw. So the crates of the protocol are not used: their client brings a runtime and 140 packages, and their types
//! refuse what agents send that the protocol does not (yet) know. What the agent might ask of an editor, files and
//! terminals, is not offered. Facts are as observed with gemini 0.61, opencode 1.18, claude-agent-acp 0.99 and
//! codex-acp 0.16; not one of them rejects a call in the same way as another.

mod call;
mod calls;
mod ending;
mod handshake;
mod permission;
mod updates;

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::dialogue::rpc::{self, Asked, Incoming};
use crate::dialogue::{Dialogue, Opening, Out, Prose, Questions};
use crate::{Cost, Denial, Event, Say, Stage, Tokens};
use calls::Calls;
use permission::Pending;

/// A conversation over the Agent Client Protocol.
#[derive(Debug)]
pub struct Acp {
    opening: Opening,
    asked: Asked<Sent>,
    stage: DialogueState,
    version: Option<String>,
    /// Whether an earlier conversation is loaded by replaying all of it.
    loads: bool,
    prose: Prose,
    calls: Calls,
    questions: Questions<Pending>,
    waiting: VecDeque<Message>,
    closing: bool,
    /// What the turns of this process took.
    tokens: Tokens,
    /// What the agent says the conversation cost, and what it said before the first turn.
    cost: Cost,
    cost_before: Cost,
}

/// What we asked the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Initialize,
    Session,
    /// The answer comes after the whole replay of a loaded conversation.
    Settle,
    Model,
    Prompt,
}

/// How far the conversation is.
#[derive(Debug)]
enum DialogueState {
    /// The agent is not ready yet; its output is a replay of the earlier conversation.
    Opening,
    /// It has loaded a conversation and may still tell what was said in it.
    Loaded { session: String, result: Value },
    /// It has nothing to do.
    Idle { session: String },
    /// It is at work.
    Turn { session: String, turn: Turn },
    /// There is nothing to continue with.
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
    /// The message that began it.
    message: Option<String>,
    /// The caller that requested the interruption.
    interrupts: Vec<String>,
    cancelled: bool,
    denials: Vec<Denial>,
    /// The call that was refused last, if the agent has done nothing since.
    refused: Option<String>,
    /// How often it was asked to continue after it had given up.
    urged: u8,
}

impl Acp {
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
            stage: DialogueState::Opening,
            version: None,
            loads: false,
            prose: Prose::default(),
            calls: Calls::default(),
            questions: Questions::default(),
            closing: false,
            tokens: Tokens::default(),
            cost: Cost::default(),
            cost_before: Cost::default(),
        }
    }

    fn send(&mut self, sent: Sent, method: &str, params: &Value) -> Out {
        Out::Send(self.asked.request(sent, method, params))
    }

    /// Begins the next turn, if there is one to begin; otherwise it may be the end.
    fn go_on(&mut self) -> Vec<Out> {
        let DialogueState::Idle { session } = &self.stage else { return Vec::new() };
        let session = session.clone();
        let Some(message) = self.waiting.pop_front() else {
            return if self.closing { vec![Out::Over] } else { Vec::new() };
        };
        let prompt = self.send(Sent::Prompt, "session/prompt", &prompt(&session, &message.text));
        let begun = message.id.clone().map(|id| Event::Acknowledged { id, stage: Stage::Begun });
        self.stage = DialogueState::Turn { session, turn: Turn { message: message.id, ..Turn::default() } };
        [prompt].into_iter().chain(begun.map(Out::Tell)).collect()
    }

    fn tell(events: Vec<Event>) -> impl Iterator<Item = Out> {
        events.into_iter().map(Out::Tell)
    }

    fn told(&mut self, id: &str, text: &str) -> Vec<Out> {
        self.waiting.push_back(Message { id: Some(id.to_owned()), text: text.to_owned() });
        let queued = match self.stage {
            DialogueState::Idle { .. } => None,
            DialogueState::Opening
            | DialogueState::Loaded { .. }
            | DialogueState::Turn { .. }
            | DialogueState::Over => Some(Event::Acknowledged { id: id.to_owned(), stage: Stage::Queued }),
        };
        queued.map(Out::Tell).into_iter().chain(self.go_on()).collect()
    }

    fn interrupt(&mut self, id: &str) -> Vec<Out> {
        if let DialogueState::Turn { turn, .. } = &mut self.stage {
            turn.interrupts.push(id.to_owned());
            return self.cancel();
        }
        vec![Out::Tell(Event::Acknowledged { id: id.to_owned(), stage: Stage::Finished })]
    }

    /// Asks the agent to break off. It waits for no answer any more, but each must be given.
    fn cancel(&mut self) -> Vec<Out> {
        let DialogueState::Turn { session, turn } = &mut self.stage else { return Vec::new() };
        let first = !std::mem::replace(&mut turn.cancelled, true);
        let notice = rpc::notice("session/cancel", Some(&json!({"sessionId": session})));
        let withdrawn = self.questions.close_all().into_iter().flat_map(permission::withdrawn);
        first.then_some(Out::Send(notice)).into_iter().chain(withdrawn).collect()
    }
}

impl Dialogue for Acp {
    fn open(&mut self) -> Vec<Out> {
        vec![self.send(Sent::Initialize, "initialize", &handshake::initialize())]
    }

    fn hear(&mut self, message: &Value) -> Vec<Out> {
        match Incoming::of(message) {
            Incoming::Request { id, method: "session/request_permission", params } => self.asks(id, params),
            Incoming::Request { id, method, .. } => {
                let raw = Event::Raw { line: message.to_string() };
                vec![Out::Send(rpc::unknown(id, method)), Out::Tell(raw)]
            }
            Incoming::Notice { method: "session/update", params } => self.update(&params["update"]),
            Incoming::Answer { id, answer } => match (self.asked.answered(id), answer) {
                (Some(Sent::Initialize), Ok(result)) => self.initialized(result),
                (Some(Sent::Session), Ok(result)) => self.begun(result),
                (Some(Sent::Settle), _) => self.settled(),
                (Some(Sent::Model), Ok(_)) => self.go_on(),
                (Some(Sent::Initialize | Sent::Session | Sent::Model), Err(error)) => self.not_begun(error),
                (Some(Sent::Prompt), answer) => self.turn_over(answer),
                (None, _) => vec![Out::Tell(Event::Raw { line: message.to_string() })],
            },
            Incoming::Notice { .. } | Incoming::Noise => vec![Out::Tell(Event::Raw { line: message.to_string() })],
        }
    }

    fn say(&mut self, say: &Say) -> Vec<Out> {
        match say {
            Say::Message { id, text } => self.told(id, text),
            Say::Interrupt { id } => self.interrupt(id),
            Say::Allow { request, input } => self.allow(request, input),
            Say::Deny { request, why } => self.deny(request, why),
            // The decision was already made by the permission request.
            Say::Escalate { .. } => Vec::new(),
        }
    }

    fn close(&mut self) -> Vec<Out> {
        self.closing = true;
        match self.stage {
            // With nothing to say there is nothing to wait for.
            DialogueState::Opening | DialogueState::Loaded { .. } if self.waiting.is_empty() => vec![Out::Over],
            DialogueState::Idle { .. } => self.go_on(),
            DialogueState::Over => vec![Out::Over],
            DialogueState::Opening | DialogueState::Loaded { .. } | DialogueState::Turn { .. } => Vec::new(),
        }
    }

    fn stop(&mut self) -> Vec<Out> {
        self.waiting.clear();
        self.closing = true;
        match self.stage {
            DialogueState::Turn { .. } => self.cancel(),
            DialogueState::Opening
            | DialogueState::Loaded { .. }
            | DialogueState::Idle { .. }
            | DialogueState::Over => vec![Out::Over],
        }
    }
}

fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

#[cfg(test)]
#[path = "acp_tests.rs"]
mod tests;
