//! One value on one line.

use serde_json::{Map, Value};

/// Writes a value on one line; what is nested, as JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => one_line(text),
        Value::Array(items) if items.iter().all(is_plain) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Array(_) | Value::Object(_) => crate::terminal::escaped(&value.to_string()),
    }
}

/// Writes a member of an object; a cost that is unknown is not shown as none.
pub(super) fn of(members: &Map<String, Value>, key: &str) -> String {
    let is_cost = matches!(key, "total_cost_usd" | "totalCostUsd");
    let unknown = ["cost_unknown", "costUnknown"].iter().any(|flag| members.get(*flag) == Some(&Value::Bool(true)));
    if is_cost && unknown {
        return "–".to_owned();
    }
    members.get(key).map(text).unwrap_or_default()
}

/// Returns whether there is nothing to see: one contract writes empty lists as text.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => matches!(text.trim(), "" | "[]" | "{}"),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Returns whether a value fits on a line by its nature.
pub(super) fn is_plain(value: &Value) -> bool {
    !value.is_array() && !value.is_object()
}

/// Cuts a text to so many characters, and shows that it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(std::iter::once('…')).collect()
}

/// Control characters of a stranger's text must not reach the terminal.
fn one_line(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.chars().filter(|letter| !letter.is_control()).collect()
}
