//! What the model says in a turn.

use serde_json::Value;

use crate::act::Act;
use crate::dialect::Dialect;
use crate::hold::Hold;
use crate::request::Request;
use crate::write::{Event, Spoken};

/// From how much of a window on a provider warns.
const WARNING_PERCENT: u8 = 90;

/// Tokens that an answer takes, as the script wants them billed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Read for the first time.
    pub input: u64,
    /// Written.
    pub output: u64,
    /// Read from the cache.
    pub cache_read: u64,
    /// Put into the cache; a dialect that does not tell it apart counts it as read for the first time.
    pub cache_write: u64,
}

impl Usage {
    /// Takes none.
    pub const NONE: Self = Self { input: 0, output: 0, cache_read: 0, cache_write: 0 };
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

/// How much of a subscription's window of five hours is used, as a provider reports it with an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Of a hundred.
    pub used_percent: u8,
    /// When it is empty again, in seconds of Unix time.
    pub resets_at: i64,
}

impl Window {
    /// The headers that tell it; a dialect without such headers has none.
    pub(crate) fn headers(self, dialect: Dialect) -> Vec<(String, String)> {
        let Self { used_percent, resets_at } = self;
        let status = match used_percent {
            100.. => "rejected",
            WARNING_PERCENT.. => "allowed_warning",
            _ => "allowed",
        };
        let share = f64::from(used_percent) / 100.0;
        let headers = match dialect {
            Dialect::Messages => vec![
                ("anthropic-ratelimit-unified-status", status.to_owned()),
                ("anthropic-ratelimit-unified-reset", resets_at.to_string()),
                ("anthropic-ratelimit-unified-representative-claim", "five_hour".to_owned()),
                ("anthropic-ratelimit-unified-5h-status", status.to_owned()),
                ("anthropic-ratelimit-unified-5h-utilization", format!("{share:.2}")),
                ("anthropic-ratelimit-unified-5h-reset", resets_at.to_string()),
            ],
            Dialect::Responses => vec![
                ("x-codex-primary-used-percent", used_percent.to_string()),
                ("x-codex-primary-window-minutes", "300".to_owned()),
                ("x-codex-primary-reset-at", resets_at.to_string()),
            ],
            Dialect::Chat | Dialect::Gemini => Vec::new(),
        };
        headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// What the model says in a turn.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    blocks: Vec<Block>,
    usage: Usage,
    stop: Option<StopReason>,
    headers: Vec<(String, String)>,
    window: Option<Window>,
    hold: Option<Hold>,
    cut_after: Option<usize>,
}

/// A piece of what is said. A call without an id of its own gets one that no other call has.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    Text(String),
    Thinking(String),
    Call { id: Option<String>, name: String, input: Value },
    Act { id: Option<String>, act: Act },
}

/// One step of a stream.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Event(Event),
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

    /// Calls a tool by its own name.
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

    /// Does something with whichever tool the agent has for it.
    #[must_use]
    pub fn act(mut self, act: Act) -> Self {
        self.blocks.push(Block::Act { id: None, act });
        self
    }

    /// Does something, under an id that a later turn can wait for; it must be the only one of its conversation.
    #[must_use]
    pub fn act_as(mut self, id: &str, act: Act) -> Self {
        self.blocks.push(Block::Act { id: Some(id.to_owned()), act });
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

    /// Reports how much of a subscription's window is used.
    #[must_use]
    pub fn window(mut self, window: Window) -> Self {
        self.window = Some(window);
        self
    }

    /// Begins to answer and continues when the hold is released.
    #[must_use]
    pub fn held(mut self, hold: &Hold) -> Self {
        self.hold = Some(hold.clone());
        self
    }

    /// Breaks the connection off after so many events; an answer without streaming is not sent at all.
    #[must_use]
    pub fn cut_after(mut self, events: usize) -> Self {
        self.cut_after = Some(events);
        self
    }

    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(crate) fn usage_taken(&self) -> Usage {
        self.usage
    }

    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        self.stop
    }

    pub(crate) fn headers(&self, dialect: Dialect) -> Vec<(String, String)> {
        let told = self.window.map(|window| window.headers(dialect)).unwrap_or_default();
        told.into_iter().chain(self.headers.clone()).collect()
    }

    pub(crate) fn hold(&self) -> Option<&Hold> {
        self.hold.as_ref()
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.cut_after.is_some()
    }

    /// Writes the answer as one object.
    pub(crate) fn whole(&self, request: &Request) -> Value {
        Spoken::new(self, request).whole(request.dialect)
    }

    /// Writes the answer as a stream.
    pub(crate) fn steps(&self, request: &Request) -> Vec<Step> {
        let events = Spoken::new(self, request).events(request.dialect);
        let mut steps: Vec<Step> = events.into_iter().map(Step::Event).collect();
        if let Some(events) = self.cut_after {
            steps.truncate(events);
            steps.push(Step::Cut);
        }
        if let Some(hold) = &self.hold {
            steps.insert(steps.len().min(1), Step::Hold(hold.clone()));
        }
        steps
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
