//! Lines for the standard input of Claude Code.

use serde_json::{Value, json};

use crate::Say;

/// Prefix of the ids of questions from the permission hook: their answers have a form of their own.
const GATE: &str = "gate:";

/// The id under which a question from the permission hook is reported and answered.
pub(super) fn gate_request(id: &str) -> String {
    format!("{GATE}{id}")
}

/// The first line: it opens the conversation.
pub(super) fn initialize() -> String {
    json!({"type": "control_request", "request_id": "init", "request": {"subtype": "initialize"}}).to_string()
}

/// Returns none for what cannot be sent: only a question from the permission hook can be deferred.
pub(super) fn line(say: &Say) -> Option<String> {
    let value = match say {
        Say::Message { id, text } => message(text, Some(id)),
        Say::Interrupt { id } => {
            json!({"type": "control_request", "request_id": id, "request": {"subtype": "interrupt"}})
        }
        Say::Allow { request, input } => match request.strip_prefix(GATE) {
            Some(id) => decide(id, json!({"permissionDecision": "allow", "updatedInput": input})),
            None => answer(request, &json!({"behavior": "allow", "updatedInput": input})),
        },
        Say::Deny { request, why } => match request.strip_prefix(GATE) {
            Some(id) => decide(id, json!({"permissionDecision": "deny", "permissionDecisionReason": why})),
            None => answer(request, &json!({"behavior": "deny", "message": why})),
        },
        Say::Escalate { request } => decide(request.strip_prefix(GATE)?, json!({"permissionDecision": "ask"})),
    };
    Some(value.to_string())
}

/// A message; without an id of its own the agent gives it one.
pub(super) fn message(text: &str, id: Option<&str>) -> Value {
    let mut message = json!({"type": "user", "message": {"role": "user", "content": text}});
    if let Some(id) = id {
        message["uuid"] = json!(id);
    }
    message
}

fn decide(id: &str, mut decision: Value) -> Value {
    decision["hookEventName"] = json!("PreToolUse");
    answer(id, &json!({"hookSpecificOutput": decision}))
}

fn answer(request: &str, response: &Value) -> Value {
    let response = json!({"subtype": "success", "request_id": request, "response": response});
    json!({"type": "control_response", "response": response})
}
