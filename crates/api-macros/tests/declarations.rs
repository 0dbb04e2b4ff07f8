//! What the attributes make of a declaration.

use fleet_api_macros::{fields, input, output};
use serde_json::{Value, json};

/// A group.
#[fields(Default)]
pub struct Page {
    /// Most entries.
    pub limit: Option<u32>,
    #[serde(rename = "from")]
    /// Where it begins.
    pub start: Option<String>,
}

/// Adds a thing.
#[input(camelCase, update(UpdateThing, "Changes a thing.", thing: String, "Which."))]
pub struct AddThing {
    /// Whose it is.
    #[create]
    pub owner_name: String,
    /// What it is called.
    pub full_name: String,
    /// What it is good for.
    #[serde(default)]
    pub uses: u32,
    /// What is in it.
    pub parts: Vec<String>,
    /// What it costs.
    pub price: Option<u32>,
    /// Whether it is gone.
    #[update]
    pub is_gone: Option<bool>,
    #[group]
    pub page: Page,
}

/// A thing.
#[output(Default)]
pub struct Thing {
    /// What it costs, null if unknown.
    pub price: Option<u32>,
}

fn names(schema: &schemars::Schema, key: &str) -> Vec<String> {
    match schema.get(key) {
        Some(Value::Object(fields)) => fields.keys().cloned().collect(),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn an_input_refuses_other_fields_and_needs_those_that_cannot_be_left_out() {
    let schema = schemars::schema_for!(AddThing);
    assert_eq!(schema.get("additionalProperties"), Some(&Value::Bool(false)));
    assert_eq!(names(&schema, "properties"), ["ownerName", "fullName", "uses", "parts", "price", "limit", "from"]);
    assert_eq!(names(&schema, "required"), ["ownerName", "fullName"]);
    let least: AddThing = serde_json::from_value(json!({ "ownerName": "a", "fullName": "b" })).unwrap();
    assert_eq!(serde_json::to_value(least).unwrap(), json!({ "ownerName": "a", "fullName": "b", "uses": 0 }));
}

#[test]
fn an_update_names_its_object_and_may_leave_out_every_other_field() {
    let schema = schemars::schema_for!(UpdateThing);
    assert_eq!(schema.get("description"), Some(&json!("Changes a thing.")));
    assert_eq!(names(&schema, "required"), ["thing"]);
    let all = ["thing", "fullName", "uses", "parts", "price", "isGone", "limit", "from"];
    assert_eq!(names(&schema, "properties"), all);
    let said = json!({ "thing": "t", "uses": 0, "parts": [], "from": "x" });
    let update: UpdateThing = serde_json::from_value(said.clone()).unwrap();
    assert_eq!((update.uses, update.parts.as_deref(), update.full_name.as_ref()), (Some(0), Some(&[][..]), None));
    assert_eq!(serde_json::to_value(update).unwrap(), said, "what was said is kept, and nothing else");
}

#[test]
fn an_output_shows_what_it_does_not_have_as_null() {
    assert_eq!(serde_json::to_value(Thing::default()).unwrap(), json!({ "price": null }));
}
