//! Reading a result, whole or broken.
//!
//! A whole object is taken as it is. Otherwise the last whole object in the text that has a summary counts; without one,
//! what is sure of a broken one is kept and marked as salvaged.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{RESULT_MAX, ResultError, ResultReading, ResultStatus, TestClaim, WorkResult};
use crate::salvage::{self, Repair};
use crate::submitted::kind_of;

/// How many places in a text are tried as the beginning of an object.
const TRIES_MAX: usize = 64;

/// Reads a result from a file, or from an agent's last words.
///
/// # Errors
/// Says what is wrong with it.
pub fn read_result(text: &str) -> Result<ResultReading, ResultError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(ResultError::Empty);
    }
    if text.len() > RESULT_MAX {
        return Err(ResultError::TooLong { bytes: text.len() });
    }
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        let Value::Object(object) = value else { return Err(ResultError::NoObject) };
        return Ok(ResultReading { result: decode(&object, None)?, repairs: BTreeSet::new() });
    }
    if let Some(object) = last_whole(text) {
        return Ok(ResultReading { result: decode(&object, None)?, repairs: BTreeSet::from([Repair::Unwrapped]) });
    }
    salvage(text)
}

/// The last whole object with a summary. What lies inside an object is not looked at again.
fn last_whole(text: &str) -> Option<Map<String, Value>> {
    let (mut rest, mut last) = (text, None);
    for _ in 0..TRIES_MAX {
        let Some(from) = rest.find('{').and_then(|at| rest.get(at..)) else { break };
        let mut values = serde_json::Deserializer::from_str(from).into_iter::<Value>();
        let read = values.next().and_then(Result::ok);
        let past = if read.is_some() { values.byte_offset() } else { 1 };
        rest = from.get(past..).unwrap_or_default();
        if let Some(Value::Object(object)) = read.filter(|value| value.get("summary").is_some()) {
            last = Some(object);
        }
    }
    last
}

fn salvage(text: &str) -> Result<ResultReading, ResultError> {
    let places = text.match_indices('{').take(TRIES_MAX).filter_map(|(at, _)| Some((at, text.get(at..)?)));
    for (at, from) in places {
        let mut found = salvage::read(from);
        let cut_summary = found.cut_text.take().filter(|(key, _)| key == "summary").map(|(_, text)| text);
        if cut_summary.is_none() && !found.object.contains_key("summary") {
            continue;
        }
        if at > 0 {
            found.repairs.insert(Repair::Unwrapped);
        }
        let result = decode(&found.object, Some(cut_summary.unwrap_or_default()))?;
        return Ok(ResultReading { result, repairs: found.repairs });
    }
    Err(ResultError::NoObject)
}

/// Reads the fields. `salvaged` holds the beginning of a summary that was cut off; with it, fields may be missing.
fn decode(object: &Map<String, Value>, salvaged: Option<String>) -> Result<WorkResult, ResultError> {
    let status = match object.get("status") {
        Some(value) => Some(status_of(value)?),
        None if salvaged.is_some() => None,
        None => return Err(ResultError::Missing { field: "status" }),
    };
    let summary = match (object.get("summary"), salvaged) {
        (Some(value), _) => text_of("summary", value)?,
        (None, Some(start)) => start,
        (None, None) => return Err(ResultError::Missing { field: "summary" }),
    };
    Ok(WorkResult {
        summary,
        status,
        files_changed: list_of("files_changed", object, text_of)?,
        tests: list_of("tests", object, test_of)?,
        commits: list_of("commits", object, text_of)?,
        next_steps: list_of("next_steps", object, text_of)?,
    })
}

fn status_of(value: &Value) -> Result<ResultStatus, ResultError> {
    let word = text_of("status", value)?;
    let unknown = || ResultError::UnknownStatus { found: word.chars().take(60).collect() };
    ResultStatus::deserialize(value).map_err(|_| unknown())
}

fn text_of(field: &'static str, value: &Value) -> Result<String, ResultError> {
    let wrong = || ResultError::WrongKind { field, wanted: "a text", found: kind_of(value) };
    value.as_str().map(str::to_owned).ok_or_else(wrong)
}

fn test_of(field: &'static str, value: &Value) -> Result<TestClaim, ResultError> {
    let wrong = |_| ResultError::WrongKind { field, wanted: "tests with three texts each", found: kind_of(value) };
    TestClaim::deserialize(value).map_err(wrong)
}

fn list_of<T>(
    field: &'static str,
    object: &Map<String, Value>,
    of: impl Fn(&'static str, &Value) -> Result<T, ResultError>,
) -> Result<Vec<T>, ResultError> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| of(field, item)).collect(),
        Some(other) => Err(ResultError::WrongKind { field, wanted: "a list", found: kind_of(other) }),
    }
}
