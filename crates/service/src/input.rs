//! From what a client sent to an operation's input: coerced, checked against its schema, unknown fields dealt with.

use std::collections::{HashMap, HashSet};

use api::{Code, Dialect, Error, FieldProblem, Spec, Target, ToolSpec, UnknownFields, Verb};
use jsonschema::Validator;
use jsonschema::error::ValidationErrorKind;
use schemars::Schema;
use serde_json::{Map, Value};

use crate::{input_choices, target};

/// Unknown fields of one input for which the one that was meant is looked for.
const HINTS_MAX: usize = 10;

/// The longest name that is looked at or repeated.
const NAME_BYTES_MAX: usize = 60;

/// What an operation takes, ready to check inputs against.
#[derive(Debug)]
pub struct Contract {
    /// The schema of one input object, without references.
    pub schema: Value,
    fields: HashMap<String, Form>,
    validator: Validator,
    rules: InputRules,
}

/// What the table says about the input of one binding.
#[derive(Debug)]
pub struct InputRules {
    /// The operation's row.
    pub spec: Spec,
    /// The tool's row, for one that is a tool.
    pub tool: Option<ToolSpec>,
    /// What happens to fields it does not know.
    pub unknown_fields: UnknownFields,
    /// Fields that its path shows, which a client may send back.
    pub read_back: HashSet<String>,
}

/// An input that was checked.
#[derive(Debug)]
pub enum Checked {
    /// It is what the operation takes.
    Input {
        /// Its fields.
        fields: Map<String, Value>,
        /// What the caller should know of it.
        warnings: Vec<String>,
    },
    /// It asks for a list of what has a value that nothing can have.
    MatchesNothing,
}

/// Something that is wrong with an input.
#[derive(Debug, PartialEq)]
struct Problem {
    field: FieldProblem,
    /// The text that was given, where it names something that cannot exist: an id of no such form, an unknown choice.
    names_nothing: Option<String>,
}

/// An input as it came, from path, query and body together.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Fields of a body, as JSON has them.
    pub fields: Map<String, Value>,
    /// Fields of path and query, which are texts whatever they stand for; they win over the body.
    pub texts: Vec<(String, String)>,
    /// The idempotency key that the client gave the call.
    pub key: Option<String>,
}

impl From<Map<String, Value>> for Given {
    fn from(fields: Map<String, Value>) -> Self {
        Self { fields, ..Self::default() }
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
    /// Prepares a schema.
    ///
    /// # Errors
    /// Fails when the schema is not one, which a test over all operations rules out.
    pub fn new(schema: Schema, rules: InputRules) -> Result<Self, String> {
        let schema = Value::from(schema);
        let validator = jsonschema::draft202012::new(&schema).map_err(|error| error.to_string())?;
        let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let fields = properties.into_iter().map(|(name, field)| (name, Form::of(&field))).collect();
        Ok(Self { schema, fields, validator, rules })
    }

    /// Returns the checked input, and what its caller should know of it.
    ///
    /// # Errors
    /// Names every field at fault. An id of a form that Fleet does not have names nothing, so it is refused in the words
    /// for what does not exist.
    pub fn check(&self, given: Given) -> Result<Checked, Error> {
        let from_body: HashSet<String> = given.fields.keys().cloned().collect();
        let mut fields = self.merge(given);
        if self.rules.unknown_fields.takes_rows() {
            // Clients of the contracts send null for "leave it": it means the same as saying nothing.
            fields.retain(|_, value| !value.is_null());
        }
        let warnings = self.drop_unknown(&mut fields, &from_body);
        let input = Value::Object(fields);
        let problems = self.problems(&input);
        if !problems.is_empty() {
            return self.refuse(problems);
        }
        let Value::Object(fields) = input else { return Err(Error::fields(Vec::new())) };
        Ok(Checked::Input { fields, warnings })
    }

    fn refuse(&self, problems: Vec<Problem>) -> Result<Checked, Error> {
        if problems.iter().all(|problem| self.filters(problem)) {
            return Ok(Checked::MatchesNothing);
        }
        let in_path = |problem: &&Problem| {
            let name = problem.field.path.first();
            self.rules.tool.is_none()
                && name.is_some_and(|name| self.rules.spec.path_fields().any(|field| field == name))
        };
        let absent = match problems.iter().find(in_path) {
            Some(problem) => Some(self.absent(problem).unwrap_or_else(|| nothing(problem))),
            None if problems.iter().all(|problem| self.absent(problem).is_some()) => {
                problems.first().and_then(|problem| self.absent(problem))
            }
            None => None,
        };
        Err(absent.unwrap_or_else(|| Error::fields(problems.into_iter().map(|problem| problem.field).collect())))
    }

    /// Returns the words for what does not exist, for a problem with a field that names what the operation acts on.
    fn absent(&self, problem: &Problem) -> Option<Error> {
        let (name, given) = (problem.field.path.first()?, problem.names_nothing.as_ref()?);
        let own = self.rules.tool.map_or(name.as_str(), |tool| tool.own_field(name));
        let target = self.rules.spec.targets.iter().find(|target| target.field() == Some(own))?;
        (!matches!(target, Target::Team(_))).then(|| target::absent(&self.rules.spec, *target, given))
    }

    /// Returns whether a problem is with what a list is narrowed by: under `/api`, nothing is in the list then.
    fn filters(&self, problem: &Problem) -> bool {
        let spec = &self.rules.spec;
        let lists = spec.rest.is_some_and(|rest| rest.verb == Verb::Get) && spec.targets.contains(&Target::Seen);
        let [name] = problem.field.path.as_slice() else { return false };
        let optional = || self.schema["properties"][name].to_string().contains(r#""null""#);
        let narrows = spec.path_fields().any(|field| field == name) || optional();
        let own = self.rules.tool.is_none() && spec.dialect() == Dialect::DevFleet;
        own && lists && narrows && problem.names_nothing.is_some()
    }

    fn merge(&self, given: Given) -> Map<String, Value> {
        let mut fields = given.fields;
        if self.rules.unknown_fields.takes_rows() {
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

    /// Removes the unknown fields that are not refused, and says so.
    fn drop_unknown(&self, fields: &mut Map<String, Value>, from_body: &HashSet<String>) -> Vec<String> {
        let drops = |name: &String| match self.rules.unknown_fields {
            UnknownFields::Refuse => false,
            UnknownFields::ReadBack => from_body.contains(name) && self.rules.read_back.contains(name),
            UnknownFields::Drop => from_body.contains(name),
        };
        let unknown = fields.keys().filter(|name| !self.fields.contains_key(*name) && drops(name)).cloned();
        let unknown: Vec<String> = unknown.collect();
        for name in &unknown {
            fields.remove(name);
        }
        if unknown.is_empty() {
            return Vec::new();
        }
        if self.rules.unknown_fields == UnknownFields::ReadBack {
            return vec![format!("fields that cannot be set were ignored: {}", unknown.join(", "))];
        }
        let dropped =
            |(at, name): (usize, &String)| format!("unknown field `{name}` was dropped{}", self.hint(at, name));
        unknown.iter().enumerate().map(dropped).collect()
    }

    /// Names the field that was probably meant. Names come from the client: few, and short ones, are looked at.
    fn hint(&self, at: usize, name: &str) -> String {
        let looks = at < HINTS_MAX && name.len() <= NAME_BYTES_MAX;
        let known = self.fields.keys().map(String::as_str);
        let meant = looks.then(|| config::closest(name, known)).flatten();
        meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default()
    }

    fn problems(&self, input: &Value) -> Vec<Problem> {
        let errors = self.validator.iter_errors(input);
        let mut problems: Vec<_> = errors.flat_map(|error| self.problem(&error, input)).collect();
        problems.dedup();
        problems
    }

    fn problem(&self, error: &jsonschema::ValidationError<'_>, input: &Value) -> Vec<Problem> {
        let pointer = error.instance_path().to_string();
        let unescape = |part: &str| part.replace("~1", "/").replace("~0", "~");
        let path: Vec<String> = pointer.split('/').skip(1).map(unescape).collect();
        let at = |name: &str, message: String, missing: bool| {
            let path = path.iter().cloned().chain([name.to_owned()]).collect();
            Problem { field: FieldProblem { path, message, given: None, missing }, names_nothing: None }
        };
        let unknown = |(at_index, name): (usize, &String)| {
            let hint = if path.is_empty() { self.hint(at_index, name) } else { String::new() };
            at(name, format!("is not a field of this operation{hint}"), false)
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "all other keywords speak of the value at the path itself")]
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                vec![at(property.as_str().unwrap_or_default(), "is required".to_owned(), true)]
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                unexpected.iter().enumerate().map(unknown).collect()
            }
            // An object that takes no field at all refuses each of them without a name.
            ValidationErrorKind::FalseSchema if path.is_empty() => {
                input.as_object().into_iter().flat_map(Map::keys).enumerate().map(unknown).collect()
            }
            kind => {
                let given = input.pointer(&pointer).filter(|value| value.to_string().len() <= 200).cloned();
                let is_choice = matches!(
                    kind,
                    ValidationErrorKind::Pattern { .. }
                        | ValidationErrorKind::Enum { .. }
                        | ValidationErrorKind::OneOfNotValid { .. }
                        | ValidationErrorKind::AnyOf { .. }
                );
                let text = error.instance().as_str().filter(|_| is_choice);
                let names_nothing = text.map(|text| text.chars().take(NAME_BYTES_MAX).collect());
                vec![Problem {
                    field: FieldProblem { path, message: explain(error, &self.schema), given, missing: false },
                    names_nothing,
                }]
            }
        }
    }
}

/// The refusal of a path that names nothing.
fn nothing(problem: &Problem) -> Error {
    let shown = problem.field.given.as_ref().and_then(Value::as_str).unwrap_or("that");
    Error::new(Code::ID_NOT_FOUND, format!("no object with id `{shown}`"))
        .hint("`fleet mission list` and `fleet project list` show what there is.")
}

/// Says what is wrong in words that hold no more of the input than is needed.
fn explain(error: &jsonschema::ValidationError<'_>, schema: &Value) -> String {
    #[expect(clippy::wildcard_enum_match_arm, reason = "the library words the rest well enough")]
    match error.kind() {
        ValidationErrorKind::Pattern { pattern } => unlike(pattern),
        ValidationErrorKind::MinLength { limit: 1 } => "must not be empty".to_owned(),
        ValidationErrorKind::MinLength { limit } => format!("must have at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::OneOfNotValid { .. }
        | ValidationErrorKind::AnyOf { .. }
        | ValidationErrorKind::Enum { .. }
        | ValidationErrorKind::Constant { .. } => {
            let given = || error.instance().to_string().chars().take(40).collect::<String>();
            let listed = input_choices::allowed(error, schema);
            let form = || input_choices::pattern(error, schema).map(|pattern| unlike(&pattern));
            listed.or_else(form).unwrap_or_else(|| format!("{} is none of the values it can have", given()))
        }
        _ => error.masked_with("it").to_string().trim_start_matches("it ").to_owned(),
    }
}

/// Says that a text has not the form of a pattern.
fn unlike(pattern: &str) -> String {
    match id_prefix(pattern) {
        Some(prefix) => format!("is not an id like `{prefix}-x7k2m`"),
        None => format!("takes {}", in_words(pattern)),
    }
}

/// Says what a pattern allows: a person does not read a regular expression.
fn in_words(pattern: &str) -> &'static str {
    match pattern {
        "^[A-Za-z0-9_-]{1,50}$" => "1 to 50 letters, digits, `_` or `-`",
        "^[A-Za-z0-9_-]{1,100}$" => "1 to 100 letters, digits, `_` or `-`",
        "^[0-9a-f]{24}$" => "24 hexadecimal digits",
        _ => "another form; the reference of the operation shows it",
    }
}

/// Returns the prefix of the ids that a pattern describes, if it is one of ids.
fn id_prefix(pattern: &str) -> Option<&str> {
    pattern.strip_prefix('^')?.split_once("-[2-9a-hjkmnp-z]").map(|(prefix, _)| prefix)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn patterns(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(members) => {
                found.extend(members.get("pattern").and_then(Value::as_str).map(str::to_owned));
                members.values().for_each(|value| patterns(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| patterns(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    #[test]
    fn every_pattern_of_an_input_is_said_in_words() {
        struct Patterns(Vec<String>);
        impl api::Visitor for Patterns {
            fn operation<O: api::Operation>(&mut self) {
                patterns(&schemars::schema_for!(O).to_value(), &mut self.0);
            }
        }
        let mut all = Patterns(Vec::new());
        api::visit(&mut all);
        assert!(!all.0.is_empty());
        for pattern in all.0 {
            let is_said = id_prefix(&pattern).is_some() || !in_words(&pattern).starts_with("another form");
            assert!(is_said, "{pattern}");
        }
    }
}
