//! The five operations of every kind of plain records: create, list, show, update, delete.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use types::RecordKind;

use crate::Page;

/// Creates a record of a kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Create<K: RecordKind>(pub K);

/// Lists the records of a kind, by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct List<K: RecordKind> {
    /// Which page of them.
    #[serde(flatten)]
    pub page: Page,
    #[serde(skip)]
    kind: PhantomData<fn() -> K>,
}

/// Shows a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Get<K: RecordKind> {
    /// Which.
    pub id: K::Id,
}

/// Changes fields of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Update<K: RecordKind> {
    /// Which.
    pub id: K::Id,
    /// The fields that change, with their new values.
    #[serde(flatten)]
    pub changes: Map<String, Value>,
}

/// Deletes a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Delete<K: RecordKind> {
    /// Which.
    pub id: K::Id,
}

macro_rules! described {
    ($($input:ident: $text:literal => |$generator:ident| $schema:expr;)*) => {
        $(impl<K: RecordKind> JsonSchema for $input<K> {
            fn schema_name() -> Cow<'static, str> {
                format!("{}{}", stringify!($input), K::schema_name()).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                let mut schema: Schema = $schema;
                schema.insert("description".to_owned(), format!($text, K::NOUN).into());
                schema.insert("additionalProperties".to_owned(), false.into());
                schema
            }
        })*
    };
}

described! {
    Create: "Create a {}" => |generator| K::json_schema(generator);
    List: "List the records of a kind: {}" => |generator| Page::json_schema(generator);
    Get: "Show a {}" => |generator| named::<K>(generator, Map::new());
    Update: "Update a {}\n\nOmitted fields are unchanged." => |generator| {
        let own = K::json_schema(generator).get("properties").and_then(Value::as_object).cloned();
        let mut fields = own.unwrap_or_default();
        // What is left out stays as it is, whatever it would be in a new record.
        fields.values_mut().filter_map(Value::as_object_mut).for_each(|field| drop(field.remove("default")));
        named::<K>(generator, fields)
    };
    Delete: "Delete a {}" => |generator| named::<K>(generator, Map::new());
}

/// The schema of an input that names a record and may have more fields.
fn named<K: RecordKind>(generator: &mut SchemaGenerator, fields: Map<String, Value>) -> Schema {
    let mut id = K::Id::json_schema(generator);
    id.insert("description".to_owned(), format!("The {}", K::NOUN).into());
    let properties: Map<String, Value> = [("id".to_owned(), id.into())].into_iter().chain(fields).collect();
    schemars::json_schema!({ "type": "object", "properties": json!(properties), "required": ["id"] })
}
