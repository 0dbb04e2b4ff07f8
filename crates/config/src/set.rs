//! `fleet config set`: edits `runtime.toml` as a careful person would.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use crate::agent_tables::{self, FIELDS, Shape};
use crate::disk;
use crate::environment::Environment;
use crate::error::Error;
use crate::file::{self, FileValues};
use crate::home::Home;
use crate::load::{Overrides, closest_key, load_text};
use crate::names;
use crate::recognised::RECOGNISED_KEYS;
use crate::registry::Setting;
use crate::value::Form;
use crate::warning::Warning;

/// The key of an agent's prices.
const PRICES: &str = "prices";

/// Writes these values to `runtime.toml`, all or none; an empty value removes its key.
///
/// A key is that of a setting, or one of an agent, such as `agents.claude.model` or `agents.claude.limits.turns_max`.
/// Comments and everything else in the file stay as they are. The result is checked as the server would check it,
/// with no environment, before anything is written; other editors never see a half of it. Returns what the user
/// should be told about the file as it is now.
///
/// # Errors
/// When a key is unknown, a value is refused, or the file is malformed or cannot be written.
pub fn set(home: &Home, changes: &[(&str, &str)]) -> Result<Vec<Warning>, Error> {
    home.create()?;
    let path = real_path(&home.runtime_toml());
    let _lock = lock(home)?;

    let text = file::read(&path)?;
    let mut document: DocumentMut = text.parse().map_err(|error| file::syntax(&path, &text, &error))?;
    for (key, value) in changes {
        apply(&mut document, key, value)?;
    }

    let edited = document.to_string();
    let values = FileValues::parse(&path, &edited)?;
    let loaded = load_text(home, &values, &Environment::default(), &Overrides::new())?;
    names::check(changes, &loaded)?;
    disk::replace(&path, &edited)?;
    Ok(loaded.warnings)
}

fn apply(document: &mut DocumentMut, key: &str, text: &str) -> Result<(), Error> {
    if let Some(rest) = key.strip_prefix("agents.") {
        let unknown = || Error::UnknownKey { key: key.to_owned(), suggestion: None };
        return apply_agent(document, rest, text).ok_or_else(unknown);
    }
    let (names, form) = match Setting::find(key) {
        Some(setting) => (setting.names().collect(), setting.form),
        // Documented by one of the four systems: kept for the version that will read it.
        None if RECOGNISED_KEYS.iter().any(|known| known.name == key) => (vec![key], guess(text)),
        None => return Err(Error::UnknownKey { key: key.to_owned(), suggestion: closest_key(key) }),
    };
    if text.is_empty() {
        for name in names {
            document.remove(name);
        }
        return Ok(());
    }
    // A file that says `max_concurrent` keeps saying so, and never says both.
    let written = names.into_iter().find(|name| document.contains_key(name)).unwrap_or(key);
    put(document.as_table_mut(), written, toml_value(text, form));
    Ok(())
}

/// Writes `NAME.KEY`, or `NAME.KEY.PART` where the key is a table; none if there is no such key.
///
/// A value that is not a table but should be is left there, and the check that follows refuses it.
fn apply_agent(document: &mut DocumentMut, rest: &str, text: &str) -> Option<()> {
    let (name, key) = rest.split_once('.')?;
    let (key, part) = key.split_once('.').map_or((key, None), |(key, part)| (key, Some(part)));
    if let (Shape::Prices, Some(part)) = (FIELDS.iter().find(|field| field.name == key)?.shape, part) {
        return apply_price(document, name, part, text);
    }
    let field = FIELDS.iter().find(|field| field.name == key)?;
    let value = match (field.shape, part) {
        (Shape::Text, None) => Value::from(text),
        (Shape::List, None) => toml_value(text, Form::List),
        (Shape::Flag, None) => toml_value(text, Form::Boolean),
        (Shape::Texts, Some(_)) => Value::from(text),
        (Shape::Limits, Some(_)) | (Shape::Number, None) => number(text),
        (Shape::Text | Shape::List | Shape::Flag | Shape::Number, Some(_))
        | (Shape::Texts | Shape::Limits, None)
        | (Shape::Prices, _) => return None,
    };
    let last = part.unwrap_or(key);
    if text.is_empty() {
        let agent = document.get_mut(agent_tables::KEY).and_then(|agents| agents.get_mut(name));
        let holder = if part.is_some() { agent.and_then(|agent| agent.get_mut(key)) } else { agent };
        holder.and_then(Item::as_table_like_mut).and_then(|table| table.remove(last));
        return Some(());
    }
    let agents = inner(document.as_table_mut(), agent_tables::KEY, Table::set_implicit);
    let agent = agents.and_then(|agents| inner(agents, name, |_, _| ()));
    let holder = if part.is_some() { agent.and_then(|agent| inner(agent, key, Table::set_dotted)) } else { agent };
    if let Some(table) = holder {
        put(table, last, value);
    }
    Some(())
}

/// Writes `MODEL.PART` of an agent's prices; the name of a model may have dots in it.
fn apply_price(document: &mut DocumentMut, agent: &str, rest: &str, text: &str) -> Option<()> {
    let (model, part) = rest.rsplit_once('.').filter(|(model, _)| !model.is_empty())?;
    let agents = inner(document.as_table_mut(), agent_tables::KEY, Table::set_implicit)?;
    let prices = inner(inner(agents, agent, |_, _| ())?, PRICES, Table::set_implicit)?;
    if text.is_empty() {
        let price = prices.get_mut(model).and_then(Item::as_table_like_mut);
        let is_empty = price.is_some_and(|price| {
            price.remove(part);
            price.is_empty()
        });
        if is_empty {
            prices.remove(model);
        }
        return Some(());
    }
    put(inner(prices, model, |_, _| ())?, part, number(text));
    Some(())
}

/// Returns the table of this key, made in the given style if there is none.
fn inner<'a>(table: &'a mut dyn TableLike, key: &str, style: fn(&mut Table, bool)) -> Option<&'a mut dyn TableLike> {
    let new = || {
        let mut new = Table::new();
        style(&mut new, true);
        Item::Table(new)
    };
    table.entry(key).or_insert_with(new).as_table_like_mut()
}

/// Replaces the value, and leaves the comment behind it.
fn put(table: &mut dyn TableLike, key: &str, mut value: Value) {
    match table.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(_) | None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// Writes the text as what it is; if it is not that, as text, so that the check that follows can name it.
fn toml_value(text: &str, form: Form) -> Value {
    let parsed = match form {
        Form::Integer => text.parse::<i64>().ok().map(Value::from),
        Form::Boolean => text.parse::<bool>().ok().map(Value::from),
        Form::List => {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            Some(Value::from(parts.collect::<Array>()))
        }
        Form::Text => None,
    };
    parsed.unwrap_or_else(|| Value::from(text))
}

fn number(text: &str) -> Value {
    let whole = text.parse::<i64>().map(Value::from);
    whole.or_else(|_| text.parse::<f64>().map(Value::from)).unwrap_or_else(|_| Value::from(text))
}

fn guess(text: &str) -> Form {
    if text.parse::<i64>().is_ok() { Form::Integer } else { Form::Text }
}

/// Keeps two editors of the file from undoing each other; released when it is dropped.
fn lock(home: &Home) -> Result<std::fs::File, Error> {
    let failed = |source| Error::Write { path: home.path().to_owned(), source };
    let directory = disk::open(home.path()).map_err(failed)?;
    directory.lock().map_err(failed)?;
    Ok(directory)
}

/// A file that is a link into someone's dotfiles stays one.
fn real_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
#[path = "set_tests.rs"]
mod tests;
