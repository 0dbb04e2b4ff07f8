//! What a field takes, read from its JSON schema.

use serde_json::Value;

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// One of a few words, each with what it means.
    Choice(Vec<(String, String)>),
    /// Yes or no.
    Switch,
    /// A whole number within bounds.
    Integer {
        /// The least.
        min: i64,
        /// The most.
        max: i64,
    },
    /// A number within bounds.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
    },
    /// Any number of what is inside.
    List(Box<Self>),
    /// JSON as text.
    Json,
    /// A text.
    Text {
        /// Whether it is an id, of which the beginning will do.
        is_id: bool,
        /// Whether it may span pages, so that one would rather have it read from a file.
        is_long: bool,
    },
}

/// From this length on, text is not typed on a command line.
const LONG_TEXT: u64 = 10_000;

impl Kind {
    /// Reads a schema in which nothing refers to anything else.
    pub(crate) fn of(schema: &Value) -> Self {
        let parts = parts(schema);
        let choices: Vec<_> = parts.iter().flat_map(|part| choices(part)).collect();
        if !choices.is_empty() {
            return Self::Choice(choices);
        }
        let typed = |name: &str| parts.iter().copied().find(|part| has_type(part, name));
        if typed("boolean").is_some() {
            Self::Switch
        } else if let Some(part) = typed("integer") {
            let bound = |key: &str, otherwise| part[key].as_f64().map_or(otherwise, |bound| bound as i64);
            Self::Integer { min: bound("minimum", i64::MIN), max: bound("maximum", i64::MAX) }
        } else if let Some(part) = typed("number") {
            let bound = |key: &str, otherwise| part[key].as_f64().unwrap_or(otherwise);
            Self::Number { min: bound("minimum", f64::MIN), max: bound("maximum", f64::MAX) }
        } else if let Some(part) = typed("array") {
            Self::List(Box::new(Self::of(&part["items"])))
        } else if typed("object").is_some() {
            Self::Json
        } else {
            Self::text(&parts)
        }
    }

    fn text(parts: &[&Value]) -> Self {
        let pattern = parts.iter().find_map(|part| part["pattern"].as_str());
        let length = parts.iter().find_map(|part| part["maxLength"].as_u64());
        Self::Text {
            is_id: pattern.is_some_and(is_id_pattern),
            is_long: length.is_some_and(|length| length >= LONG_TEXT),
        }
    }
}

/// The schema itself, and whatever it offers a choice between.
fn parts(schema: &Value) -> Vec<&Value> {
    let offered = ["anyOf", "oneOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten();
    std::iter::once(schema).chain(offered.flat_map(parts)).collect()
}

fn choices(part: &Value) -> Vec<(String, String)> {
    let help = part["description"].as_str().unwrap_or_default();
    let single = part["const"].as_str().map(|word| (word.to_owned(), help.to_owned()));
    let several = part["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    single.into_iter().chain(several.map(|word| (word.to_owned(), String::new()))).collect()
}

fn has_type(part: &Value, name: &str) -> bool {
    match &part["type"] {
        Value::String(own) => own == name,
        Value::Array(own) => own.iter().any(|own| own == name),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Ids alone begin with a letter and a dash.
fn is_id_pattern(pattern: &str) -> bool {
    let mut letters = pattern.strip_prefix('^').unwrap_or_default().chars();
    letters.next().is_some_and(|letter| letter.is_ascii_lowercase()) && letters.next() == Some('-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: Kind = Kind::Text { is_id: false, is_long: false };

    #[test]
    fn a_schema_says_what_its_field_takes() {
        for (schema, expected) in [
            (json!({"type": "string"}), TEXT),
            (json!({"type": ["string", "null"], "maxLength": 10000}), Kind::Text { is_id: false, is_long: true }),
            (json!({"type": "string", "pattern": "^m-[2-9a-z]{5,26}$"}), Kind::Text { is_id: true, is_long: false }),
            (json!({"type": "string", "pattern": "^[a-z]-[0-9a-z]+$"}), TEXT),
            (json!({"type": ["boolean", "null"]}), Kind::Switch),
            (json!({"type": ["integer", "null"], "minimum": 1, "maximum": 9}), Kind::Integer { min: 1, max: 9 }),
            (json!({"type": "number", "minimum": 0.0, "maximum": 2.5}), Kind::Number { min: 0.0, max: 2.5 }),
            (json!({"type": "array", "items": {"type": "string"}}), Kind::List(Box::new(TEXT))),
            (json!({"type": "object"}), Kind::Json),
        ] {
            assert_eq!(Kind::of(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn choices_are_found_however_they_are_written() {
        let words = [("a".to_owned(), "The first".to_owned()), ("b".to_owned(), String::new())];
        let consts = json!([{"type": "string", "const": "a", "description": "The first"}, {"const": "b"}]);
        for schema in [json!({"oneOf": consts}), json!({"anyOf": [{"oneOf": consts}, {"type": "null"}]})] {
            assert_eq!(Kind::of(&schema), Kind::Choice(words.to_vec()), "{schema}");
        }
        let plain = Kind::Choice(vec![("a".to_owned(), String::new())]);
        assert_eq!(Kind::of(&json!({"type": "string", "enum": ["a"]})), plain);
    }
}
