//! Texts with values in them: `{{inputs.task}}`.
//!
//! A template is read once and its values are put in once: what a value contains is never read as a template, whichever agent
//! wrote it. `{{'…'}}` stands for the text between the quotes, so every text can be written.

use serde_json::Value;

/// A text with the places of values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Path(String),
}

/// Why a text is not a template.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// It begins a value and does not end it.
    #[error("`{{{{` without `}}}}`")]
    Open,
    /// What it names is not a path.
    #[error("`{{{{{0}}}}}` is not a path such as `inputs.task` or `steps.review.output.summary`")]
    Path(String),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Refuses a value that does not end, and one that is not named by a path.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((before, after)) = rest.split_once("{{") {
            push(&mut parts, before);
            let quoted = after.strip_prefix('\'').and_then(|quoted| quoted.split_once("'}}"));
            if let Some((literal, after)) = quoted {
                push(&mut parts, literal);
                rest = after;
                continue;
            }
            let (path, after) = after.split_once("}}").ok_or(TemplateError::Open)?;
            let path = path.trim();
            if !is_path(path) {
                return Err(TemplateError::Path(path.chars().take(60).collect()));
            }
            parts.push(Part::Path(path.to_owned()));
            rest = after;
        }
        push(&mut parts, rest);
        Ok(Self { parts })
    }

    /// Writes a text as a template that stands for exactly this text.
    #[must_use]
    pub fn literal(text: &str) -> String {
        text.replace("{{", "{{'{{'}}")
    }

    /// Returns the paths of its values.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Path(path) => Some(path.as_str()),
            Part::Text(_) => None,
        })
    }

    /// Puts the values in; one that is unknown is empty.
    #[must_use]
    pub fn render(&self, scope: &Value) -> String {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(own) => text.push_str(own),
                Part::Path(path) => text.push_str(&shown(find(scope, path).unwrap_or(&Value::Null))),
            }
        }
        text
    }

    /// Returns the one value that it consists of, or its text.
    #[must_use]
    pub fn value(&self, scope: &Value) -> Value {
        match self.parts.as_slice() {
            [Part::Path(path)] => find(scope, path).cloned().unwrap_or(Value::Null),
            _ => Value::String(self.render(scope)),
        }
    }
}

fn push(parts: &mut Vec<Part>, text: &str) {
    match parts.last_mut() {
        _ if text.is_empty() => {}
        Some(Part::Text(before)) => before.push_str(text),
        Some(Part::Path(_)) | None => parts.push(Part::Text(text.to_owned())),
    }
}

/// Returns whether a text is names joined by dots.
pub(crate) fn is_path(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
    text.split('.').all(is_name)
}

/// Finds the value that a path names.
pub(crate) fn find<'a>(scope: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(scope, |value, name| match value {
        Value::Object(fields) => fields.get(name),
        Value::Array(items) => items.get(name.parse::<usize>().ok()?),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    })
}

/// Returns a value as a text: a list of texts joined by commas, an object as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn rendered(text: &str) -> String {
        let scope = json!({ "inputs": { "task": "Add a cart", "files": ["a.rs", "b.rs"], "deep": { "n": 7 } } });
        Template::parse(text).unwrap().render(&scope)
    }

    #[test]
    fn values_are_put_in_by_their_paths_and_unknown_ones_are_empty() {
        assert_eq!(rendered("Do: {{ inputs.task }}!"), "Do: Add a cart!");
        assert_eq!(rendered("{{inputs.files}} {{inputs.deep.n}} {{inputs.files.1}}"), "a.rs, b.rs 7 b.rs");
        assert_eq!(rendered("[{{inputs.none}}{{steps.a.output.summary}}]"), "[]");
    }

    #[test]
    fn what_a_value_contains_is_not_read_as_a_template() {
        let scope = json!({ "a": "{{b}}", "b": "secret" });
        assert_eq!(Template::parse("{{a}}").unwrap().render(&scope), "{{b}}");
    }

    #[test]
    fn a_template_that_cannot_be_read_is_refused() {
        assert_eq!(Template::parse("{{inputs.task"), Err(TemplateError::Open));
        for path in ["{{}}", "{{a b}}", "{{a..b}}", "{{ $(ls) }}"] {
            assert!(matches!(Template::parse(path), Err(TemplateError::Path(_))), "{path}");
        }
    }

    proptest! {
        #[test]
        fn every_text_can_be_written_as_a_template(text in "([a-z'{} ]|\\{\\{|\\}\\})*") {
            let template = Template::parse(&Template::literal(&text)).unwrap();
            prop_assert_eq!(template.render(&Value::Null), text);
        }
    }
}
