//! Writes the Gemini API.

use serde_json::{Value, json};

use super::{Event, Part, Spoken, pieces, read_in_all};
use crate::answer::{StopReason, Usage};

pub(super) fn whole(spoken: &Spoken) -> Value {
    let parts: Vec<Value> = spoken.parts.iter().map(|part| written(part, text_of(part))).collect();
    chunk(spoken, &json!(parts), true)
}

/// Every chunk is an answer of its own; the last one says how it ended and what it took.
pub(super) fn events(spoken: &Spoken) -> Vec<Event> {
    let mut chunks = Vec::new();
    for part in &spoken.parts {
        match part {
            Part::Text(text) | Part::Thinking(text) => {
                chunks.extend(pieces(text).iter().map(|piece| chunk(spoken, &json!([written(part, piece)]), false)));
            }
            Part::Call(_) => chunks.push(chunk(spoken, &json!([written(part, "")]), false)),
        }
    }
    chunks.push(chunk(spoken, &json!([{"text": ""}]), true));
    chunks.iter().map(Event::plain).collect()
}

fn chunk(spoken: &Spoken, parts: &Value, last: bool) -> Value {
    let mut chunk = json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": spoken.model,
        "responseId": format!("response-{}", spoken.number),
    });
    if last {
        chunk["candidates"][0]["finishReason"] = json!(word(spoken.stop));
        chunk["usageMetadata"] = taken(spoken.usage);
    }
    chunk
}

fn text_of(part: &Part) -> &str {
    match part {
        Part::Text(text) | Part::Thinking(text) => text,
        Part::Call(_) => "",
    }
}

fn written(part: &Part, text: &str) -> Value {
    match part {
        Part::Text(_) => json!({"text": text}),
        Part::Thinking(_) => json!({"text": text, "thought": true}),
        Part::Call(call) => {
            json!({"functionCall": {"id": call.id, "name": call.name, "args": call.input.object()}})
        }
    }
}

fn word(stop: StopReason) -> &'static str {
    match stop {
        StopReason::EndTurn | StopReason::ToolUse => "STOP",
        StopReason::MaxTokens => "MAX_TOKENS",
        StopReason::Refusal => "SAFETY",
    }
}

fn taken(usage: Usage) -> Value {
    let input = read_in_all(usage);
    json!({
        "promptTokenCount": input,
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output,
        "totalTokenCount": input + usage.output,
    })
}
