//! The input of the tool `submit_report`: seven texts that must be there, and an address that may.
//!
//! A text that is too long is cut, never refused: an agent that is told so late would have to say it all again.

use serde_json::Value;
use types::Said;

use crate::said::{Section, Sections as _};

/// Why an input is not a report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// It is not even JSON.
    #[error("the report is not JSON: {why}")]
    NotJson {
        /// What the parser says.
        why: String,
    },
    /// It is JSON of another kind.
    #[error("a report is an object with a text for each of its fields, not {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// Fields are not there.
    #[error("the report lacks {}: give each of them, empty if there is nothing to say", fields.join(", "))]
    Missing {
        /// Which.
        fields: Vec<&'static str>,
    },
    /// A field is not text.
    #[error("{field} must be a text, not {found}")]
    NotText {
        /// Which.
        field: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A field that no report has.
    #[error("a report has no field {field:?}")]
    Unknown {
        /// Which; cut, if it is long.
        field: String,
    },
    /// Every field is empty.
    #[error("the report is empty: say at least what was done")]
    Empty,
}

/// Reads the input of the tool.
///
/// # Errors
/// Says what is wrong with it, for the agent to put right.
pub fn read_submitted(input: &Value) -> Result<Said, SubmitError> {
    let Value::Object(fields) = input else { return Err(SubmitError::NotAnObject { found: kind_of(input) }) };
    let known = |name: &str| Section::ALL.into_iter().any(|section| section.key() == name);
    if let Some(field) = fields.keys().find(|name| !known(name)) {
        return Err(SubmitError::Unknown { field: field.chars().take(60).collect() });
    }
    let absent = |section: &Section| *section != Section::Preview && !fields.contains_key(section.key());
    let missing: Vec<_> = Section::ALL.into_iter().filter(absent).map(Section::key).collect();
    if !missing.is_empty() {
        return Err(SubmitError::Missing { fields: missing });
    }
    let mut said = Said::default();
    for section in Section::ALL {
        match fields.get(section.key()) {
            Some(Value::String(text)) => said.put(section, text),
            None | Some(Value::Null) if section == Section::Preview => {}
            other => {
                let found = other.map_or("nothing", kind_of);
                return Err(SubmitError::NotText { field: section.key(), found });
            }
        }
    }
    if said.is_empty() { Err(SubmitError::Empty) } else { Ok(said) }
}

/// Reads the input of the tool as text, such as a file that was left behind.
///
/// # Errors
/// Says what is wrong with it.
pub fn read_submitted_text(text: &str) -> Result<Said, SubmitError> {
    let text = text.trim_start_matches('\u{feff}');
    let value = serde_json::from_str(text).map_err(|error| SubmitError::NotJson { why: error.to_string() })?;
    read_submitted(&value)
}

/// What a value is, in words.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[path = "submitted_tests.rs"]
mod tests;
