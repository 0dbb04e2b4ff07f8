//! How an answer is written: whole, or as the events of a stream, in the words of each dialect.

mod chat;
mod gemini;
mod messages;
mod responses;

pub(crate) use responses::failed;

use serde_json::Value;

use crate::answer::{Answer, Block, StopReason, Usage};
use crate::dialect::Dialect;
use crate::request::Request;

/// Longer words come in pieces of so many characters, so that a reader of streams has something to put together.
const PIECE_CHARS: usize = 24;

/// Thoughts are signed; only their provider can check that.
const SIGNATURE: &str = "c2NyaXB0ZWQ=";

/// An answer to one request: every call has its tool and its id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spoken {
    /// The number of the request; ids are made of it.
    pub(crate) number: usize,
    pub(crate) model: String,
    pub(crate) parts: Vec<Part>,
    pub(crate) usage: Usage,
    pub(crate) stop: StopReason,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Thinking(String),
    Call(Call),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) input: Input,
}

/// What a tool is given.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Input {
    Object(Value),
    Text(String),
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    /// Its name, where the dialect names events.
    pub(crate) name: Option<String>,
    /// What it carries.
    pub(crate) data: String,
}

impl Event {
    /// An event that is named after its type.
    fn typed(data: &Value) -> Self {
        Self { name: data["type"].as_str().map(str::to_owned), data: data.to_string() }
    }

    fn plain(data: &Value) -> Self {
        Self { name: None, data: data.to_string() }
    }
}

impl Input {
    /// As an object, for a dialect that has no other input.
    fn object(&self) -> Value {
        match self {
            Self::Object(object) => object.clone(),
            Self::Text(text) => serde_json::json!({"input": text}),
        }
    }
}

impl Spoken {
    pub(crate) fn new(answer: &Answer, request: &Request) -> Self {
        let part = |(at, block): (usize, &Block)| part(block, request, at);
        let parts: Vec<Part> = answer.blocks().iter().enumerate().map(part).collect();
        let calls = parts.iter().any(|part| matches!(part, Part::Call(_)));
        let usual = if calls { StopReason::ToolUse } else { StopReason::EndTurn };
        Self {
            number: request.number,
            model: request.model().to_owned(),
            parts,
            usage: answer.usage_taken(),
            stop: answer.stop_reason().unwrap_or(usual),
        }
    }

    pub(crate) fn whole(&self, dialect: Dialect) -> Value {
        match dialect {
            Dialect::Messages => messages::whole(self),
            Dialect::Responses => responses::whole(self),
            Dialect::Chat => chat::whole(self),
            Dialect::Gemini => gemini::whole(self),
        }
    }

    pub(crate) fn events(&self, dialect: Dialect) -> Vec<Event> {
        match dialect {
            Dialect::Messages => messages::events(self),
            Dialect::Responses => responses::events(self),
            Dialect::Chat => chat::events(self),
            Dialect::Gemini => gemini::events(self),
        }
    }

    fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) | Part::Thinking(_) => None,
        })
    }

    fn texts(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Call(_) | Part::Thinking(_) => None,
        });
        texts.collect()
    }
}

fn part(block: &Block, request: &Request, at: usize) -> Part {
    let id = |id: &Option<String>| id.clone().unwrap_or_else(|| made_id(request.dialect, request.number, at));
    match block {
        Block::Text(text) => Part::Text(text.clone()),
        Block::Thinking(text) => Part::Thinking(text.clone()),
        Block::Call { id: named, name, input } => {
            let tool = request.heard.tools.iter().find(|tool| tool.name == *name);
            let namespace = tool.and_then(|tool| tool.namespace.clone());
            Part::Call(Call { id: id(named), name: name.clone(), namespace, input: Input::Object(input.clone()) })
        }
        Block::Act { id: named, act } => {
            let chosen = act.choose(request);
            Part::Call(Call { id: id(named), name: chosen.name, namespace: chosen.namespace, input: chosen.input })
        }
    }
}

/// An id that no other call has.
fn made_id(dialect: Dialect, number: usize, at: usize) -> String {
    match dialect {
        Dialect::Messages => format!("toolu_{number}_{at}"),
        Dialect::Responses | Dialect::Chat | Dialect::Gemini => format!("call_{number}_{at}"),
    }
}

fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect()
}

/// What OpenAI and Google count as read: everything, from the cache or not.
fn read_in_all(usage: Usage) -> u64 {
    usage.input + usage.cache_read + usage.cache_write
}

#[cfg(test)]
#[path = "write_tests.rs"]
mod tests;
