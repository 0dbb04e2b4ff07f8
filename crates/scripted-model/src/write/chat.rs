//! Writes chat completions.

use serde_json::{Value, json};

use super::{Call, Event, Part, Spoken, pieces, read_in_all};
use crate::answer::{StopReason, Usage};

pub(super) fn whole(spoken: &Spoken) -> Value {
    let calls: Vec<Value> = spoken.calls().map(called).collect();
    let mut message = json!({"role": "assistant", "content": spoken.texts()});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({
        "id": format!("chatcmpl-{}", spoken.number),
        "object": "chat.completion",
        "created": 0,
        "model": spoken.model,
        "choices": [{"index": 0, "message": message, "finish_reason": word(spoken.stop)}],
        "usage": taken(spoken.usage),
    })
}

/// What it took comes after the last choice, in a chunk of its own; then the word that ends every stream.
pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let chunk = |choices: Value, usage: Value| {
        json!({
            "id": format!("chatcmpl-{}", spoken.number), "object": "chat.completion.chunk", "created": 0,
            "model": spoken.model, "choices": choices, "usage": usage,
        })
    };
    let delta = |delta: Value| chunk(json!([{"index": 0, "delta": delta, "finish_reason": null}]), Value::Null);
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}))];
    let mut calls = 0;
    for part in &spoken.parts {
        match part {
            Part::Text(text) => events.extend(pieces(text).into_iter().map(|piece| delta(json!({"content": piece})))),
            Part::Thinking(text) => {
                events.extend(pieces(text).into_iter().map(|piece| delta(json!({"reasoning_content": piece}))));
            }
            Part::Call(call) => {
                let mut called = called(call);
                called["index"] = json!(calls);
                calls += 1;
                events.push(delta(json!({"tool_calls": [called]})));
            }
        }
    }
    let end = json!([{"index": 0, "delta": {}, "finish_reason": word(spoken.stop)}]);
    events.extend([chunk(end, Value::Null), chunk(json!([]), taken(spoken.usage))]);
    let done = Event { name: None, data: "[DONE]".to_owned() };
    events.iter().map(Event::plain).chain([done]).collect()
}

fn called(call: &Call) -> Value {
    let function = json!({"name": call.name, "arguments": call.input.object().to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

fn word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "stop",
        StopReason::ToolUse => "tool_calls",
        StopReason::MaxTokens => "length",
        StopReason::Refusal => "content_filter",
    }
}

fn taken(usage: Usage) -> Value {
    let input = read_in_all(usage);
    json!({
        "prompt_tokens": input,
        "completion_tokens": usage.output,
        "total_tokens": input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cache_read},
    })
}
