//! Names and addresses: how an operation is found.

use api::{Dialect, Verb};
use serde_json::Value;

use crate::table::{Row, breakers, repeated, rows};

#[test]
fn no_two_operations_share_a_name() {
    assert_eq!(repeated(rows().iter().map(|row| row.spec.name)), [""; 0]);
}

#[test]
fn no_two_operations_share_a_method_and_a_path() {
    assert_eq!(repeated(rows().iter().map(route)), [""; 0]);
}

#[test]
fn a_name_is_a_few_lower_case_words() {
    let is_name =
        |name: &str| name.split('_').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()));
    assert_eq!(breakers(|row| is_name(row.spec.name)), [""; 0]);
}

#[test]
fn a_path_is_whole_segments_from_the_root() {
    let is_whole = |part: &str| match part.strip_prefix('{') {
        Some(field) => field.strip_suffix('}').is_some_and(|field| !field.is_empty() && !field.contains(['{', '}'])),
        None => !part.is_empty() && !part.contains(['{', '}', '?', ' ']),
    };
    let keeps = |row: &Row| row.spec.path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_whole));
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn a_field_in_the_path_is_a_required_text_of_the_input() {
    let is_required_text = |row: &Row, name: &str| {
        row.requires(name) && row.field(name).is_some_and(|schema| row.types_of(schema) == ["string"])
    };
    assert_eq!(breakers(|row| row.spec.path_fields().all(|name| is_required_text(row, name))), [""; 0]);
}

#[test]
fn a_path_names_each_field_once() {
    assert_eq!(breakers(|row| repeated(row.spec.path_fields()).is_empty()), [""; 0]);
}

/// A query is text: what travels there must be readable from one word.
#[test]
fn what_travels_in_a_query_is_one_word_and_no_list() {
    let is_word =
        |row: &Row, schema: &Value| row.types_of(schema).iter().all(|name| !["array", "object"].contains(name));
    let keeps = |row: &Row| !row.spec.verb.takes_query() || row.fields().all(|(_, schema)| is_word(row, schema));
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn a_tool_is_posted_to_its_own_name() {
    let keeps = |row: &Row| match row.spec.tool {
        Some(_) => row.spec.verb == Verb::Post && row.spec.path == format!("/tools/{}", row.spec.name),
        None => !row.spec.path.starts_with("/tools"),
    };
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn an_operation_stands_where_the_clients_of_its_contract_look() {
    let keeps = |row: &Row| match (row.contract, row.spec.tool, row.spec.dialect()) {
        ("devfleet", None, dialect) => dialect == Dialect::DevFleet,
        ("devfleet" | "claude_fleet" | "fleet", _, dialect) => dialect == Dialect::ClaudeFleet,
        _ => false,
    };
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn success_is_200_or_for_something_new_201() {
    let keeps = |row: &Row| match row.spec.status {
        200 => true,
        201 => row.spec.verb == Verb::Post,
        _ => false,
    };
    assert_eq!(breakers(keeps), [""; 0]);
}

/// The method and the path as a router sees it: two paths that differ in the name of a field alone are one.
fn route(row: &Row) -> String {
    let parts = row.spec.path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    format!("{} {}", row.spec.verb.as_str(), parts.collect::<Vec<_>>().join("/"))
}
