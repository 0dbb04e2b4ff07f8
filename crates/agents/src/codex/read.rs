//! Reads what `codex exec --json` prints: threads, turns and their items.
//!
//! Nothing here insists on a field, and a line of another kind is kept raw. Calls that were refused make no line at
//! all: the hook that refused them has recorded it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::lines::{answer, text, word};
use crate::{CallEnd, Ending, Event, FailureClass, RateLimited, Reader, Started, Tokens, Totals, TurnResult, lines};

/// What later lines are read with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CodexReader {
    /// The conversation.
    thread: Option<String>,
    /// Calls whose begin was told.
    begun: BTreeSet<String>,
    /// The last message, which is the answer once a turn is over.
    said: String,
}

impl CodexReader {
    pub(super) fn at(state: &Value) -> Self {
        Self::deserialize(state).unwrap_or_default()
    }

    fn events(&mut self, line: &Value) -> Vec<Event> {
        match word(line, "type") {
            "thread.started" => {
                self.thread = text(line, "thread_id");
                vec![Event::Started(Started { session: self.thread.clone(), ..Started::default() })]
            }
            "item.started" => self.begins(&line["item"]).into_iter().collect(),
            "item.completed" => self.ends(&line["item"]),
            "turn.completed" => self.over(Ending::Completed, None, Some(totals(&line["usage"]))),
            "turn.failed" => {
                let message = text(&line["error"], "message").unwrap_or_default();
                self.over(Ending::Failed { class: class(&message) }, Some(message), None)
            }
            "error" => retrying(word(line, "message")).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    fn begins(&mut self, item: &Value) -> Option<Event> {
        let call = call(item)?;
        self.begun.insert(text(item, "id")?);
        Some(call)
    }

    fn ends(&mut self, item: &Value) -> Vec<Event> {
        match word(item, "type") {
            "agent_message" => {
                let Some(said) = text(item, "text") else { return Vec::new() };
                self.said.clone_from(&said);
                vec![Event::Text { text: said, within: None }]
            }
            "reasoning" => text(item, "text").map(|text| Event::Thinking { text, within: None }).into_iter().collect(),
            _ => {
                let (Some(call), Some(id)) = (call(item), text(item, "id")) else { return Vec::new() };
                let begun = self.begun.remove(&id);
                let (text, end) = result(item);
                let result = Event::ToolResult { id, text, end, within: None };
                (!begun).then_some(call).into_iter().chain([result]).collect()
            }
        }
    }

    fn over(&mut self, ending: Ending, message: Option<String>, totals: Option<Totals>) -> Vec<Event> {
        let said = std::mem::take(&mut self.said);
        self.begun.clear();
        vec![Event::Result(TurnResult {
            ending,
            text: message.unwrap_or(said),
            session: self.thread.clone(),
            turns: None,
            duration_ms: None,
            totals,
            turn: None,
            denials: Vec::new(),
            structured: None,
        })]
    }
}

impl Reader for CodexReader {
    fn feed(&mut self, line: &[u8]) -> Vec<Event> {
        lines::feed(line, |value| self.events(value))
    }

    fn state(&self) -> Value {
        // Nothing in it can fail to be written; a reader without memory is the harmless answer if ever it does.
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// The call that an item is, by the names that its hooks know.
fn call(item: &Value) -> Option<Event> {
    let (name, input) = match word(item, "type") {
        "command_execution" => ("Bash".to_owned(), json!({"command": item["command"]})),
        "file_change" => ("apply_patch".to_owned(), json!({"changes": item["changes"]})),
        "mcp_tool_call" => {
            (format!("mcp__{}__{}", word(item, "server"), word(item, "tool")), item["arguments"].clone())
        }
        "web_search" => ("WebSearch".to_owned(), json!({"query": item["query"]})),
        "collab_tool_call" => (text(item, "tool")?, json!({"prompt": item["prompt"]})),
        _ => return None,
    };
    Some(Event::ToolCall { id: text(item, "id")?, name, input, within: None })
}

/// What a call answered, and how it ended.
fn result(item: &Value) -> (String, CallEnd) {
    let error = text(&item["error"], "message");
    let said = match word(item, "type") {
        "command_execution" => text(item, "aggregated_output").unwrap_or_default(),
        "mcp_tool_call" => error.clone().unwrap_or_else(|| answer(&item["result"]["content"])),
        _ => String::new(),
    };
    let end = match word(item, "status") {
        "declined" => CallEnd::Denied,
        "failed" if error.is_some_and(|error| error.contains("requires approval")) => CallEnd::Denied,
        "failed" => CallEnd::Failed,
        _ if item["exit_code"].as_i64().is_some_and(|code| code != 0) => CallEnd::Failed,
        _ => CallEnd::Ok,
    };
    (said, end)
}

/// The totals of the thread. Tokens read from or written to the cache are part of the input; Codex does not report what
/// it cost.
fn totals(usage: &Value) -> Totals {
    let of = |key: &str| usage[key].as_u64().unwrap_or_default();
    let (cache_read, cache_write) = (of("cached_input_tokens"), of("cache_write_input_tokens"));
    let input = of("input_tokens").saturating_sub(cache_read).saturating_sub(cache_write);
    let tokens = Tokens { input, output: of("output_tokens"), cache_read, cache_write };
    Totals { tokens, unpriced: tokens.sum(), ..Totals::default() }
}

/// `Reconnecting... 1/2 (why)`: it tries again by itself, and does not say when.
fn retrying(message: &str) -> Option<Event> {
    let (counts, why) = message.strip_prefix("Reconnecting... ")?.split_once(' ')?;
    let (attempt, attempts_max) = counts.split_once('/')?;
    Some(Event::RateLimited(RateLimited::Retrying {
        attempt: attempt.parse().ok()?,
        attempts_max: attempts_max.parse().ok()?,
        delay_ms: 0,
        status: lines::status(why),
        class: class(why),
    }))
}

/// What a failure is, from the words for it: there is nothing else.
fn class(message: &str) -> FailureClass {
    let says = |words: &[&str]| {
        let message = message.to_lowercase();
        words.iter().any(|word| message.contains(word))
    };
    match lines::status(message) {
        _ if says(&["usage limit", "quota exceeded", "out of credits"]) => FailureClass::Quota { resets_at: None },
        _ if says(&["context window", "context_length"]) => FailureClass::ContextFull,
        Some(status) => lines::refusal(status),
        None if says(&["too many requests", "rate limit"]) => FailureClass::RateLimit,
        None if says(&["unauthorized", "not logged in", "sign in", "log in"]) => FailureClass::Auth,
        None if says(&[
            "high demand",
            "capacity",
            "overloaded",
            "disconnected",
            "timed out",
            "error sending request",
        ]) =>
        {
            FailureClass::Overloaded
        }
        None if says(&["not supported", "invalid", "does not exist"]) => FailureClass::Invalid,
        None if says(&["interrupted", "aborted"]) => FailureClass::Interrupted,
        None => FailureClass::Crash,
    }
}
