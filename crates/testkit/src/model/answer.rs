//! What the model says in a turn, and how that is written: as one message or as the events of a stream.

use serde_json::{Value, json};

use super::hold::Hold;

/// Longer words come in pieces of so many characters, so that a reader of streams has something to put together.
const PIECE_CHARS: usize = 24;

/// Tokens that an answer takes, as the script wants them billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Read for the first time.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Put into the cache.
    pub cache_write: u64,
}

impl Usage {
    /// Takes none.
    pub const NONE: Self = Self { input: 0, output: 0, cache_read: 0, cache_write: 0 };

    fn written(self, output: u64) -> Value {
        json!({
            "input_tokens": self.input,
            "cache_creation_input_tokens": self.cache_write,
            "cache_read_input_tokens": self.cache_read,
            "output_tokens": output,
        })
    }
}

/// What an answer takes when the script does not care.
impl Default for Usage {
    fn default() -> Self {
        Self { input: 100, output: 20, ..Self::NONE }
    }
}

/// Why the model stopped, where it is not what the blocks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// It was done.
    EndTurn,
    /// It calls tools.
    ToolUse,
    /// It had no more room to write.
    MaxTokens,
    /// It does not want to.
    Refusal,
}

impl StopReason {
    fn word(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::Refusal => "refusal",
        }
    }
}

/// What the model says in a turn.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<StopReason>,
    headers: Vec<(String, String)>,
    hold: Option<Hold>,
    cut_after: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Block {
    Text(String),
    Thinking(String),
    /// A call; without an id of its own it gets one that no other call has.
    Call {
        id: Option<String>,
        name: String,
        input: Value,
    },
}

/// One step of a stream.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Event(Value),
    Hold(Hold),
    Cut,
}

impl Answer {
    /// Says nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Says something.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.blocks.push(Block::Text(text.to_owned()));
        self
    }

    /// Thinks something.
    #[must_use]
    pub fn thinking(mut self, text: &str) -> Self {
        self.blocks.push(Block::Thinking(text.to_owned()));
        self
    }

    /// Calls a tool.
    #[must_use]
    pub fn call(mut self, name: &str, input: Value) -> Self {
        self.blocks.push(Block::Call { id: None, name: name.to_owned(), input });
        self
    }

    /// Calls a tool, under an id that a later turn can wait for; it must be the only one of its conversation.
    #[must_use]
    pub fn call_as(mut self, id: &str, name: &str, input: Value) -> Self {
        self.blocks.push(Block::Call { id: Some(id.to_owned()), name: name.to_owned(), input });
        self
    }

    /// Takes so many tokens.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = usage;
        self
    }

    /// Stops for another reason than the blocks suggest.
    #[must_use]
    pub fn stop(mut self, stop: StopReason) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Sends a header along.
    #[must_use]
    pub fn header(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// Begins to answer and goes on when the test says so.
    #[must_use]
    pub fn held(mut self, hold: &Hold) -> Self {
        self.hold = Some(hold.clone());
        self
    }

    /// Breaks the connection off after so many events; an answer that is no stream is not sent at all.
    #[must_use]
    pub fn cut_after(mut self, events: usize) -> Self {
        self.cut_after = Some(events);
        self
    }

    pub(super) fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    pub(super) fn hold(&self) -> Option<&Hold> {
        self.hold.as_ref()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut_after.is_some()
    }

    /// Writes the answer as one message. `number` is that of the request; ids are made of it.
    pub(super) fn message(&self, number: usize, model: &str) -> Value {
        let blocks = self.blocks.iter().enumerate();
        json!({
            "id": format!("msg_{number}"),
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": blocks.map(|(at, block)| block.whole(number, at)).collect::<Vec<_>>(),
            "stop_reason": self.stop_word(),
            "stop_sequence": null,
            "usage": self.usage.written(self.usage.output),
        })
    }

    /// Writes the answer as a stream.
    pub(super) fn steps(&self, number: usize, model: &str) -> Vec<Step> {
        let mut steps: Vec<Step> = self.events(number, model).into_iter().map(Step::Event).collect();
        if let Some(events) = self.cut_after {
            steps.truncate(events);
            steps.push(Step::Cut);
        }
        if let Some(hold) = &self.hold {
            steps.insert(steps.len().min(1), Step::Hold(hold.clone()));
        }
        steps
    }

    /// A message begins empty and with next to nothing written; the end tells what it took.
    fn events(&self, number: usize, model: &str) -> Vec<Value> {
        let mut message = self.message(number, model);
        message["content"] = json!([]);
        message["stop_reason"] = Value::Null;
        message["usage"] = self.usage.written(self.usage.output.min(1));
        let mut events = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
        for (at, block) in self.blocks.iter().enumerate() {
            events.push(json!({"type": "content_block_start", "index": at, "content_block": block.empty(number, at)}));
            let delta = |delta| json!({"type": "content_block_delta", "index": at, "delta": delta});
            events.extend(block.deltas().into_iter().map(delta));
            events.push(json!({"type": "content_block_stop", "index": at}));
        }
        let delta = json!({"stop_reason": self.stop_word(), "stop_sequence": null});
        let usage = self.usage.written(self.usage.output);
        events.push(json!({"type": "message_delta", "delta": delta, "usage": usage}));
        events.push(json!({"type": "message_stop"}));
        events
    }

    fn stop_word(&self) -> &'static str {
        let calls = self.blocks.iter().any(|block| matches!(block, Block::Call { .. }));
        let usual = if calls { StopReason::ToolUse } else { StopReason::EndTurn };
        self.stop.unwrap_or(usual).word()
    }
}

impl Block {
    fn whole(&self, number: usize, at: usize) -> Value {
        match self {
            Self::Text(text) => json!({"type": "text", "text": text}),
            Self::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": SIGNATURE}),
            Self::Call { id, name, input } => {
                let id = id.clone().unwrap_or_else(|| format!("toolu_{number}_{at}"));
                json!({"type": "tool_use", "id": id, "name": name, "input": input})
            }
        }
    }

    /// The block as a stream begins it, to be filled by [`Self::deltas`].
    fn empty(&self, number: usize, at: usize) -> Value {
        let mut block = self.whole(number, at);
        match self {
            Self::Text(_) => block["text"] = json!(""),
            Self::Thinking(_) => (block["thinking"], block["signature"]) = (json!(""), json!("")),
            Self::Call { .. } => block["input"] = json!({}),
        }
        block
    }

    fn deltas(&self) -> Vec<Value> {
        match self {
            Self::Text(text) => pieces(text).map(|piece| json!({"type": "text_delta", "text": piece})).collect(),
            Self::Thinking(text) => {
                let signed = json!({"type": "signature_delta", "signature": SIGNATURE});
                let thoughts = pieces(text).map(|piece| json!({"type": "thinking_delta", "thinking": piece}));
                thoughts.chain([signed]).collect()
            }
            Self::Call { input, .. } => {
                let text = input.to_string();
                pieces(&text).map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect()
            }
        }
    }
}

/// Thoughts come signed; nobody but their provider can check it.
const SIGNATURE: &str = "c2NyaXB0ZWQ=";

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect::<Vec<String>>().into_iter()
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
