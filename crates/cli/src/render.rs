//! Answers as people read them: lists as tables, objects as lines.
//!
//! `columns` declares what a list shows. Times are written by `moment`, amounts by `api::quantity`, names by `name`: each
//! in one way, whichever contract an answer follows.

mod cell;
mod columns;
mod lines;
pub(crate) mod moment;
mod name;
mod table;

use api::quantity;
use serde_json::{Map, Value};
use types::Timestamp;

use cell::Detail;
pub(crate) use cell::cut;
pub(crate) use table::Rows;
pub use table::grid;

use crate::terminal::Style;

/// An answer, written out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// What was asked for; ends with a line break unless it is empty.
    pub(crate) data: String,
    /// What is said in words because there is nothing to show.
    pub(crate) remark: Option<String>,
}

/// How an answer is written out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View {
    /// When it is read: times are shown by their distance.
    pub(crate) now: Timestamp,
    /// How many characters fit on a line.
    pub(crate) width: usize,
    /// Whether every column is shown, as wide as it is.
    pub(crate) wide: bool,
    /// Whether states are in colour.
    pub(crate) style: Style,
}

/// Writes an answer of an operation out.
pub(crate) fn value(value: &Value, operation: &str, noun: &str, view: View) -> Shown {
    match value {
        Value::Array(items) if items.is_empty() => Shown::remark(match operation {
            "inbox_list" => "Nothing waits for you.".to_owned(),
            _ => format!("No {noun}."),
        }),
        Value::Array(items) => Shown::data(list(operation, items, view)),
        Value::Object(members) if is_done(value) || members.is_empty() => Shown::remark("Done.".to_owned()),
        Value::Object(members) => Shown::data(lines::of(members, view)),
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

fn list(operation: &str, items: &[Value], view: View) -> String {
    let objects: Vec<_> = items.iter().filter_map(Value::as_object).collect();
    if objects.len() == items.len() && objects.iter().all(|object| is_advice(object)) {
        return objects.iter().map(|object| advice(object, view.now)).collect();
    }
    if objects.len() == items.len() {
        return table::of(operation, &objects, view);
    }
    items.iter().map(|item| format!("{}\n", cell::text(item))).collect()
}

/// What says what to type next is read, and not compared: it has no columns.
fn is_advice(object: &Map<String, Value>) -> bool {
    ["what", "next"].iter().all(|name| object.get(*name).is_some_and(Value::is_string))
}

fn advice(object: &Map<String, Value>, now: Timestamp) -> String {
    let of = |name: &str| cell::of(object, name, now, Detail::Brief);
    let since = Some(of("since")).filter(|since| !since.is_empty()).map(|since| format!(", {since}"));
    let blocks = object.get("blocks").and_then(Value::as_u64).filter(|blocks| *blocks > 0);
    let blocks = blocks.map(|blocks| format!(", blocks {}", quantity::counted(blocks, "mission"))).unwrap_or_default();
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
