//! An MCP tool is a binding of an operation: its name, the fields it shows and under which names, how it answers.
//!
//! Most tools show some fields of the operation's own input, so they declare no type: [`Words`] derives their schema
//! and translates their arguments. A tool whose contract has another shape declares a type and a conversion.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::{Code, Error, Operation};

/// The audience of a tool; a client sees the tools of its audience by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// An agent at work in a team.
    Agent,
    /// A program or person that plans work and follows it.
    Orchestrator,
    /// A client that runs single workers and workflows, under the names and in the form of [`crate::codefleet`].
    Workers,
}

/// What the table says about one tool.
#[derive(Debug, Clone, Copy)]
pub struct ToolSpec {
    /// Its name for MCP clients.
    pub name: &'static str,
    /// Its audience.
    pub audience: Audience,
    /// The fields of the operation that it shows, in order: `title`, `prompt=detailed_prompt` to rename one,
    /// `project_id!` to require one that the operation does not; `*` for all under their own names.
    pub fields: &'static str,
    /// Fields of the operation that it sets itself, as JSON.
    pub sets: &'static str,
    /// Its description; the operation's, when unset.
    pub description: Option<&'static str>,
    /// Arguments that would be accepted, as JSON; the operation's example in the tool's words, when unset.
    pub example: Option<&'static str>,
}

/// [`ToolSpec::fields`], taken apart.
#[derive(Debug, Clone, Copy)]
struct Words(&'static str);

/// A tool with its types.
#[derive(Debug)]
pub struct Tool<O: Operation> {
    /// Its row.
    pub spec: ToolSpec,
    /// How its arguments become the operation's input.
    pub input: ToolInput<O>,
    /// Makes the schema of its answer.
    pub output: fn(&mut SchemaGenerator) -> Schema,
    /// Makes its answer of the operation's input and output.
    pub answer: fn(O, O::Output) -> Result<Vec<u8>, Error>,
}

/// How the arguments of a tool become an operation's input.
#[derive(Debug)]
pub enum ToolInput<O> {
    /// They are fields of the operation itself, renamed by [`ToolSpec::fields`].
    Fields,
    /// They are a type of their own that converts.
    Wire {
        /// Makes the type's schema.
        schema: fn(&mut SchemaGenerator) -> Schema,
        /// Reads the type and converts it.
        read: fn(Value) -> serde_json::Result<O>,
    },
}

impl ToolSpec {
    /// Starts a tool; the rest has defaults.
    #[must_use]
    pub const fn new(name: &'static str, audience: Audience) -> Self {
        Self { name, audience, fields: "*", sets: "{}", description: None, example: None }
    }

    /// Returns the operation's own name for a field that the tool shows.
    #[must_use]
    pub fn own_field<'a>(&self, shown: &'a str) -> &'a str {
        Words(self.fields).each().find(|(name, ..)| *name == shown).map_or(shown, |(_, own, _)| own)
    }
}

impl<O: Operation> Tool<O> {
    /// Binds a tool that takes fields of the operation and answers with a view of its output.
    #[must_use]
    pub fn new<V>(spec: ToolSpec) -> Self
    where
        V: TryFrom<O::Output, Error: Into<Error>> + Serialize + JsonSchema,
    {
        let answer = |_, output| write(&V::try_from(output).map_err(Into::into)?);
        Self { spec, input: ToolInput::Fields, output: SchemaGenerator::subschema_for::<V>, answer }
    }

    /// Answers with a view of the operation's input and output together.
    #[must_use]
    pub fn answers<V: From<(O, O::Output)> + Serialize + JsonSchema>(self) -> Self {
        let answer = |input, output| write(&V::from((input, output)));
        Self { output: SchemaGenerator::subschema_for::<V>, answer, ..self }
    }

    /// Takes arguments of another type, which converts into the operation's input.
    #[must_use]
    pub fn takes<I: Into<O> + DeserializeOwned + JsonSchema>(self) -> Self {
        let read = |arguments| serde_json::from_value::<I>(arguments).map(Into::into);
        Self { input: ToolInput::Wire { schema: I::json_schema, read }, ..self }
    }

    /// Makes the schema of its arguments.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = match &self.input {
            ToolInput::Fields => self.words(O::json_schema(generator), |own, words| words.schema(&own)),
            ToolInput::Wire { schema, .. } => schema(generator),
        };
        if let Some(description) = self.spec.description {
            schema.insert("description".to_owned(), description.into());
        }
        schema
    }

    /// Reads its arguments as the operation's input: the input, and its fields as the operation names them.
    ///
    /// # Errors
    /// When the arguments do not read as the type, though they fit its schema.
    pub fn read(&self, arguments: Map<String, Value>) -> serde_json::Result<(O, Map<String, Value>)> {
        match &self.input {
            ToolInput::Fields => {
                let mut fields = self.words(arguments, |arguments, words| words.fields(&arguments));
                fields.extend(serde_json::from_str::<Map<String, Value>>(self.spec.sets)?);
                Ok((serde_json::from_value(Value::Object(fields.clone()))?, fields))
            }
            ToolInput::Wire { read, .. } => {
                let op = read(Value::Object(arguments))?;
                let fields = match serde_json::to_value(&op)? {
                    Value::Object(fields) => fields,
                    Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
                };
                Ok((op, fields))
            }
        }
    }

    /// Returns arguments that would be accepted.
    #[must_use]
    pub fn example(&self) -> Value {
        let read = |text: &str| serde_json::from_str::<Map<String, Value>>(text).unwrap_or_default();
        Value::Object(match self.spec.example {
            Some(own) => read(own),
            None => self.words(read(O::SPEC.example), |fields, words| words.shown(&fields)),
        })
    }

    /// Translates by the fields it names; leaves everything as it is if it shows all.
    fn words<T>(&self, whole: T, translate: impl FnOnce(T, Words) -> T) -> T {
        match self.spec.fields {
            "*" => whole,
            fields => translate(whole, Words(fields)),
        }
    }
}

impl Words {
    /// Returns each field as the tool names it, as the operation does, and whether the tool requires it.
    fn each(self) -> impl Iterator<Item = (&'static str, &'static str, bool)> {
        self.0.split_whitespace().map(|word| {
            let (word, required) = word.strip_suffix('!').map_or((word, false), |word| (word, true));
            let (shown, own) = word.split_once('=').unwrap_or((word, word));
            (shown, own, required)
        })
    }

    /// Derives the schema of the tool's arguments from that of the operation's input.
    fn schema(self, own: &Schema) -> Schema {
        let mut schema = own.clone();
        let required = own.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|own| own == name));
        let (mut properties, mut needed) = (Map::new(), Vec::new());
        for (shown, field, requires) in self.each() {
            let mut property = own.pointer(&format!("/properties/{field}")).cloned().unwrap_or_default();
            if requires {
                without_null(&mut property);
            }
            properties.insert(shown.to_owned(), property);
            if requires || is_required(field) {
                needed.push(Value::from(shown));
            }
        }
        schema.remove("required");
        schema.insert("properties".to_owned(), Value::Object(properties));
        if !needed.is_empty() {
            schema.insert("required".to_owned(), Value::Array(needed));
        }
        schema
    }

    /// Translates arguments into the operation's fields.
    fn fields(self, arguments: &Map<String, Value>) -> Map<String, Value> {
        self.each()
            .filter_map(|(shown, own, _)| arguments.get(shown).map(|value| (own.to_owned(), value.clone())))
            .collect()
    }

    /// Translates the operation's fields into arguments.
    fn shown(self, fields: &Map<String, Value>) -> Map<String, Value> {
        self.each()
            .filter_map(|(shown, own, _)| fields.get(own).map(|value| (shown.to_owned(), value.clone())))
            .collect()
    }
}

/// Takes `null` out of what the schema of a field allows: the field must be given where it is shown so.
pub fn without_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            schema["type"] = one.clone();
        }
    }
    let Some(choices) = schema.get_mut("anyOf").and_then(Value::as_array_mut) else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
    if let (1, Some(Value::Object(one))) = (choices.len(), choices.pop())
        && let Some(members) = schema.as_object_mut()
    {
        members.shift_remove("anyOf");
        members.extend(one);
    }
}

fn write(answer: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(answer).map_err(|error| Error::new(Code::INTERNAL, error.to_string()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const WORDS: Words = Words("mission_id=mission! note");

    #[test]
    fn a_tool_shows_the_fields_it_names_under_its_own_names_and_no_others() {
        let own = json!({
            "type": "object", "additionalProperties": false, "required": ["note"],
            "properties": { "mission": { "type": ["string", "null"] }, "note": { "type": "string" }, "x": true },
        });
        let expected = json!({
            "type": "object", "additionalProperties": false, "required": ["mission_id", "note"],
            "properties": { "mission_id": { "type": "string" }, "note": { "type": "string" } },
        });
        assert_eq!(WORDS.schema(&own.try_into().unwrap()).to_value(), expected);
    }

    #[test]
    fn arguments_become_fields_and_fields_become_arguments_again() {
        let arguments = json!({ "mission_id": "m-x7k2m", "note": "n" }).as_object().unwrap().clone();
        let fields = WORDS.fields(&arguments);
        assert_eq!(Value::from(fields.clone()), json!({ "mission": "m-x7k2m", "note": "n" }));
        assert_eq!(WORDS.shown(&fields), arguments);
    }
}
