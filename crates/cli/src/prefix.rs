//! What a person types where an id is wanted. A name, a number or a path is looked up before the call; the beginning of
//! an id after a refusal, and the call made again.

use std::path::Path;

use api::{Kind as ErrorKind, Operation as _};
use serde_json::{Map, Value};

use crate::field::Field;
use crate::schema::Kind;

/// Returns the texts that may be beginnings of ids, if that may be why the call was refused.
pub(crate) fn suspects(all: &[Field], given: &Map<String, Value>, refusal: &api::Error) -> Vec<String> {
    if !matches!(refusal.kind(), ErrorKind::NotFound | ErrorKind::Invalid) {
        return Vec::new();
    }
    let ids = all.iter().filter(|field| takes_ids(&field.kind)).filter_map(|field| given.get(&field.name));
    let mut suspects: Vec<_> = ids.flat_map(texts).filter(|text| is_beginning(text)).map(str::to_owned).collect();
    suspects.sort();
    suspects.dedup();
    suspects
}

/// Returns the texts in the place of ids that are none by their form: names, numbers and paths.
pub(crate) fn names(all: &[Field], given: &Map<String, Value>) -> Vec<String> {
    let ids = all.iter().filter(|field| takes_ids(&field.kind)).filter_map(|field| given.get(&field.name));
    let mut names: Vec<_> = ids.flat_map(texts).filter(|text| !is_beginning(text)).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

/// Puts whole ids in the place of their beginnings; says whether anything changed.
pub(crate) fn replace(all: &[Field], given: &mut Map<String, Value>, whole: &[(String, String)]) -> bool {
    let mut changed = false;
    let mut put = |value: &mut Value| {
        let found = whole.iter().find(|(beginning, id)| value.as_str() == Some(beginning) && beginning != id);
        if let Some((_, id)) = found {
            *value = Value::from(id.as_str());
            changed = true;
        }
    };
    for field in all.iter().filter(|field| takes_ids(&field.kind)) {
        match given.get_mut(&field.name) {
            Some(Value::Array(values)) => values.iter_mut().for_each(&mut put),
            Some(value) => put(value),
            None => {}
        }
    }
    changed
}

/// Returns the input of `id_resolve`, asked from this folder. A path is made whole: the server works elsewhere.
pub(crate) fn question(text: &str, here: Option<&Path>) -> (api::Spec, Map<String, Value>) {
    let is_path = text.contains('/') || text.starts_with('.');
    let whole = || Some(std::path::absolute(here?.join(text)).ok()?.display().to_string());
    let text = is_path.then(whole).flatten().unwrap_or_else(|| text.to_owned());
    let mut fields = Map::from_iter([("prefix".to_owned(), Value::from(text))]);
    if let Some(here) = here {
        fields.insert("folder".to_owned(), Value::from(here.display().to_string()));
    }
    (api::fleet::ResolveId::SPEC, fields)
}

fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::Array(values) => values.iter().filter_map(Value::as_str).collect(),
        Value::String(text) => vec![text.as_str()],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

/// Returns whether a field takes ids.
pub(crate) fn takes_ids(kind: &Kind) -> bool {
    match kind {
        Kind::Text { is_id, .. } => *is_id,
        Kind::List(inner) => takes_ids(inner),
        Kind::Choice(_) | Kind::Switch | Kind::Integer { .. } | Kind::Number { .. } | Kind::Json => false,
    }
}

/// A letter, a dash, and at least one more.
pub(crate) fn is_beginning(text: &str) -> bool {
    let mut letters = text.chars();
    let kind = letters.next().is_some_and(|letter| letter.is_ascii_lowercase()) && letters.next() == Some('-');
    let rest = letters.as_str();
    kind && !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

#[cfg(test)]
#[path = "prefix_tests.rs"]
mod tests;
