//! What readers of JSON lines have in common: a line in, fields out, and nothing of it lost.

use serde_json::Value;

use crate::{Event, FailureClass};

/// Reads a line; one that means nothing is kept as it is.
pub(crate) fn feed(line: &[u8], read: impl FnOnce(&Value) -> Vec<Event>) -> Vec<Event> {
    let line = String::from_utf8_lossy(line);
    let line = line.trim();
    if line.is_empty() {
        return Vec::new();
    }
    let events = serde_json::from_str(line).map(|value: Value| read(&value)).unwrap_or_default();
    if events.is_empty() { vec![Event::Raw { line: line.to_owned() }] } else { events }
}

/// The text of a field.
pub(crate) fn text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

/// The text of a field, empty if there is none.
pub(crate) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The values of a field that is a list.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

/// The text of an answer, which is a text or a list of parts of which some are texts.
pub(crate) fn answer(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts: Vec<_> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            texts.join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

/// The first HTTP status of a failure that a text names: three digits that stand alone, from 400 on.
pub(crate) fn status(text: &str) -> Option<u16> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.filter(|word| word.len() == 3).filter_map(|word| word.parse().ok()).find(|status| (400..600).contains(status))
}

/// What a provider's HTTP status means.
pub(crate) fn refusal(status: u16) -> FailureClass {
    match status {
        402 => FailureClass::Quota { resets_at: None },
        429 => FailureClass::RateLimit,
        401 | 403 => FailureClass::Auth,
        413 => FailureClass::ContextFull,
        400..=499 => FailureClass::Invalid,
        _ => FailureClass::Overloaded,
    }
}
