//! Items: what the agent says and does, each with a begin and an end.

use serde_json::{Map, Value, json};

use super::{AppServer, DialogueState, shell};
use crate::dialogue::Voice;
use crate::dialogue::rpc::{list, number, text, word};
use crate::{CallEnd, Conversation, Event, Tokens, Totals, Usage};

impl AppServer {
    pub(super) fn item_begun(&mut self, item: &Value, within: Option<String>) -> Vec<Event> {
        let (Some(id), Some((name, input))) = (text(item, "id"), call(item)) else { return Vec::new() };
        let mut events = self.prose.told();
        self.items.insert(id.clone(), item.clone());
        events.push(Event::ToolCall { id, name, input, within });
        events
    }

    pub(super) fn item_over(&mut self, item: &Value, within: Option<String>) -> Vec<Event> {
        let Some(id) = text(item, "id") else { return vec![Event::Raw { line: item.to_string() }] };
        match word(item, "type") {
            "agentMessage" => self.said(&id, word(item, "text"), within),
            "reasoning" => thought(item, within),
            "plan" => self.aside(word(item, "text"), within),
            "userMessage" | "hookPrompt" | "contextCompaction" | "subAgentActivity" | "sleep" => Vec::new(),
            "enteredReviewMode" | "exitedReviewMode" => Vec::new(),
            _ => match call(item) {
                Some((name, input)) => self.call_over(id, item, (name, input), within),
                None => vec![Event::Raw { line: item.to_string() }],
            },
        }
    }

    /// A message is over; what came in pieces is told but for its end.
    fn said(&mut self, id: &str, text: &str, within: Option<String>) -> Vec<Event> {
        if within.is_some() {
            return vec![Event::Text { text: text.to_owned(), within }];
        }
        let mut events = Vec::new();
        if self.streamed.take().as_deref() != Some(id) {
            events.extend(self.prose.said(Voice::Aloud, text, Some(id)));
        }
        events.extend(self.prose.told());
        events
    }

    fn aside(&mut self, text: &str, within: Option<String>) -> Vec<Event> {
        let mut events = self.prose.told();
        if !text.trim().is_empty() {
            events.push(Event::Thinking { text: text.to_owned(), within });
        }
        events
    }

    fn call_over(&mut self, id: String, item: &Value, call: (String, Value), within: Option<String>) -> Vec<Event> {
        let mut events = self.prose.told();
        if self.items.remove(&id).is_none() {
            events.push(Event::ToolCall { id: id.clone(), name: call.0, input: call.1, within: within.clone() });
        }
        let why = match &mut self.place {
            DialogueState::Turn { turn, .. } => turn.refused.remove(&id),
            DialogueState::Opening | DialogueState::Idle { .. } | DialogueState::Over => None,
        };
        let (text, end) = match (why, word(item, "status")) {
            (Some(why), _) => (why, CallEnd::Denied),
            (None, "declined") => (output(item), CallEnd::Denied),
            (None, "failed") => (output(item), CallEnd::Failed),
            (None, "interrupted") => (output(item), CallEnd::Interrupted),
            (None, _) if item["success"] == false => (output(item), CallEnd::Failed),
            (None, _) => (output(item), CallEnd::Ok),
        };
        events.push(Event::ToolResult { id, text, end, within });
        events
    }

    /// The usage of a model call. The same numbers again are not another call.
    pub(super) fn used(&mut self, usage: &Value) -> Vec<Event> {
        let tokens_total = tokens(&usage["total"]);
        let totals = Totals { tokens: tokens_total, unpriced: tokens_total.sum(), ..Totals::default() };
        let before = self.totals.replace(totals);
        if before == Some(totals) || tokens_total == Tokens::default() {
            return Vec::new();
        }
        // What an earlier process took is told again when its thread is taken up.
        let is_old = before.is_none() && !matches!(self.opening.conversation, Conversation::New { .. });
        let taken = if is_old { Tokens::default() } else { tokens(&usage["last"]) };
        vec![Event::Usage(Usage {
            model: self.started.model.clone(),
            tokens: taken,
            context: usage["last"]["totalTokens"].as_u64(),
            window: usage["modelContextWindow"].as_u64(),
            ..Usage::default()
        })]
    }
}

/// The input includes what was read from a cache and written to one.
fn tokens(usage: &Value) -> Tokens {
    let (cache_read, cache_write) = (number(usage, "cachedInputTokens"), number(usage, "cacheWriteInputTokens"));
    let input = number(usage, "inputTokens").saturating_sub(cache_read).saturating_sub(cache_write);
    Tokens { input, output: number(usage, "outputTokens"), cache_read, cache_write }
}

fn thought(item: &Value, within: Option<String>) -> Vec<Event> {
    let parts = list(item, "summary").iter().chain(list(item, "content"));
    let texts: Vec<&str> = parts.filter_map(|part| part.as_str().or_else(|| part["text"].as_str())).collect();
    if texts.is_empty() { Vec::new() } else { vec![Event::Thinking { text: texts.join("\n"), within }] }
}

/// The call that an item is, in the one set of names that calls are judged by.
pub(super) fn call(item: &Value) -> Option<(String, Value)> {
    Some(match word(item, "type") {
        "commandExecution" => ("Bash".to_owned(), json!({"command": shell::unwrapped(word(item, "command"))})),
        "fileChange" => changes(list(item, "changes")),
        "mcpToolCall" => (format!("mcp__{}__{}", word(item, "server"), word(item, "tool")), item["arguments"].clone()),
        "webSearch" => ("WebSearch".to_owned(), json!({"query": item["query"]})),
        "imageView" => ("Read".to_owned(), json!({"file_path": item["path"]})),
        "collabAgentToolCall" => ("Task".to_owned(), json!({"prompt": item["prompt"], "tool": item["tool"]})),
        "dynamicToolCall" => (word(item, "tool").to_owned(), item["arguments"].clone()),
        "imageGeneration" => ("ImageGeneration".to_owned(), json!({"prompt": item["revisedPrompt"]})),
        "functionCallOutput" => (word(item, "name").to_owned(), Value::Null),
        _ => return None,
    })
}

/// Files that are all new are written, others are edited.
fn changes(changes: &[Value]) -> (String, Value) {
    let mut paths: Vec<&str> = Vec::new();
    for change in changes {
        let moved = change["kind"]["move_path"].as_str().or_else(|| change["kind"]["movePath"].as_str());
        for path in change["path"].as_str().into_iter().chain(moved) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    let mut input = Map::new();
    if let Some(path) = paths.first() {
        input.insert("file_path".to_owned(), json!(path));
    }
    if paths.len() > 1 {
        input.insert("paths".to_owned(), json!(paths));
    }
    let diffs: Vec<&str> = changes.iter().filter_map(|change| change["diff"].as_str()).collect();
    input.insert("diff".to_owned(), json!(diffs.join("\n")));
    let new = !changes.is_empty() && changes.iter().all(|change| change["kind"]["type"] == "add");
    (if new { "Write" } else { "Edit" }.to_owned(), Value::Object(input))
}

/// What a call answered, as text.
fn output(item: &Value) -> String {
    if let Some(output) = item["aggregatedOutput"].as_str() {
        return output.to_owned();
    }
    if let Some(error) = item["error"]["message"].as_str() {
        return error.to_owned();
    }
    let parts = list(&item["result"], "content").iter().chain(list(item, "contentItems"));
    let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}
