//! `fleet config set`: edits `runtime.toml` as a careful person would.

use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Value};

use crate::disk;
use crate::environment::Environment;
use crate::error::Error;
use crate::file::{self, FileValues};
use crate::home::Home;
use crate::load::{Overrides, closest_key, load_text};
use crate::recognised::RECOGNISED_KEYS;
use crate::registry::Setting;
use crate::value::Form;
use crate::warning::Warning;

/// Writes these values to `runtime.toml`, all or none; an empty value removes its key.
///
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
    disk::replace(&path, &edited)?;
    Ok(loaded.warnings)
}

fn apply(document: &mut DocumentMut, key: &str, text: &str) -> Result<(), Error> {
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
    // A file that says `max_concurrent` goes on saying so, and never says both.
    let written = names.into_iter().find(|name| document.contains_key(name)).unwrap_or(key);
    put(document, written, toml_value(text, form));
    Ok(())
}

/// Replaces the value, and leaves the comment behind it.
fn put(document: &mut DocumentMut, key: &str, mut value: Value) {
    match document.get_mut(key) {
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        Some(_) | None => {
            document.insert(key, Item::Value(value));
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
