//! The messages of the model and the answers of its tools, which come as blocks in lines of type `assistant` and
//! `user`.

use serde_json::Value;

use super::read::ClaudeReader;
use crate::lines::{answer, list, text, word};
use crate::{CallEnd, Event, Tokens, Usage};

/// What the model said: its tokens once, then its blocks.
///
/// A line without a known block is kept raw. The agent reports an error of the provider as text of the model;
/// its word for it decides what the turn failed of.
pub(super) fn said(reader: &mut ClaudeReader, line: &Value) -> Vec<Event> {
    let within = text(line, "parent_tool_use_id");
    if let Some(error) = text(line, "api_error").or_else(|| text(line, "error")) {
        reader.error = Some(error);
    }
    let message = &line["message"];
    let mut events = understood(list(message, "content"), |block| said_block(block, &within));
    if !events.is_empty()
        && let Some(usage) = usage(reader, message, within)
    {
        events.insert(0, Event::Usage(usage));
    }
    events
}

/// The blocks of a line, unknown ones raw; nothing if all are unknown.
fn understood(blocks: &[Value], event: impl Fn(&Value) -> Option<Event>) -> Vec<Event> {
    let events: Vec<_> = blocks.iter().map(|block| (block, event(block))).collect();
    if events.iter().all(|(_, event)| event.is_none()) {
        return Vec::new();
    }
    let raw = |block: &Value| Event::Raw { line: block.to_string() };
    events.into_iter().map(|(block, event)| event.unwrap_or_else(|| raw(block))).collect()
}

fn said_block(block: &Value, within: &Option<String>) -> Option<Event> {
    let within = within.clone();
    match word(block, "type") {
        "text" => Some(Event::Text { text: text(block, "text")?, within }),
        "thinking" => Some(Event::Thinking { text: text(block, "thinking")?, within }),
        "tool_use" => Some(Event::ToolCall {
            id: text(block, "id")?,
            name: text(block, "name")?,
            input: block["input"].clone(),
            within,
        }),
        _ => None,
    }
}

/// The tokens of a model message, when its first line comes; what the agent says in the model's name took none.
fn usage(reader: &mut ClaudeReader, message: &Value, within: Option<String>) -> Option<Usage> {
    let tokens = tokens(&message["usage"]);
    if tokens == Tokens::default() || !reader.counted.insert(text(message, "id")?) {
        return None;
    }
    let context = within.is_none().then(|| tokens.context());
    let model = text(message, "model");
    let window = model.as_ref().and_then(|model| reader.windows.get(model)).copied();
    Some(Usage { model, tokens, context, window, within, cost: None })
}

fn tokens(usage: &Value) -> Tokens {
    let of = |key: &str| usage[key].as_u64().unwrap_or_default();
    Tokens {
        input: of("input_tokens"),
        output: of("output_tokens"),
        cache_read: of("cache_read_input_tokens"),
        cache_write: of("cache_creation_input_tokens"),
    }
}

/// What tools answered. Words in the user's name, such as a summary or a subagent's order, are left to be kept raw.
pub(super) fn answered(line: &Value) -> Vec<Event> {
    understood(list(&line["message"], "content"), |block| {
        let id = text(block, "tool_use_id").filter(|_| word(block, "type") == "tool_result")?;
        let end = call_end(block, meta(line, &id));
        let within = text(line, "parent_tool_use_id");
        Some(Event::ToolResult { id, text: answer(&block["content"]), end, within })
    })
}

fn meta<'a>(line: &'a Value, id: &str) -> &'a Value {
    list(line, "tool_result_meta").iter().find(|meta| word(meta, "id") == id).unwrap_or(&Value::Null)
}

/// An error alone does not tell a call that failed from one that was not allowed to run.
fn call_end(block: &Value, meta: &Value) -> CallEnd {
    let rejected = meta.pointer("/permission_decision/decision").and_then(Value::as_str) == Some("reject");
    match (block["is_error"].as_bool().unwrap_or_default(), word(meta, "non_execution_kind")) {
        (false, _) => CallEnd::Ok,
        (true, "user-rejected") => CallEnd::Interrupted,
        (true, "permission-rule") => CallEnd::Denied,
        (true, _) if rejected => CallEnd::Denied,
        (true, _) => CallEnd::Failed,
    }
}
