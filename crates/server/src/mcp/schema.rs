//! JSON Schema as MCP clients and the model providers behind them take it.
//!
//! The schemas mean the same as before: what is taken away is what some providers refuse a whole list of tools for.

use serde_json::{Map, Value};

/// Returns a schema of objects in the common subset; none, when it describes something else.
pub(super) fn portable(schema: &Value) -> Option<Map<String, Value>> {
    let mut schema = schema.clone();
    simplify(&mut schema);
    let Value::Object(mut object) = schema else { return None };
    if object.get("type").and_then(Value::as_str) != Some("object") {
        return None;
    }
    // Of an object without fields, some clients still ask which they are.
    object.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    Some(object)
}

fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            drop_width(members);
            join_choices(members);
            members.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `uint32` and its like say what the bounds say already, in words of one language.
fn drop_width(members: &mut Map<String, Value>) {
    let width = members.get("format").and_then(Value::as_str);
    if width.is_some_and(|format| format.starts_with("uint") || format.starts_with("int")) {
        members.shift_remove("format");
    }
}

/// A choice of documented words becomes the plain list of the words.
fn join_choices(members: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = members.get("oneOf") else { return };
    let words: Option<Vec<Value>> = choices.iter().map(|choice| word(choice).cloned()).collect();
    let Some(words) = words else { return };
    members.shift_remove("oneOf");
    members.insert("type".to_owned(), "string".into());
    members.insert("enum".to_owned(), Value::Array(words));
}

fn word(choice: &Value) -> Option<&Value> {
    choice.get("const").filter(|word| word.is_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn widths_go_and_documented_words_become_a_list() {
        let schema = json!({
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "format": "uint32", "minimum": 0 },
                "at": { "type": "string", "format": "date-time" },
                "filter": { "oneOf": [{ "const": "all", "description": "All" }, { "const": "mine" }], "default": "all" },
            },
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "limit": { "type": "integer", "minimum": 0 },
                "at": { "type": "string", "format": "date-time" },
                "filter": { "default": "all", "type": "string", "enum": ["all", "mine"] },
            },
        });
        assert_eq!(portable(&schema).map(Value::Object), Some(expected));
    }

    #[test]
    fn an_object_without_fields_says_so_and_a_list_is_no_object() {
        assert_eq!(portable(&json!({ "type": "object" })).unwrap()["properties"], json!({}));
        assert_eq!(portable(&json!({ "type": "array" })), None);
        assert_eq!(portable(&json!(true)), None);
    }

    #[test]
    fn a_choice_of_shapes_stays_a_choice() {
        let schema =
            json!({ "type": "object", "properties": { "x": { "oneOf": [{ "type": "string" }, { "const": "a" }] } } });
        assert_eq!(portable(&schema).map(Value::Object), Some(schema));
    }
}
