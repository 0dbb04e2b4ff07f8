//! What a field takes, in words: the values that its schema lists, with the one that was probably meant.

use jsonschema::ValidationError;
use serde_json::Value;

/// Values that are listed; of more, the rest is counted.
const LISTED_MAX: usize = 10;

/// The longest text for which the value that was meant is looked for: it comes from the client.
const GIVEN_BYTES_MAX: usize = 60;

/// Says which values a field takes, where the part of the schema that refused the input lists them.
pub(crate) fn allowed(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    let refused = schema.pointer(&error.schema_path().to_string())?;
    let mut values = Vec::new();
    gather(refused, &mut values);
    let first = values.first()?;
    let listed: Vec<String> = values.iter().take(LISTED_MAX).map(|value| format!("`{value}`")).collect();
    let more = match values.len().saturating_sub(LISTED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let said = if values.len() == 1 {
        format!("takes only `{first}`")
    } else {
        format!("takes one of {}{more}", listed.join(", "))
    };
    let given = error.instance().as_str().filter(|given| given.len() <= GIVEN_BYTES_MAX);
    let meant = given.and_then(|given| config::closest(given, values.iter().map(String::as_str)));
    Some(match meant {
        Some(meant) => format!("{said}; did you mean `{meant}`?"),
        None => said,
    })
}

/// Finds the pattern of the one form that a text may have, where a choice has one.
pub(crate) fn pattern(error: &ValidationError<'_>, schema: &Value) -> Option<String> {
    let refused = schema.pointer(&error.schema_path().to_string())?;
    refused.as_array()?.iter().find_map(|form| Some(form.get("pattern")?.as_str()?.to_owned()))
}

/// Gathers the values that a schema lists, each once: of `const`, of `enum`, and of each of several forms.
fn gather(schema: &Value, values: &mut Vec<String>) {
    match schema {
        Value::Object(members) => {
            for (keyword, value) in members {
                match (keyword.as_str(), value) {
                    ("const", value) => add(value, values),
                    ("enum", Value::Array(listed)) => listed.iter().for_each(|value| add(value, values)),
                    ("oneOf" | "anyOf", forms) => gather(forms, values),
                    _ => {}
                }
            }
        }
        // Either several forms, or the values of an `enum`, at which the path of a refusal ends.
        Value::Array(items) => items.iter().for_each(|item| match item {
            Value::Object(_) => gather(item, values),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => add(item, values),
        }),
        // The value of a `const`, at which the path of a refusal ends.
        Value::String(_) => add(schema, values),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn add(value: &Value, values: &mut Vec<String>) {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        // Nothing is what a field has that is left out.
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return,
    };
    if !values.contains(&text) {
        values.push(text);
    }
}
