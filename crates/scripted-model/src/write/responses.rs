//! Writes the Responses API.

use serde_json::{Value, json};

use super::{Event, Input, Part, Spoken, pieces, read_in_all};
use crate::answer::{StopReason, Usage};

pub(super) fn whole(spoken: &Spoken) -> Value {
    let items: Vec<Value> = items(spoken);
    let (status, details) = match spoken.stop {
        StopReason::EndTurn | StopReason::ToolUse => ("completed", Value::Null),
        StopReason::MaxTokens => ("incomplete", json!({"reason": "max_output_tokens"})),
        StopReason::Refusal => ("incomplete", json!({"reason": "content_filter"})),
    };
    json!({
        "id": format!("resp_{}", spoken.number),
        "object": "response",
        "created_at": 0,
        "status": status,
        "incomplete_details": details,
        "model": spoken.model,
        "output": items,
        "error": null,
        "usage": taken(spoken.usage),
    })
}

pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let whole = whole(spoken);
    let mut begun = whole.clone();
    (begun["status"], begun["output"], begun["usage"]) = (json!("in_progress"), json!([]), Value::Null);
    let mut events = vec![json!({"type": "response.created", "response": begun})];
    for (at, (part, item)) in spoken.parts.iter().zip(items(spoken)).enumerate() {
        events.push(json!({"type": "response.output_item.added", "output_index": at, "item": opened(part, &item)}));
        events.extend(deltas(part, &item, at));
        events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    }
    let end = if whole["status"] == "completed" { "response.completed" } else { "response.incomplete" };
    events.push(json!({"type": end, "response": whole}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events.iter().map(Event::typed).collect()
}

/// Why a response that had begun came to nothing, as this API says what others say by a status.
pub(crate) fn failed(number: usize, code: &str, message: &str) -> Vec<Event> {
    let response = |status: &str, error: Value| json!({"id": format!("resp_{number}"), "object": "response", "created_at": 0, "status": status, "output": [], "error": error});
    let error = json!({"code": code, "message": message});
    [
        json!({"type": "response.created", "response": response("in_progress", Value::Null)}),
        json!({"type": "response.failed", "response": response("failed", error)}),
    ]
    .iter()
    .map(Event::typed)
    .collect()
}

fn taken(usage: Usage) -> Value {
    let input = read_in_all(usage);
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": usage.cache_read, "cache_write_tokens": usage.cache_write},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + usage.output,
    })
}

fn items(spoken: &Spoken) -> Vec<Value> {
    spoken.parts.iter().enumerate().map(|(at, part)| item(spoken.number, at, part)).collect()
}

fn item(number: usize, at: usize, part: &Part) -> Value {
    let id = |kind: &str| format!("{kind}_{number}_{at}");
    match part {
        Part::Text(text) => json!({
            "type": "message", "id": id("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Part::Thinking(text) => json!({
            "type": "reasoning", "id": id("rs"), "summary": [{"type": "summary_text", "text": text}],
            "encrypted_content": null,
        }),
        Part::Call(call) => {
            let mut item = match &call.input {
                Input::Object(input) => json!({
                    "type": "function_call", "id": id("fc"), "call_id": call.id, "name": call.name,
                    "arguments": input.to_string(), "status": "completed",
                }),
                Input::Text(text) => json!({
                    "type": "custom_tool_call", "id": id("ctc"), "call_id": call.id, "name": call.name,
                    "input": text, "status": "completed",
                }),
            };
            if let Some(namespace) = &call.namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    }
}

/// The item as a stream begins it.
fn opened(part: &Part, item: &Value) -> Value {
    let mut opened = item.clone();
    match part {
        Part::Text(_) => opened["content"] = json!([]),
        Part::Thinking(_) => opened["summary"] = json!([]),
        Part::Call(_) => {}
    }
    if opened["status"].is_string() {
        opened["status"] = json!("in_progress");
    }
    opened
}

fn deltas(part: &Part, item: &Value, at: usize) -> Vec<Value> {
    let (kind, index, text) = match part {
        Part::Text(text) => ("response.output_text.delta", "content_index", text),
        Part::Thinking(text) => ("response.reasoning_summary_text.delta", "summary_index", text),
        Part::Call(_) => return Vec::new(),
    };
    let delta = |piece| json!({"type": kind, "item_id": item["id"], "output_index": at, index: 0, "delta": piece});
    pieces(text).into_iter().map(delta).collect()
}
