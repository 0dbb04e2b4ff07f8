//! Tools: each is a binding that shows fields of its operation.

use serde_json::Value;

use crate::table::{Row, ToolRow, rows};

fn tool_breakers(keeps: impl Fn(&Row, &ToolRow) -> bool) -> Vec<&'static str> {
    let rows = rows();
    let tools = rows.iter().flat_map(|row| row.tools.iter().map(move |tool| (row, tool)));
    tools.filter(|(row, tool)| !keeps(row, tool)).map(|(_, tool)| tool.spec.name).collect()
}

/// The names on the right of `shown=own`, without marks.
fn own_names(tool: &ToolRow) -> Vec<&'static str> {
    let words = tool.spec.fields.split_whitespace().map(|word| word.trim_end_matches('!'));
    words.map(|word| word.split_once('=').map_or(word, |(_, own)| own)).collect()
}

#[test]
fn a_tool_names_and_sets_only_fields_of_its_operation() {
    let keeps = |row: &Row, tool: &ToolRow| {
        let sets: Value = serde_json::from_str(tool.spec.sets).unwrap_or_default();
        let set: Vec<&str> = sets.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
        let named = if tool.spec.fields == "*" { Vec::new() } else { own_names(tool) };
        sets.is_object() && named.iter().chain(&set).all(|name| row.field(name).is_some())
    };
    assert_eq!(tool_breakers(keeps), [""; 0]);
}

#[test]
fn a_tool_shows_or_sets_whatever_its_operation_requires() {
    let keeps = |row: &Row, tool: &ToolRow| {
        let names = own_names(tool);
        let given = |name: &str| names.contains(&name) || tool.spec.sets.contains(&format!("\"{name}\""));
        !tool.shows_fields || names == ["*"] || row.fields().all(|(name, _)| !row.requires(name) || given(name))
    };
    assert_eq!(tool_breakers(keeps), [""; 0]);
}

#[test]
fn the_example_of_a_tool_fits_its_schema_and_reads_as_its_operation() {
    let fits =
        |tool: &ToolRow| jsonschema::draft202012::new(&tool.input).is_ok_and(|schema| schema.is_valid(&tool.example));
    assert_eq!(tool_breakers(|_, tool| tool.reads && fits(tool)), [""; 0]);
}

#[test]
fn a_tool_of_another_type_has_an_example_and_refuses_unknown_fields() {
    let keeps = |_: &Row, tool: &ToolRow| tool.shows_fields || tool.spec.example.is_some();
    assert_eq!(tool_breakers(keeps), [""; 0]);
    assert_eq!(tool_breakers(|_, tool| tool.input["additionalProperties"] == Value::Bool(false)), [""; 0]);
}
