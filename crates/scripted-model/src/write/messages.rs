//! Writes the Messages API.

use serde_json::{Value, json};

use super::{Event, Part, SIGNATURE, Spoken, pieces};
use crate::answer::{StopReason, Usage};

pub(super) fn whole(spoken: &Spoken) -> Value {
    json!({
        "id": format!("msg_{}", spoken.number),
        "type": "message",
        "role": "assistant",
        "model": spoken.model,
        "content": spoken.parts.iter().map(block).collect::<Vec<_>>(),
        "stop_reason": word(spoken.stop),
        "stop_sequence": null,
        "usage": taken(spoken.usage, spoken.usage.output),
    })
}

/// A message begins empty with almost no output tokens; the end reports its usage.
pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let mut message = whole(spoken);
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"] = taken(spoken.usage, spoken.usage.output.min(1));
    let mut events = vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
    for (at, part) in spoken.parts.iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": at, "content_block": empty(part)}));
        let delta = |delta| json!({"type": "content_block_delta", "index": at, "delta": delta});
        events.extend(deltas(part).into_iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": at}));
    }
    let delta = json!({"stop_reason": word(spoken.stop), "stop_sequence": null});
    let usage = taken(spoken.usage, spoken.usage.output);
    events.push(json!({"type": "message_delta", "delta": delta, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    events.iter().map(Event::typed).collect()
}

fn taken(usage: Usage, output: u64) -> Value {
    json!({
        "input_tokens": usage.input,
        "cache_creation_input_tokens": usage.cache_write,
        "cache_read_input_tokens": usage.cache_read,
        "output_tokens": output,
    })
}

fn word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolUse => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refusal => "refusal",
    }
}

fn block(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({"type": "text", "text": text}),
        Part::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": SIGNATURE}),
        Part::Call(call) => {
            json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input.object()})
        }
    }
}

/// The block as a stream begins it, to be filled by [`deltas`].
fn empty(part: &Part) -> Value {
    let mut block = block(part);
    match part {
        Part::Text(_) => block["text"] = json!(""),
        Part::Thinking(_) => (block["thinking"], block["signature"]) = (json!(""), json!("")),
        Part::Call(_) => block["input"] = json!({}),
    }
    block
}

fn deltas(part: &Part) -> Vec<Value> {
    let cut = |text: &str, delta: &dyn Fn(String) -> Value| pieces(text).into_iter().map(delta).collect::<Vec<_>>();
    match part {
        Part::Text(text) => cut(text, &|piece| json!({"type": "text_delta", "text": piece})),
        Part::Thinking(text) => {
            let mut thoughts = cut(text, &|piece| json!({"type": "thinking_delta", "thinking": piece}));
            thoughts.push(json!({"type": "signature_delta", "signature": SIGNATURE}));
            thoughts
        }
        Part::Call(call) => {
            let text = call.input.object().to_string();
            cut(&text, &|piece| json!({"type": "input_json_delta", "partial_json": piece}))
        }
    }
}
