//! The table as the laws see it: every row with the schemas of its input and output.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// One operation, without its types.
pub(crate) struct Row {
    pub(crate) spec: api::Spec,
    /// Whose contract it is from: `devfleet`, `claude_fleet`, or `fleet` for our own.
    pub(crate) contract: &'static str,
    pub(crate) is_paged: bool,
    pub(crate) input: Value,
    pub(crate) output: Value,
    /// Reads an input and writes it back.
    pub(crate) round_trip: fn(Value) -> serde_json::Result<Value>,
    pub(crate) tools: Vec<ToolRow>,
}

/// One tool of an operation, without its types.
pub(crate) struct ToolRow {
    pub(crate) spec: api::ToolSpec,
    /// Whether its arguments are fields of the operation.
    pub(crate) shows_fields: bool,
    pub(crate) example: Value,
    pub(crate) input: Value,
    /// Whether its example reads as the operation's input.
    pub(crate) reads: bool,
}

/// Every row of the table, in its order.
pub(crate) fn rows() -> Vec<Row> {
    struct Rows(Vec<Row>);
    impl api::Visitor for Rows {
        fn operation<O: api::Operation>(&mut self) {
            self.0.push(row::<O>());
        }
    }
    let mut rows = Rows(Vec::new());
    api::visit(&mut rows);
    rows.0
}

fn row<O: api::Operation>() -> Row {
    let draft = SchemaSettings::draft2020_12;
    let inlined = || draft().for_deserialize().with(|settings| settings.inline_subschemas = true);
    let tool = |tool: api::Tool<O>| ToolRow {
        spec: tool.spec,
        shows_fields: matches!(tool.input, api::ToolInput::Fields),
        example: tool.example(),
        input: tool.schema(&mut inlined().into_generator()).to_value(),
        reads: tool.example().as_object().is_some_and(|example| tool.read(example.clone()).is_ok()),
    };
    Row {
        spec: O::SPEC,
        contract: contract::<O>(),
        is_paged: O::PAGED,
        input: draft().for_deserialize().into_generator().into_root_schema_for::<O>().to_value(),
        output: draft().for_serialize().into_generator().into_root_schema_for::<O::Output>().to_value(),
        round_trip: |input| serde_json::from_value::<O>(input).and_then(serde_json::to_value),
        tools: O::tools().into_iter().map(tool).collect(),
    }
}

/// Plain records are our own, whatever their kind.
fn contract<O: api::Operation>() -> &'static str {
    let module = std::any::type_name::<O>().split("::").nth(1).unwrap_or_default();
    if module == "records" { "fleet" } else { module }
}

impl Row {
    /// The fields of the input with their schemas.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        let properties = self.input.get("properties").and_then(Value::as_object);
        properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
    }

    pub(crate) fn field(&self, name: &str) -> Option<&Value> {
        self.fields().find(|(field, _)| *field == name).map(|(_, schema)| schema)
    }

    pub(crate) fn requires(&self, name: &str) -> bool {
        self.input["required"].as_array().is_some_and(|required| required.iter().any(|field| field == name))
    }

    /// The JSON types that a schema of the input lets through, whether it says so itself or refers to another.
    pub(crate) fn types_of<'a>(&'a self, schema: &'a Value) -> Vec<&'a str> {
        if let Some(reference) = schema["$ref"].as_str() {
            let target = self.input.pointer(reference.trim_start_matches('#'));
            return target.map(|target| self.types_of(target)).unwrap_or_default();
        }
        let own = match &schema["type"] {
            Value::String(name) => vec![name.as_str()],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
        };
        let choices = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
        own.into_iter().chain(choices.flat_map(|choice| self.types_of(choice))).collect()
    }

    /// The example of the table; `null` if it is not JSON, which no input is.
    pub(crate) fn example(&self) -> Value {
        serde_json::from_str(self.spec.example).unwrap_or_default()
    }
}

/// The names of the operations that do not keep a law.
pub(crate) fn breakers(keeps: impl Fn(&Row) -> bool) -> Vec<&'static str> {
    rows().iter().filter(|row| !keeps(row)).map(|row| row.spec.name).collect()
}

/// The input fields that do not keep a law, as `operation.field`.
pub(crate) fn field_breakers(keeps: impl Fn(&Row, &str, &Value) -> bool) -> Vec<String> {
    let rows = rows();
    let fields = rows.iter().flat_map(|row| row.fields().map(move |(name, schema)| (row, name, schema)));
    let broken = fields.filter(|(row, name, schema)| !keeps(row, name, schema));
    broken.map(|(row, name, _)| format!("{}.{name}", row.spec.name)).collect()
}

/// Every JSON object within a schema, the schema itself included.
pub(crate) fn objects(schema: &Value) -> Vec<&Map<String, Value>> {
    let (own, children): (_, Vec<&Value>) = match schema {
        Value::Object(members) => (Some(members), members.values().collect()),
        Value::Array(items) => (None, items.iter().collect()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => (None, Vec::new()),
    };
    own.into_iter().chain(children.into_iter().flat_map(objects)).collect()
}

/// The items that occur more than once.
pub(crate) fn repeated<T: Ord + Clone>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut items: Vec<_> = items.into_iter().collect();
    items.sort();
    items.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0].clone()).collect()
}
