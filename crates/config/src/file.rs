//! Reading `runtime.toml`: the settings at its top level, as text, with their places, and the tables of agents.
//!
//! Other tables are left alone: they are not settings, and other code reads them.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use agents::Setup;
use toml_edit::{Document, Item, TomlError, Value};

use crate::agent_tables;
use crate::disk;
use crate::error::{Error, Position};
use crate::preset_tables::{self, Presets};
use crate::registry::Setting;

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FileValues {
    /// Its settings, by key.
    settings: BTreeMap<String, Entry>,
    /// Its agents, by name.
    pub(crate) agents: BTreeMap<String, Setup>,
    /// Its presets, by name.
    pub(crate) presets: Presets,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The value as text, or nothing if no setting has its type.
    pub(crate) text: Option<String>,
    /// Where the value begins.
    pub(crate) position: Position,
}

/// Reads the file; a missing one is empty.
pub(crate) fn read(path: &Path) -> Result<String, Error> {
    match disk::read_to_string(path) {
        Err(Error::Read { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(String::new()),
        other => other,
    }
}

/// Turns the parser's complaint about `text` into one that names file, line and column.
pub(crate) fn syntax(path: &Path, text: &str, error: &TomlError) -> Error {
    let position = Position::of(text, error.span().map_or(0, |span| span.start));
    Error::Syntax { path: path.to_owned(), position, message: error.message().trim_end().replace('\n', ", ") }
}

impl FileValues {
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let document = Document::parse(text).map_err(|error| syntax(path, text, &error))?;
        let agents = agent_tables::read(path, text, document.as_table())?;
        let presets = preset_tables::read(path, text, document.as_table())?;
        let tables = [agent_tables::KEY, preset_tables::KEY];
        let ours = |key: &str, item: &Item| !item.is_table_like() || Setting::find(key).is_some();
        let settings = document.iter().filter(|(key, item)| !tables.contains(key) && ours(key, item));
        let entry = |(key, item): (&str, &Item)| {
            let position = Position::of(text, item.span().map_or(0, |span| span.start));
            (key.to_owned(), Entry { text: item.as_value().and_then(as_text), position })
        };
        let settings = settings.filter(|(_, item)| !item.is_array_of_tables()).map(entry).collect();
        Ok(Self { settings, agents, presets })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.settings.get(key)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.settings.keys().map(String::as_str)
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(number.value().to_string()),
        Value::Boolean(yes) => Some(yes.value().to_string()),
        Value::Array(parts) => parts.iter().map(list_part).collect::<Option<Vec<_>>>().map(|parts| parts.join(",")),
        Value::Datetime(_) | Value::InlineTable(_) => None,
    }
}

/// A comma inside a part would be taken for the end of it.
fn list_part(value: &Value) -> Option<&str> {
    value.as_str().filter(|part| !part.contains(','))
}
