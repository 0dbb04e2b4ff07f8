//! One value on one line, in the unit of its quantity.

use api::quantity;
use serde_json::{Map, Value};
use types::Timestamp;

use super::moment;

/// Flags that a contract writes as 0 and 1.
const FLAGS: [&str; 4] = ["auto_dispatch", "auto_retry", "schedule_enabled", "enabled"];
/// Sentences of the server, in which times are said as spans; what others wrote stays as it is.
const SENTENCES: [&str; 7] = ["why", "waits_for", "waitsFor", "what", "used_up", "reason", "message"];

/// Words of a contract that people read and never type.
const WORDS: [&str; 4] = ["login", "event_type", "source", "calls"];

/// How much is said of a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// Its distance, which is what a table has room for.
    Brief,
    /// The date and the time too.
    Whole,
}

/// Writes a value on one line; what is nested, by names and values.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => one_line(text),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Object(members) => pairs(members),
    }
}

/// Writes a member of an object in the unit of its quantity.
pub(super) fn of(members: &Map<String, Value>, key: &str, now: Timestamp, detail: Detail) -> String {
    let Some(value) = members.get(key) else { return String::new() };
    if let Some(at) = moment::of(key, value) {
        return match detail {
            Detail::Brief => moment::relative(at, now),
            Detail::Whole => moment::whole(at, now),
        };
    }
    match value {
        Value::Number(_) if key == "costUsd" || key.ends_with("cost_usd") || key.ends_with("CostUsd") => {
            let unknown = ["cost_unknown", "costUnknown"].iter().any(|flag| members.get(*flag) == Some(&true.into()));
            quantity::cost(value.as_f64().unwrap_or_default(), unknown)
        }
        Value::Number(number) => amount(key, number),
        Value::String(text) if SENTENCES.contains(&key) => one_line(&moment::spoken(text, now)),
        Value::String(word) if WORDS.contains(&key) => one_line(&word.replace('_', " ")),
        // One contract writes lists and objects as text.
        Value::String(text) => within(text).as_ref().map_or_else(|| one_line(text), self::text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => text(value),
    }
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

/// Writes a number in the unit that its name says.
fn amount(key: &str, number: &serde_json::Number) -> String {
    let name = crate::field::kebab(key);
    let count = number.as_u64();
    let last = name.rsplit('-').next().unwrap_or_default();
    match (last, count) {
        ("usd", _) => quantity::dollars(number.as_f64().unwrap_or_default()),
        ("tokens", Some(count)) => quantity::tokens(count),
        ("bytes", Some(count)) => quantity::bytes(count),
        ("ms", Some(millis)) => quantity::duration(millis),
        ("secs" | "seconds", Some(secs)) => quantity::whole_duration(secs),
        ("minutes", _) => quantity::whole_duration((number.as_f64().unwrap_or_default() * 60.0) as u64),
        (_, Some(flag)) if FLAGS.contains(&key) => text(&Value::Bool(flag != 0)),
        _ => number.to_string(),
    }
}

/// Reads the list or the object that a text holds.
fn within(text: &str) -> Option<Value> {
    text.starts_with(['[', '{']).then(|| serde_json::from_str(text).ok()).flatten()
}

fn pairs(members: &Map<String, Value>) -> String {
    let told = members.iter().filter(|(_, value)| !is_empty(value));
    let pair = |(name, value): (&String, &Value)| format!("{} {}", one_line(&super::name::of(name)), text(value));
    told.map(pair).collect::<Vec<_>>().join(", ")
}

/// Control characters of a stranger's text must not reach the terminal.
fn one_line(text: &str) -> String {
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.chars().filter(|letter| !letter.is_control()).collect()
}
