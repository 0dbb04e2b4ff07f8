//! Answers as people read them: lists as tables, objects as lines.
//!
//! Nothing here knows an operation. The heading and order of a column follow from its name alone, so a new
//! operation is shown well without a line of its own.

mod cell;
mod lines;
mod table;

use serde_json::{Map, Value};

pub(crate) use cell::cut;
pub(crate) use table::Rows;
pub use table::grid;

/// An answer, written out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// What was asked for; ends with a line break unless it is empty.
    pub(crate) data: String,
    /// What is said in words because there is nothing to show.
    pub(crate) remark: Option<String>,
}

/// Writes an answer out; `width` is how many characters fit on a line, unlimited for a program that reads.
pub(crate) fn value(value: &Value, noun: &str, width: Option<usize>) -> Shown {
    match value {
        Value::Array(items) if items.is_empty() => Shown::remark(format!("No {noun}.")),
        Value::Array(items) => Shown::data(list(items, width)),
        Value::Object(members) if is_done(value) || members.is_empty() => Shown::remark("Done.".to_owned()),
        Value::Object(members) => Shown::data(lines::of(members, width)),
        Value::Null => Shown::remark("Nothing.".to_owned()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Shown::data(format!("{}\n", cell::text(value))),
    }
}

impl Shown {
    fn data(data: String) -> Self {
        Self { data, remark: None }
    }

    fn remark(remark: String) -> Self {
        Self { data: String::new(), remark: Some(remark) }
    }
}

fn list(items: &[Value], width: Option<usize>) -> String {
    let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
    if objects.len() == items.len() && objects.iter().all(|object| is_advice(object)) {
        return objects.iter().map(|object| advice(object)).collect();
    }
    if objects.len() == items.len() {
        return table::of(&objects, width);
    }
    items.iter().map(|item| format!("{}\n", cell::text(item))).collect()
}

/// What says what to type next is read, and not compared: it has no columns.
fn is_advice(object: &Map<String, Value>) -> bool {
    ["what", "next"].iter().all(|name| object.get(*name).is_some_and(Value::is_string))
}

fn advice(object: &Map<String, Value>) -> String {
    let of = |name: &str| cell::of(object, name);
    let since = Some(of("since")).filter(|since| !since.is_empty()).map(|since| format!(", since {since}"));
    let blocks = match object.get("blocks").and_then(Value::as_u64) {
        None | Some(0) => String::new(),
        Some(1) => ", blocks 1 mission".to_owned(),
        Some(many) => format!(", blocks {many} missions"),
    };
    let head = format!("{} {}{blocks}{}", of("kind"), of("subject"), since.unwrap_or_default());
    format!("{head}\n  {}\n  $ {}\n", of("what"), of("next"))
}

/// Some contracts answer `{"ok": true}` where there is nothing else to say.
fn is_done(value: &Value) -> bool {
    value.as_object().is_some_and(|members| members.len() == 1) && value["ok"] == true
}

#[cfg(test)]
#[path = "render_tests.rs"]
mod tests;
