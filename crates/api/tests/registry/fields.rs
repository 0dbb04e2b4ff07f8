//! What is said about operations and fields, and how far a value may go.

use serde_json::{Map, Value};

use crate::table::{Row, breakers, field_breakers, objects, rows};

/// The largest whole number that JavaScript holds exactly.
const WIRE_INTEGER_MAX: f64 = 9_007_199_254_740_992.0;

#[test]
fn every_operation_has_a_summary_that_fits_on_a_line() {
    let is_summary = |text: &str| {
        text.starts_with(|first: char| first.is_uppercase()) && !text.ends_with('.') && text.chars().count() <= 72
    };
    let summary = |row: &Row| row.input["description"].as_str().and_then(|text| text.lines().next()).map(is_summary);
    assert_eq!(breakers(|row| summary(row) == Some(true)), [""; 0]);
}

#[test]
fn every_input_field_says_what_it_is() {
    let is_said = |text: &str| text.starts_with(char::is_uppercase) && !text.ends_with('.');
    assert_eq!(field_breakers(|_, _, schema| schema["description"].as_str().is_some_and(is_said)), [""; 0]);
}

#[test]
fn every_field_of_an_output_says_what_it_is() {
    for row in rows() {
        for properties in objects(&row.output).into_iter().filter_map(|object| object.get("properties")?.as_object()) {
            let silent: Vec<_> = properties.iter().filter(|(_, schema)| schema["description"].is_null()).collect();
            assert_eq!(silent, [], "{}", row.spec.name);
        }
    }
}

#[test]
fn a_wide_integer_of_an_input_stays_within_what_javascript_holds() {
    let is_narrow = |object: &Map<String, Value>| {
        let is_within =
            |key: &str| object.get(key).and_then(Value::as_f64).is_some_and(|end| end.abs() <= WIRE_INTEGER_MAX);
        !is_wide(object) || (is_within("minimum") && is_within("maximum"))
    };
    assert_eq!(breakers(|row| objects(&row.input).into_iter().all(is_narrow)), [""; 0]);
}

#[test]
fn a_wide_integer_of_an_output_is_a_counter() {
    let is_counter = |object: &Map<String, Value>| !is_wide(object) || object.get("minimum") == Some(&Value::from(0));
    assert_eq!(breakers(|row| objects(&row.output).into_iter().all(is_counter)), [""; 0]);
}

#[test]
fn every_text_list_and_number_of_an_input_has_an_end() {
    let has_end = |object: &Map<String, Value>| {
        let has = |keys: &[&str]| keys.iter().any(|key| object.contains_key(*key));
        match type_of(object) {
            Some("string") => has(&["maxLength", "pattern", "enum", "const"]),
            Some("array") => has(&["maxItems"]),
            Some("integer" | "number") => has(&["minimum"]) && has(&["maximum"]),
            Some(_) | None => true,
        }
    };
    assert_eq!(breakers(|row| objects(&row.input).into_iter().all(has_end)), [""; 0]);
}

#[test]
fn a_listing_that_continues_says_how_and_no_other_does() {
    let continues = |row: &Row| row.field("after").is_some() && row.field("limit").is_some();
    assert_eq!(breakers(|row| row.is_paged == continues(row)), [""; 0]);
}

/// Whether a schema describes an integer that may need more than 53 bits.
fn is_wide(object: &Map<String, Value>) -> bool {
    let format = object.get("format").and_then(Value::as_str);
    matches!(format, Some("int64" | "uint64" | "int128" | "uint128" | "int" | "uint"))
}

/// The type that a schema itself names, besides null.
fn type_of(object: &Map<String, Value>) -> Option<&str> {
    match object.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}
