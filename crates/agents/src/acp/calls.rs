//! The tool calls of a turn, from the pieces in which agents tell them.
//!
//! Some tell a call first without its input, some tell only that it has ended. It becomes one event when it begins and
//! one when it is over: as soon as it is asked about, runs or has ended, or the agent moves on to something else.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::call;
use crate::dialogue::rpc::{list, text, word};
use crate::{CallEnd, Event, McpServer};

/// The calls of a turn, by id.
#[derive(Debug, Default)]
pub(super) struct Calls(BTreeMap<String, Tracked>);

/// What is known of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Tracked {
    /// The agent's fields of the call, the newest of each.
    pub(super) fields: BTreeMap<String, Value>,
    /// What it was called when it was first heard of; later that becomes a description.
    pub(super) first_title: Option<String>,
    told: bool,
    ended: bool,
}

/// The fields that are kept.
const FIELDS: [&str; 8] = ["_meta", "content", "kind", "locations", "name", "rawInput", "rawOutput", "title"];

impl Calls {
    /// Takes in what the agent says of a call, and returns its id.
    pub(super) fn merge(&mut self, said: &Value) -> Option<String> {
        let id = text(said, "toolCallId")?;
        let call = self.0.entry(id.clone()).or_default();
        for field in FIELDS {
            let value = &said[field];
            // Some repeat an input as empty that they told before.
            let repeated = *value == json!({}) && call.fields.contains_key(field);
            if !value.is_null() && !repeated {
                call.fields.insert(field.to_owned(), value.clone());
            }
        }
        if call.first_title.is_none() {
            call.first_title = text(said, "title");
        }
        Some(id)
    }

    /// Returns what is known of a call.
    pub(super) fn get(&self, id: &str) -> Option<&Tracked> {
        self.0.get(id)
    }

    /// Reports that a call begins, once.
    pub(super) fn begun(&mut self, id: &str, servers: &[McpServer]) -> Option<Event> {
        let call = self.0.get_mut(id)?;
        if std::mem::replace(&mut call.told, true) {
            return None;
        }
        let (name, input) = call::read(id, call, servers);
        Some(Event::ToolCall { id: id.to_owned(), name, input, within: None })
    }

    /// Reports that other calls begin whose input is known: the agent moves on to something else.
    pub(super) fn begun_but(&mut self, id: Option<&str>, servers: &[McpServer]) -> Vec<Event> {
        let has_input = |call: &Tracked| call.fields.get("rawInput").is_some_and(|input| *input != json!({}));
        let others = self.0.iter().filter(|(other, call)| id != Some(other) && !call.told && has_input(call));
        let others: Vec<String> = others.map(|(other, _)| other.clone()).collect();
        others.iter().filter_map(|other| self.begun(other, servers)).collect()
    }

    /// Reports that a call is over, once.
    pub(super) fn ended(&mut self, id: &str, end: CallEnd, text: Option<&str>) -> Option<Event> {
        let call = self.0.get_mut(id)?;
        if std::mem::replace(&mut call.ended, true) {
            return None;
        }
        let text = text.map_or_else(|| output(call), str::to_owned);
        Some(Event::ToolResult { id: id.to_owned(), text, end, within: None })
    }

    /// The turn is over: those that had no end yet have none.
    pub(super) fn clear(&mut self) -> Vec<Event> {
        let open: Vec<String> =
            self.0.iter().filter(|(_, call)| call.told && !call.ended).map(|(id, _)| id.clone()).collect();
        let events = open.iter().filter_map(|id| self.ended(id, CallEnd::Interrupted, Some(""))).collect();
        self.0.clear();
        events
    }
}

/// What a tool answered, as text.
fn output(call: &Tracked) -> String {
    let none = Value::Null;
    let field = |name: &str| call.fields.get(name).unwrap_or(&none);
    let blocks = field("content").as_array().map_or(&[][..], Vec::as_slice);
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["content"]["text"].as_str()).collect();
    match field("rawOutput") {
        Value::String(output) => output.clone(),
        output @ Value::Object(_) if texts.is_empty() => {
            let words = ["output", "stdout", "formatted_output", "error"].map(|key| word(output, key));
            words.into_iter().find(|word| !word.is_empty()).map_or_else(|| output.to_string(), str::to_owned)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => texts.join("\n"),
    }
}

/// The paths that a call names.
pub(super) fn paths(call: &Tracked) -> Vec<String> {
    let none = Value::Null;
    let fields = |name: &str| call.fields.get(name).unwrap_or(&none);
    let holder = json!({"content": fields("content"), "locations": fields("locations")});
    let places =
        list(&holder, "locations").iter().chain(list(&holder, "content")).filter_map(|place| text(place, "path"));
    let mut paths: Vec<String> = Vec::new();
    for path in places {
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    paths
}
