//! DevFleet's frames, as its streams of a session send them.
//!
//! Thinking, rate limit reports of a provider, and unknown JSON are not shown there.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use types::{Session, SessionEnding, SessionState};

use crate::{CallEnd, Cost, Event, Exit, FailureClass, Outcome, RateLimited, Totals, TurnResult};

/// The most characters of a tool's answer.
const ANSWER_CHARS_MAX: usize = 1_500;

/// The most characters of an error.
const ERROR_CHARS_MAX: usize = 200;

/// One frame.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[schemars(rename = "SessionFrame")]
pub enum Frame {
    /// What the run was started with; the first frame.
    Config {
        /// The model.
        model: Option<String>,
        /// Most turns.
        max_turns: Option<u32>,
        /// Most dollars.
        max_budget_usd: Option<f64>,
        /// The preset that it runs under, such as `implement`.
        mission_type: String,
    },
    /// Words of the agent.
    Text {
        /// They, between line breaks.
        text: String,
    },
    /// A tool call in one line.
    Tool {
        /// It, with its line break.
        text: String,
    },
    /// What a tool answered.
    ToolResult {
        /// It, cut to size.
        text: String,
    },
    /// What the run took so far.
    Usage {
        /// Tokens.
        usage: TokenPair,
        /// Dollars.
        cost: Cost,
    },
    /// A call failed and is tried again.
    Retry {
        /// Which try failed.
        attempt: u32,
        /// How many there are.
        max_retries: u32,
        /// Seconds until the next.
        delay: f64,
        /// Of what it failed.
        error: String,
        /// Whether the conversation continues.
        resume: bool,
    },
    /// What Fleet says of the run: what it waits for, how it broke off.
    Notice {
        /// It, in a sentence or more.
        text: String,
    },
    /// Everything up to now was shown, and the session continues; the last frame, with `?follow=false`.
    SoFar,
    /// The run is over; the last frame.
    Done(Done),
}

/// Tokens as DevFleet counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TokenPair {
    /// Read, from the cache too.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Done {
    /// `completed`, `failed` or `cancelled`.
    pub status: &'static str,
    /// What the process returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Dollars.
    pub cost: Cost,
    /// Set if the agent reports no price, so that the cost is unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// Tokens in all.
    pub tokens: u64,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Of what kind it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_type: Option<&'static str>,
}

/// Translates the events of one run.
#[derive(Debug, Clone, Default)]
pub struct Frames {
    /// What the agent said in this turn: its last words are shown once.
    said: Vec<String>,
}

impl Frames {
    /// Returns the frames of an event.
    pub fn of(&mut self, event: &Event) -> Vec<Frame> {
        match event {
            Event::Text { text, .. } => {
                self.said.push(text.clone());
                vec![Frame::Text { text: format!("\n{text}\n") }]
            }
            Event::ToolCall { name, input, .. } => vec![Frame::Tool { text: call(name, input) }],
            Event::ToolResult { text, end, .. } => vec![Frame::ToolResult { text: answer(text, *end) }],
            Event::RateLimited(RateLimited::Retrying { attempt, attempts_max, delay_ms, class, status }) => {
                vec![Frame::Retry {
                    attempt: *attempt,
                    max_retries: *attempts_max,
                    delay: *delay_ms as f64 / 1_000.0,
                    error: cut(&refusal(class, *status), ERROR_CHARS_MAX),
                    resume: true,
                }]
            }
            Event::Result(result) => self.result(result),
            Event::Raw { line } if serde_json::from_str::<Value>(line).is_err() => {
                vec![Frame::Text { text: format!("{line}\n") }]
            }
            Event::Started(_)
            | Event::Thinking { .. }
            | Event::Usage(_)
            | Event::RateLimited(RateLimited::Window { .. })
            | Event::Asking { .. }
            | Event::Acknowledged { .. }
            | Event::Background { .. }
            | Event::Ended { .. }
            | Event::Raw { .. } => Vec::new(),
        }
    }

    fn result(&mut self, result: &TurnResult) -> Vec<Frame> {
        let said = std::mem::take(&mut self.said);
        let is_news = !result.text.is_empty() && said.iter().all(|text| !text.contains(&result.text));
        let last_words = is_news.then(|| Frame::Text { text: format!("\n{}\n", result.text) });
        let usage = result.totals.map(|totals| Frame::Usage { usage: pair(totals), cost: totals.cost });
        last_words.into_iter().chain(usage).collect()
    }
}

/// Returns the last frame of a run.
#[must_use]
pub fn done(outcome: &Outcome, exit: Exit, spent: Totals) -> Frame {
    let (status, error, error_type) = match outcome {
        Outcome::Succeeded { .. } => ("completed", None, None),
        Outcome::Asking { .. } => ("failed", Some("waits for a decision".to_owned()), Some("asking")),
        Outcome::Failed { class: FailureClass::Interrupted, .. } => ("cancelled", None, None),
        Outcome::Failed { class, text } => ("failed", Some(text.clone()), Some(class.as_str())),
    };
    let exit_code = match exit {
        Exit::Code { code } => Some(code),
        Exit::Signal { signal } => Some(-signal),
        Exit::Unseen => None,
    };
    let (cost, cost_unknown) = (spent.cost, spent.unpriced > 0);
    Frame::Done(Done { status, exit_code, cost, cost_unknown, tokens: spent.tokens.sum(), error, error_type })
}

/// Returns the last frame of a session.
#[must_use]
pub fn over(session: &Session) -> Frame {
    let (status, error, error_type) = match &session.state {
        SessionState::Ended { ending: SessionEnding::Completed { .. }, .. } => ("completed", None, None),
        SessionState::Ended { ending: SessionEnding::Failed { class, text }, .. } => {
            ("failed", Some(text.clone()), Some(class.as_str()))
        }
        SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. } => ("cancelled", None, None),
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Waiting { .. }
        | SessionState::Stopping { .. } => ("running", None, None),
    };
    let spent = session.spending.spent;
    let (cost, cost_unknown, tokens) = (spent.cost, !session.spending.has_known_cost(), spent.tokens.sum());
    Frame::Done(Done { status, exit_code: session.exit, cost, cost_unknown, tokens, error, error_type })
}

fn call(name: &str, input: &Value) -> String {
    let field = match name {
        "Bash" => "command",
        "Edit" | "Write" | "Read" => "file_path",
        "Glob" | "Grep" => "pattern",
        _ => return format!("[{name}]\n"),
    };
    match (name, input[field].as_str()) {
        ("Bash", Some(command)) => format!("$ {command}\n"),
        (_, Some(value)) => format!("[{name}] {value}\n"),
        (_, None) => format!("[{name}]\n"),
    }
}

fn answer(text: &str, end: CallEnd) -> String {
    let shown = cut(text, ANSWER_CHARS_MAX);
    let note = if shown.len() < text.len() { "\n... (truncated)" } else { "" };
    match end {
        CallEnd::Ok => format!("{shown}{note}"),
        CallEnd::Failed | CallEnd::Denied | CallEnd::Interrupted => format!("ERROR: {shown}{note}"),
    }
}

fn refusal(class: &FailureClass, status: Option<u16>) -> String {
    status.map_or_else(|| class.as_str().to_owned(), |status| format!("{} (HTTP {status})", class.as_str()))
}

fn pair(totals: Totals) -> TokenPair {
    TokenPair { input_tokens: totals.tokens.context(), output_tokens: totals.tokens.output }
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect()
}

#[cfg(test)]
#[path = "devfleet_tests.rs"]
mod tests;
