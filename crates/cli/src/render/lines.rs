//! An object as lines of a name and a value; what is nested comes below, indented or as a table.

use serde_json::{Map, Value};

use super::cell::{self, Detail};
use super::{View, name, table};

const INDENT: &str = "  ";

/// Writes an object out, without the members that say nothing.
pub(super) fn of(members: &Map<String, Value>, view: View) -> String {
    let told: Vec<_> =
        members.iter().filter(|(name, value)| !cell::is_empty(value) && !stands_elsewhere(members, name)).collect();
    let plain = told.iter().filter(|(_, value)| is_line(value));
    let label_width = plain.map(|(name, _)| name::of(name).chars().count() + 1).max().unwrap_or(0);
    let mut text = String::new();
    for (name, value) in told {
        if is_line(value) {
            let label = format!("{}:", name::of(name));
            let from = source(members, name);
            text.push_str(format!("{label:label_width$} {}", shown(members, name, &from, view)).trim_end());
            text.push('\n');
        } else {
            text.push_str(&format!("{}:\n{}", name::of(name), indented(&below(name, value, view))));
        }
    }
    text
}

/// A model that is left to the agent is shown as the agent's default.
fn shown(members: &Map<String, Value>, name: &str, from: &str, view: View) -> String {
    match cell::of(members, name, view.now, Detail::Whole) {
        model if name == "model" && model == "default" => "agent's default".to_owned(),
        text => format!("{text}{from}"),
    }
}

/// The source of a value follows it: a value that was not chosen for this object is a default.
fn source(members: &Map<String, Value>, name: &str) -> String {
    match members.get(&format!("{name}_source")).and_then(Value::as_str) {
        None | Some("mission") => String::new(),
        Some("config" | "agent") => " (default)".to_owned(),
        Some(other) => format!(" (default of the {other})"),
    }
}

fn stands_elsewhere(members: &Map<String, Value>, name: &str) -> bool {
    let said_better = name == "status" && members.contains_key("state");
    // How many more there are is said where there are some.
    let nothing_more = name.starts_with("more_") && members.get(name).is_some_and(|more| *more == 0);
    said_better
        || nothing_more
        || matches!(name, "cost_unknown" | "costUnknown")
        || name.strip_suffix("_source").is_some_and(|of| members.contains_key(of))
}

fn is_line(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.trim_end().contains('\n'),
        // Several sentences, such as lines of output, are read one below the other.
        Value::Array(items) => items.iter().all(cell::is_plain) && (items.len() < 2 || !items.iter().any(is_sentence)),
        Value::Object(_) => false,
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

fn is_sentence(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.trim().contains(char::is_whitespace))
}

fn below(name: &str, value: &Value, view: View) -> String {
    let view = View { width: view.width.saturating_sub(INDENT.len()), ..view };
    match value {
        Value::Object(members) => of(members, view),
        Value::Array(items) if items.iter().all(cell::is_plain) => items
            .iter()
            .map(|item| format!("{}\n", item.as_str().map_or_else(|| cell::text(item), printable)))
            .collect(),
        Value::Array(items) => {
            let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
            table::of(name, &objects, view)
        }
        Value::String(text) => text.trim_end().lines().map(|line| format!("{}\n", printable(line))).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("{}\n", cell::text(value)),
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("{INDENT}{line}\n")).collect()
}

fn printable(line: &str) -> String {
    line.replace('\t', "    ").chars().filter(|letter| !letter.is_control()).collect()
}
