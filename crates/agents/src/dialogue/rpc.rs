//! JSON-RPC as agents speak it: one object a message, and some leave the version out.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The error of a method that is not there.
const NO_METHOD: i64 = -32_601;

/// A message of the agent.
#[derive(Debug, PartialEq)]
pub(crate) enum Incoming<'a> {
    /// It asks and waits.
    Request { id: &'a Value, method: &'a str, params: &'a Value },
    /// A notification.
    Notice { method: &'a str, params: &'a Value },
    /// It answers.
    Answer { id: u64, answer: Result<&'a Value, &'a Value> },
    /// An unknown method.
    Noise,
}

impl<'a> Incoming<'a> {
    pub(crate) fn of(message: &'a Value) -> Self {
        let params = &message["params"];
        match (message["method"].as_str(), message.get("id")) {
            // An invalid id could not be answered.
            (Some(method), Some(id @ (Value::String(_) | Value::Number(_)))) => Self::Request { id, method, params },
            (Some(method), _) => Self::Notice { method, params },
            (None, Some(id)) => match (id.as_u64(), message.get("error"), message.get("result")) {
                (Some(id), Some(error), _) => Self::Answer { id, answer: Err(error) },
                (Some(id), None, Some(result)) => Self::Answer { id, answer: Ok(result) },
                _ => Self::Noise,
            },
            (None, None) => Self::Noise,
        }
    }
}

/// Our own requests: their numbers, and what was asked with each.
#[derive(Debug)]
pub(crate) struct Asked<T> {
    last: u64,
    open: BTreeMap<u64, T>,
}

impl<T> Default for Asked<T> {
    fn default() -> Self {
        Self { last: 0, open: BTreeMap::new() }
    }
}

impl<T> Asked<T> {
    /// Makes a request and remembers it.
    pub(crate) fn request(&mut self, what: T, method: &str, params: &Value) -> Value {
        self.last += 1;
        self.open.insert(self.last, what);
        json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
    }

    /// Returns what was asked, once.
    pub(crate) fn answered(&mut self, id: u64) -> Option<T> {
        self.open.remove(&id)
    }
}

pub(crate) fn notice(method: &str, params: Option<&Value>) -> Value {
    match params {
        Some(params) => json!({"jsonrpc": "2.0", "method": method, "params": params}),
        None => json!({"jsonrpc": "2.0", "method": method}),
    }
}

pub(crate) fn answer(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// Says that a method is not there, which agents must be able to live with.
pub(crate) fn unknown(id: &Value, method: &str) -> Value {
    let message = format!("`{method}` is not offered");
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": NO_METHOD, "message": message}})
}

pub(crate) fn text(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::to_owned)
}

pub(crate) fn word<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_default()
}
