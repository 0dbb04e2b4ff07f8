//! From what a client sent to an operation's input: coerced, checked against its schema, unknown fields dealt with.

use std::collections::HashMap;

use api::{Code, Error, FieldProblem, UnknownFields};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use schemars::Schema;
use serde_json::{Map, Value};

/// What an operation takes, ready to check inputs against.
#[derive(Debug)]
pub struct Contract {
    /// The schema of one input object, without references.
    pub schema: Value,
    fields: HashMap<String, Form>,
    validator: Validator,
    unknown_fields: UnknownFields,
    in_path: Vec<&'static str>,
}

/// An input as it came, from path, query and body together.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Fields of a body, as JSON has them.
    pub fields: Map<String, Value>,
    /// Fields of path and query, which are texts whatever they stand for; they win over the body.
    pub texts: Vec<(String, String)>,
}

impl From<Map<String, Value>> for Given {
    fn from(fields: Map<String, Value>) -> Self {
        Self { fields, texts: Vec::new() }
    }
}

/// What a field's text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Integer,
    Number,
    Boolean,
    List,
}

impl Contract {
    /// Prepares a schema; what is wrong with a field that travels in the path is "not found".
    ///
    /// # Errors
    /// Fails when the schema is not one, which a test over all operations rules out.
    pub fn new(schema: Schema, unknown_fields: UnknownFields, in_path: Vec<&'static str>) -> Result<Self, String> {
        let schema = Value::from(schema);
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let fields = properties.into_iter().map(|(name, field)| (name, Form::of(&field))).collect();
        Ok(Self { schema, fields, validator, unknown_fields, in_path })
    }

    /// Returns the checked input, and the fields that were dropped from it.
    ///
    /// # Errors
    /// Names every field at fault. A path field that is no id of its kind names nothing, so it is "not found".
    pub fn check(&self, given: Given) -> Result<(Map<String, Value>, Vec<String>), Error> {
        let mut fields = self.merge(given);
        let dropped = match self.unknown_fields {
            UnknownFields::Refuse => Vec::new(),
            UnknownFields::Drop => {
                // Clients of the contracts send null for "leave it": it means the same as saying nothing.
                fields.retain(|_, value| !value.is_null());
                self.drop_unknown(&mut fields)
            }
        };
        let input = Value::Object(fields);
        let problems = self.problems(&input);
        if problems.is_empty() {
            let Value::Object(fields) = input else { return Ok((Map::new(), dropped)) };
            return Ok((fields, dropped));
        }
        let in_path = |problem: &FieldProblem| {
            problem.path.first().is_some_and(|name| self.in_path.iter().any(|field| field == name))
        };
        match problems.iter().find(|problem| in_path(problem)) {
            Some(problem) => {
                let shown = problem.given.as_ref().and_then(Value::as_str).unwrap_or("that");
                Err(Error::new(Code::ID_NOT_FOUND, format!("no object with id `{shown}`"))
                    .hint("`fleet mission list` and `fleet project list` show what there is."))
            }
            None => Err(Error::fields(problems)),
        }
    }

    fn merge(&self, given: Given) -> Map<String, Value> {
        let mut fields = given.fields;
        if self.unknown_fields == UnknownFields::Drop {
            for (name, value) in &mut fields {
                let read = self.fields.get(name).and_then(|form| form.of_row(value));
                *value = read.unwrap_or_else(|| value.take());
            }
        }
        for (name, text) in given.texts {
            let read = self.fields.get(&name).and_then(|form| form.of_text(&text));
            fields.insert(name, read.unwrap_or(Value::String(text)));
        }
        fields
    }

    fn drop_unknown(&self, fields: &mut Map<String, Value>) -> Vec<String> {
        let unknown: Vec<String> = fields.keys().filter(|name| !self.fields.contains_key(*name)).cloned().collect();
        for name in &unknown {
            fields.remove(name);
        }
        unknown
    }

    fn problems(&self, input: &Value) -> Vec<FieldProblem> {
        let mut problems: Vec<_> = self.validator.iter_errors(input).flat_map(|error| problem(&error, input)).collect();
        problems.dedup();
        problems
    }
}

fn problem(error: &jsonschema::ValidationError<'_>, input: &Value) -> Vec<FieldProblem> {
    let pointer = error.instance_path().to_string();
    let path: Vec<String> = pointer.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    let at = |name: &str, message: &str, missing: bool| FieldProblem {
        path: path.iter().cloned().chain([name.to_owned()]).collect(),
        message: message.to_owned(),
        given: None,
        missing,
    };
    let unknown = |name: &str| at(name, "is not a field of this operation", false);
    #[expect(clippy::wildcard_enum_match_arm, reason = "all other keywords speak of the value at the path itself")]
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            vec![at(property.as_str().unwrap_or_default(), "is required", true)]
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|name| unknown(name)).collect()
        }
        // An object that takes no field at all refuses each of them without a name.
        ValidationErrorKind::FalseSchema if path.is_empty() => {
            input.as_object().into_iter().flat_map(Map::keys).map(|name| unknown(name)).collect()
        }
        _ => {
            let given = input.pointer(&pointer).filter(|value| value.to_string().len() <= 200).cloned();
            vec![FieldProblem { path, message: explain(error), given, missing: false }]
        }
    }
}

/// Says what is wrong in words that hold no more of the input than is needed.
fn explain(error: &jsonschema::ValidationError<'_>) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the library words the rest well enough")]
    match error.kind() {
        ValidationErrorKind::Pattern { pattern } => format!("does not match `{pattern}`"),
        ValidationErrorKind::MinLength { limit } => format!("must have at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::OneOfNotValid { .. } | ValidationErrorKind::AnyOf { .. } => {
            let given: String = error.instance().to_string().chars().take(40).collect();
            format!("{given} is none of the values it can have")
        }
        _ => error.masked_with("it").to_string().trim_start_matches("it ").to_owned(),
    }
}

impl Form {
    /// Reads the form off a field's schema; a choice of texts is a text.
    fn of(field: &Value) -> Self {
        let types: Vec<&str> = match field.get("type") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            Some(_) | None => Vec::new(),
        };
        let has = |name| types.contains(&name);
        if has("integer") {
            Self::Integer
        } else if has("number") {
            Self::Number
        } else if has("boolean") {
            Self::Boolean
        } else if has("array") {
            Self::List
        } else {
            Self::Text
        }
    }

    /// Reads a text as what the field holds; what cannot be read stays a text, for the check to refuse.
    fn of_text(self, text: &str) -> Option<Value> {
        match self {
            Self::Text => None,
            Self::Integer => text.parse::<i64>().ok().map(Value::from),
            // JSON has no infinity: turned into one it would be null, and a ceiling would silently be none.
            Self::Number => text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::from),
            Self::Boolean => match text {
                "true" | "1" => Some(true.into()),
                "false" | "0" => Some(false.into()),
                _ => None,
            },
            Self::List => serde_json::from_str(text).ok().filter(Value::is_array),
        }
    }

    /// Reads what rows of a contract show: flags as 0 and 1, lists as JSON text. What was read can be sent back.
    fn of_row(self, value: &Value) -> Option<Value> {
        match (self, value) {
            (Self::Boolean, Value::Number(flag)) => {
                flag.as_u64().filter(|flag| *flag < 2).map(|flag| (flag == 1).into())
            }
            (Self::List, Value::String(text)) => self.of_text(text),
            (Self::Text | Self::Integer | Self::Number | Self::Boolean | Self::List, _) => None,
        }
    }
}
