//! The tables `[presets.NAME]` of `runtime.toml`: tools under a name of one's own.
//!
//! A wrong table is refused with its position. Built-in names cannot be redefined.

use std::collections::BTreeMap;
use std::path::Path;

use toml_edit::{Item, Table, TableLike, Value};

use crate::error::{Error, Position};
use crate::sessions::{AGENT_NAME, is_agent_name};

/// The key that the tables stand under.
pub(crate) const KEY: &str = "presets";

/// The one key of a table.
pub(crate) const TOOLS: &str = "tools";

/// Means no list of tools at all, and can mean nothing else.
const FULL_ACCESS: &str = "full-access";

/// Presets by name, each with its tools.
pub(crate) type Presets = BTreeMap<String, Vec<String>>;

/// Reads every table of a preset that the file has.
pub(crate) fn read(path: &Path, text: &str, document: &Table) -> Result<Presets, Error> {
    let Some(item) = document.get(KEY) else { return Ok(Presets::new()) };
    let refuse = |key: String, item: &Item, reason: String| {
        let position = Position::of(text, item.span().map_or(0, |span| span.start));
        Error::Agent { path: path.to_owned(), position, key, reason }
    };
    let Some(tables) = item.as_table_like() else {
        let reason = "takes a table for each preset, such as `[presets.docs]`".to_owned();
        return Err(refuse(KEY.to_owned(), item, reason));
    };
    let preset = |(name, item): (&str, &Item)| {
        let key = format!("{KEY}.{name}");
        if !is_agent_name(name) {
            return Err(refuse(key, item, AGENT_NAME.to_owned()));
        }
        if policy::preset(name).is_some() || name == FULL_ACCESS {
            return Err(refuse(key, item, "this is the name of a built-in preset; choose another".to_owned()));
        }
        let tools = item.as_table_like().and_then(tools);
        let reason = "takes a table with `tools`, an array of tools, and nothing else".to_owned();
        let tools = tools.ok_or_else(|| refuse(key.clone(), item, reason))?;
        let checked = policy::check_tools(tools.iter().map(String::as_str));
        checked.map_err(|error| refuse(format!("{key}.{TOOLS}"), item, error.to_string()))?;
        Ok((name.to_owned(), tools))
    };
    tables.iter().map(preset).collect()
}

fn tools(table: &dyn TableLike) -> Option<Vec<String>> {
    if table.iter().any(|(key, _)| key != TOOLS) {
        return None;
    }
    let tools = table.get(TOOLS)?.as_array()?;
    let tools: Option<Vec<String>> = tools.iter().map(Value::as_str).map(|tool| tool.map(str::to_owned)).collect();
    tools.filter(|tools| !tools.is_empty())
}

/// Names what differs between two readings, as `presets.NAME`.
pub(crate) fn changes(old: &Presets, new: &Presets) -> Vec<String> {
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    let other = new.iter().filter(|(name, tools)| old.get(*name) != Some(*tools)).map(|(name, _)| name);
    gone.chain(other).map(|name| format!("{KEY}.{name}")).collect()
}

#[cfg(test)]
#[path = "preset_tables_tests.rs"]
mod tests;
