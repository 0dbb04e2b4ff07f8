//! The input fields of an operation, as arguments of its command.

use serde_json::Value;

use crate::operations::Entry;
use crate::pattern::Position;
use crate::schema::Kind;

/// An input field.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    /// Its name on the wire.
    pub(crate) name: String,
    /// What it takes.
    pub(crate) kind: Kind,
    /// What it is.
    pub(crate) help: String,
    /// What it is when left out, as text; empty for nothing worth saying.
    pub(crate) default: String,
    /// Whether it must be given.
    pub(crate) required: bool,
    /// Its position on the command line, if it is positional.
    pub(crate) position: Option<(usize, Position)>,
}

impl Field {
    /// Reads the fields of an operation, in the order of its input.
    pub(crate) fn all(entry: &Entry, input: &Value) -> Vec<Self> {
        let required = input["required"].as_array();
        let properties = input["properties"].as_object().into_iter().flatten();
        let field = |(name, schema): (&String, &Value)| Self {
            name: name.clone(),
            kind: Kind::of(schema),
            help: schema["description"].as_str().unwrap_or_default().to_owned(),
            default: default_text(&schema["default"]),
            required: required.is_some_and(|required| required.iter().any(|needed| needed == name.as_str())),
            position: entry.pattern.position(name),
        };
        properties.map(field).collect()
    }

    /// Returns the flag's name: `auto-dispatch` for `auto_dispatch` and `autoDispatch`.
    pub(crate) fn flag(&self) -> String {
        kebab(&self.name)
    }
}

/// Writes a name in lower case with dashes between its words.
pub(crate) fn kebab(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        match letter {
            '_' => text.push('-'),
            letter if letter.is_ascii_uppercase() => {
                text.push('-');
                text.push(letter.to_ascii_lowercase());
            }
            letter => text.push(letter),
        }
    }
    text
}

fn default_text(default: &Value) -> String {
    match default {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "true".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(false) | Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::entries;

    fn fields_of(name: &str) -> Vec<Field> {
        let entry = entries().into_iter().find(|entry| entry.spec.name == name).unwrap();
        Field::all(&entry, &entry.input())
    }

    #[test]
    fn a_name_of_either_style_becomes_a_flag() {
        assert_eq!(["team_name", "teamName", "title"].map(kebab), ["team-name", "team-name", "title"]);
    }

    #[test]
    fn a_field_knows_its_place_its_default_and_whether_it_is_needed() {
        let fields = fields_of("mission_create");
        let of = |name: &str| fields.iter().find(|field| field.name == name).unwrap();
        assert_eq!(of("title").position, Some((1, Position { field: "title", needed: true })));
        assert!(of("title").required && !of("max_retries").required);
        assert_eq!((of("max_retries").default.as_str(), of("tags").default.as_str()), ("3", ""));
        assert_eq!(of("project_id").kind, Kind::Text { is_id: true, is_long: false });
        assert_eq!(of("depends_on").kind, Kind::List(Box::new(Kind::Text { is_id: true, is_long: false })));
    }
}
