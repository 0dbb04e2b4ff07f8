//! Names and addresses: how an operation is found.

use api::{Dialect, Verb};
use serde_json::Value;

use crate::table::{Row, breakers, repeated, rows};

#[test]
fn no_two_operations_or_tools_share_a_name() {
    let rows = rows();
    let tools = rows.iter().flat_map(|row| &row.tools).map(|tool| tool.spec.name);
    assert_eq!(repeated(rows.iter().map(|row| row.spec.name).chain(tools)), [""; 0]);
}

#[test]
fn no_two_operations_share_a_method_and_a_path() {
    assert_eq!(repeated(rows().iter().filter_map(route)), [""; 0]);
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
    let keeps = |row: &Row| {
        let path = row.spec.rest.map_or("/none", |rest| rest.path);
        path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_whole))
    };
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn a_field_in_the_path_is_a_text_of_the_input_that_only_a_tool_can_leave_out() {
    let is_text = |row: &Row, name: &str| match row.field(name).map(|schema| row.types_of(schema)) {
        Some(types) if types == ["string"] => row.requires(name),
        Some(types) if types == ["string", "null"] => !row.tools.is_empty(),
        Some(_) | None => false,
    };
    assert_eq!(breakers(|row| row.spec.path_fields().all(|name| is_text(row, name))), [""; 0]);
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
    let takes_query = |row: &Row| row.spec.rest.is_some_and(|rest| rest.verb.takes_query());
    let keeps = |row: &Row| !takes_query(row) || row.fields().all(|(_, schema)| is_word(row, schema));
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn an_operation_can_be_reached_and_a_command_needs_a_path() {
    let keeps = |row: &Row| row.spec.rest.is_some() || (row.spec.cli.is_none() && !row.tools.is_empty());
    assert_eq!(breakers(keeps), [""; 0]);
    let tools = |path: &str| path.starts_with("/tools");
    assert_eq!(breakers(|row| !row.spec.rest.is_some_and(|rest| tools(rest.path))), [""; 0]);
}

#[test]
fn an_operation_is_at_a_path_of_its_contract() {
    let keeps = |row: &Row| match (row.contract, row.spec.rest.map(|_| row.spec.dialect())) {
        (_, None) => true,
        ("devfleet", Some(dialect)) => dialect == Dialect::DevFleet,
        (_, Some(dialect)) => dialect == Dialect::ClaudeFleet,
    };
    assert_eq!(breakers(keeps), [""; 0]);
}

#[test]
fn success_is_200_or_for_something_new_201() {
    let keeps = |row: &Row| match row.spec.status {
        200 => true,
        201 => row.spec.rest.is_some_and(|rest| rest.verb == Verb::Post),
        _ => false,
    };
    assert_eq!(breakers(keeps), [""; 0]);
}

/// The method and the path as a router sees it: two paths that differ in the name of a field alone are one.
fn route(row: &Row) -> Option<String> {
    let rest = row.spec.rest?;
    let parts = rest.path.split('/').map(|part| if part.starts_with('{') { "{}" } else { part });
    Some(format!("{} {}", rest.verb.as_str(), parts.collect::<Vec<_>>().join("/")))
}
