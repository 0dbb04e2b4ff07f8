//! Lines for the standard input of Claude Code.

use serde_json::{Value, json};

use crate::Say;

pub(super) fn line(say: &Say) -> String {
    let value = match say {
        Say::Message { id, text } => {
            let mut message = message(text);
            message["uuid"] = json!(id);
            message
        }
        Say::Interrupt { id } => {
            json!({"type": "control_request", "request_id": id, "request": {"subtype": "interrupt"}})
        }
        Say::Allow { request, input } => answer(request, &json!({"behavior": "allow", "updatedInput": input})),
        Say::Deny { request, why } => answer(request, &json!({"behavior": "deny", "message": why})),
    };
    value.to_string()
}

/// A message without an id of its own; the agent gives it one.
pub(super) fn message(text: &str) -> Value {
    json!({"type": "user", "message": {"role": "user", "content": text}})
}

fn answer(request: &str, response: &Value) -> Value {
    let response = json!({"subtype": "success", "request_id": request, "response": response});
    json!({"type": "control_response", "response": response})
}
