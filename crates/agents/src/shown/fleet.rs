//! The lines of `events.jsonl`, as the fleet of beads writes them.
//!
//! What looks like a credential by its name is blotted out, in lists too.

use serde::Serialize;
use serde_json::{Map, Value};
use types::Timestamp;

use crate::{Ending, Event, FailureClass, RateLimited, Tokens, TurnResult, WindowStatus};

/// Replacement for a credential.
const BLOTTED: &str = "[REDACTED]";

/// Parts of names of credentials.
const SECRET: [&str; 4] = ["api_key", "authorization", "password", "secret"];

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What happened.
    pub kind: &'static str,
    /// When it was read.
    pub ts: Timestamp,
    /// The agent's own id of the conversation.
    pub session_id: Option<String>,
    /// The tool that is called.
    pub tool_name: Option<String>,
    /// Tokens of the model call.
    pub usage: Option<TokenCounts>,
    /// What the provider said of its limits.
    pub rate_info: Option<RateInfo>,
    /// The event itself.
    pub raw: Value,
}

/// Tokens under the names of Claude's provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TokenCounts {
    /// Read for the first time.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
    /// Put into the cache.
    pub cache_creation_input_tokens: u64,
    /// Read from the cache.
    pub cache_read_input_tokens: u64,
}

/// What a provider said of its limits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateInfo {
    /// The used part of a window, from 0 to 100.
    pub usage_pct: Option<f64>,
    /// When the window is empty again.
    pub resets_at: Option<Timestamp>,
    /// `allowed`, `allowed_warning`, `rejected` or `retrying`.
    pub status: &'static str,
}

/// Translates the events of one run.
#[derive(Debug, Clone, Default)]
pub struct Lines {
    session: Option<String>,
    /// Tokens that belong to the next thing the model says.
    usage: Option<TokenCounts>,
    /// Whether the end of the session was told.
    ended: bool,
}

impl Lines {
    /// Returns the lines of an event that was read at `ts`.
    pub fn of(&mut self, event: &Event, ts: Timestamp) -> Vec<Line> {
        if let Event::Started(started) = event {
            self.ended = false;
            self.session = started.session.clone().or(self.session.take());
        }
        if let Event::Usage(usage) = event {
            self.usage = Some(counts(usage.tokens));
        }
        self.kinds(event).into_iter().map(|kind| self.line(kind, event, ts)).collect()
    }

    /// The kinds of the lines that an event becomes; a process that goes after its result has no news.
    fn kinds(&mut self, event: &Event) -> Vec<&'static str> {
        match event {
            Event::Started(_) => vec!["session_started"],
            Event::Text { .. } => vec!["assistant_text"],
            Event::Thinking { .. } => vec!["thinking"],
            Event::ToolCall { .. } => vec!["tool_use"],
            Event::ToolResult { .. } => vec!["tool_result"],
            Event::RateLimited(limited) => vec![limit_kind(limited)],
            Event::Result(result) => {
                self.ended = true;
                failure_kind(result).into_iter().chain(["session_ended"]).collect()
            }
            Event::Ended { .. } if !self.ended => {
                self.ended = true;
                vec!["session_ended"]
            }
            Event::Usage(_)
            | Event::Asking { .. }
            | Event::Acknowledged { .. }
            | Event::Background { .. }
            | Event::Ended { .. }
            | Event::Raw { .. } => vec![],
        }
    }

    fn line(&mut self, kind: &'static str, event: &Event, ts: Timestamp) -> Line {
        let said = matches!(event, Event::Text { .. } | Event::Thinking { .. } | Event::ToolCall { .. });
        let tool_name = if let Event::ToolCall { name, .. } = event { Some(name.clone()) } else { None };
        let totals = if let Event::Result(result) = event { result.turn.or(result.totals) } else { None };
        let usage = if said { self.usage.take() } else { totals.map(|totals| counts(totals.tokens)) };
        let rate_info = if let Event::RateLimited(limited) = event { Some(rate_info(limited)) } else { None };
        let raw = blot(serde_json::to_value(event).unwrap_or_default());
        Line { kind, ts, session_id: self.session.clone(), tool_name, usage, rate_info, raw }
    }
}

fn limit_kind(limited: &RateLimited) -> &'static str {
    match limited {
        RateLimited::Window { status: WindowStatus::Rejected, .. } => "rate_limit",
        RateLimited::Window { .. } | RateLimited::Retrying { class: FailureClass::RateLimit, .. } => "rate_limit_info",
        RateLimited::Retrying { .. } => "error",
    }
}

fn failure_kind(result: &TurnResult) -> Option<&'static str> {
    match &result.ending {
        Ending::Completed | Ending::Deferred => None,
        Ending::Failed { class: FailureClass::RateLimit | FailureClass::Quota { .. } } => Some("rate_limit"),
        Ending::Failed { .. } => Some("error"),
    }
}

fn rate_info(limited: &RateLimited) -> RateInfo {
    match limited {
        RateLimited::Retrying { .. } => RateInfo { usage_pct: None, resets_at: None, status: "retrying" },
        RateLimited::Window { status, utilization, resets_at, .. } => RateInfo {
            usage_pct: utilization.map(|part| part * 100.0),
            resets_at: *resets_at,
            status: match status {
                WindowStatus::Allowed => "allowed",
                WindowStatus::Warning => "allowed_warning",
                WindowStatus::Rejected => "rejected",
            },
        },
    }
}

fn counts(tokens: Tokens) -> TokenCounts {
    TokenCounts {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        cache_creation_input_tokens: tokens.cache_write,
        cache_read_input_tokens: tokens.cache_read,
    }
}

/// Blots out every text whose name says that it is a credential; numbers, such as counts of tokens, stay.
fn blot(value: Value) -> Value {
    match value {
        Value::Object(fields) => Value::Object(fields.into_iter().map(blot_field).collect::<Map<_, _>>()),
        Value::Array(values) => values.into_iter().map(blot).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn blot_field((name, value): (String, Value)) -> (String, Value) {
    let value = if value.is_string() && is_secret(&name) { Value::from(BLOTTED) } else { blot(value) };
    (name, value)
}

fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET.iter().any(|part| name.contains(part)) || (name.contains("token") && !name.contains("tokens"))
}

#[cfg(test)]
#[path = "fleet_tests.rs"]
mod tests;
