//! The tables `[agents.NAME]` of `runtime.toml`, read as an agent's setup.
//!
//! A wrong table is refused with its place, its key and what is allowed there. Values of `env` may be secrets: none is
//! ever repeated in a refusal. Whether there is an agent of that name is not asked here.

use std::collections::BTreeMap;
use std::path::Path;

use agents::Setup;
use serde::Deserialize as _;
use serde::de::IntoDeserializer as _;
use toml_edit::{Item, Table, TableLike};

use crate::error::{Error, Position};
use crate::sessions::{AGENT_NAME, is_agent_name};

/// The key that the tables stand under.
pub(crate) const KEY: &str = "agents";

/// What a table of an agent can have in it.
pub(crate) const FIELDS: &[Field] = &[
    field("binary", Shape::Text, "Program to start; a name is looked up in `PATH`."),
    field("model", Shape::Text, "Model, if none is named."),
    field("account", Shape::Text, "Provider's account; agents of one account are parked together."),
    field("aliases", Shape::Texts, "Short names for models, as a table."),
    field("env", Shape::Texts, "Environment to set, as a table; the values are never shown."),
    field("pass", Shape::List, "Names of variables of the server to pass on, as an array."),
    field("args", Shape::List, "Arguments to add, as an array."),
    field("protocol", Shape::Text, "How it is spoken with: `acp`, `app-server` (Codex) or `exec`, one process a turn."),
    field("pty", Shape::Flag, "Whether its output is a terminal, for a program that holds lines back without one."),
    field("context_limit", Shape::Number, "Tokens that fit into its context, where it does not tell."),
    field(
        "prices",
        Shape::Prices,
        "Dollars for a million tokens by model, or `*`: `input`, `output`, `cache_read`, `cache_write`.",
    ),
    field("limits", Shape::Limits, "Ceilings of a run: `turns_max`, `dollars_max`, `tokens_max`, `secs_max`."),
];

/// The keys of `limits`; the type itself is also read from the API, which ignores what it does not know.
const LIMITS: [&str; 4] = ["turns_max", "dollars_max", "tokens_max", "secs_max"];

/// One key of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// What it is for, in one sentence.
    pub(crate) doc: &'static str,
}

/// How the value of a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Text in quotes.
    Text,
    /// An array of texts.
    List,
    /// A table of texts.
    Texts,
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Number,
    /// A table of numbers.
    Limits,
    /// A table of tables of numbers.
    Prices,
}

/// Something wrong in a table, at a byte of the file.
struct Flaw {
    at: Option<usize>,
    /// Which key of the table, if it is one.
    key: Option<String>,
    reason: String,
}

/// Reads every table of an agent that the file has.
pub(crate) fn read(path: &Path, text: &str, document: &Table) -> Result<BTreeMap<String, Setup>, Error> {
    let refuse = |key: String, at: Option<usize>, reason: String| {
        let position = Position::of(text, at.unwrap_or(0));
        Error::Agent { path: path.to_owned(), position, key, reason }
    };
    let Some(item) = document.get(KEY) else { return Ok(BTreeMap::new()) };
    let Some(tables) = item.as_table_like() else {
        let reason = "takes a table for each agent, such as `[agents.claude]`".to_owned();
        return Err(refuse(KEY.to_owned(), start(item), reason));
    };
    let setup = |(name, item): (&str, &Item)| {
        let at = place(tables, name);
        if !is_agent_name(name) {
            return Err(refuse(format!("{KEY}.{name}"), at, AGENT_NAME.to_owned()));
        }
        let refused = |flaw: Flaw| {
            let key = flaw.key.map_or_else(|| format!("{KEY}.{name}"), |key| format!("{KEY}.{name}.{key}"));
            refuse(key, flaw.at.or(at), flaw.reason)
        };
        Ok((name.to_owned(), setup(item).map_err(refused)?))
    };
    tables.iter().map(setup).collect()
}

/// Names what differs between two readings, as `agents.NAME`.
pub(crate) fn changes(old: &BTreeMap<String, Setup>, new: &BTreeMap<String, Setup>) -> Vec<String> {
    let gone = old.keys().filter(|name| !new.contains_key(*name));
    let other = new.iter().filter(|(name, setup)| old.get(*name) != Some(*setup)).map(|(name, _)| name);
    gone.chain(other).map(|name| format!("{KEY}.{name}")).collect()
}

fn setup(item: &Item) -> Result<Setup, Flaw> {
    let Some(table) = item.as_table_like() else {
        let fields: Vec<_> = FIELDS.iter().map(|field| field.name).collect();
        let reason = format!("takes a table that may have {}", fields.join(", "));
        return Err(Flaw { at: start(item), key: None, reason });
    };
    check_limits(table)?;
    let value = item.clone().into_value().map_err(|_| Flaw::at(table, "", "takes a table"))?;
    let setup = Setup::deserialize(value.into_deserializer()).map_err(|error| Flaw::of(&error, table))?;
    check(&setup, table)?;
    Ok(setup)
}

fn check_limits(table: &dyn TableLike) -> Result<(), Flaw> {
    let Some(limits) = table.get("limits").and_then(Item::as_table_like) else { return Ok(()) };
    match limits.iter().map(|(key, _)| key).find(|key| !LIMITS.contains(key)) {
        Some(key) => Err(Flaw {
            at: place(limits, key),
            key: Some(format!("limits.{key}")),
            reason: format!("there is no such limit; limits are {}", LIMITS.join(", ")),
        }),
        None => Ok(()),
    }
}

/// Refuses values that have the right type but are invalid.
fn check(setup: &Setup, table: &dyn TableLike) -> Result<(), Flaw> {
    for (key, text) in [("binary", &setup.binary), ("model", &setup.model), ("account", &setup.account)] {
        if text.as_ref().is_some_and(|text| text.trim().is_empty() || text.contains(char::is_control)) {
            return Err(Flaw::at(table, key, "takes text that is not empty"));
        }
    }
    let wrong = |name: &String| name.is_empty() || name.contains(['=', '\0']);
    if setup.env.keys().any(wrong) || setup.env.values().any(|value| value.contains('\0')) {
        return Err(Flaw::at(table, "env", "takes variables whose names are not empty and have no `=`"));
    }
    if setup.pass.iter().any(wrong) {
        return Err(Flaw::at(table, "pass", "takes names of variables, which are not empty and have no `=`"));
    }
    if setup.args.iter().any(|argument| argument.contains('\0')) {
        return Err(Flaw::at(table, "args", "takes texts without a NUL"));
    }
    if setup.context_limit == Some(0) {
        return Err(Flaw::at(table, "context_limit", "takes a number of tokens, at least 1"));
    }
    if !setup.prices.values().all(agents::Price::is_valid) {
        return Err(Flaw::at(table, "prices", "takes amounts of at least 0"));
    }
    if setup.limits.dollars_max.is_some_and(|dollars| !dollars.is_finite() || dollars < 0.0) {
        return Err(Flaw::at(table, "limits.dollars_max", "takes an amount of at least 0"));
    }
    Ok(())
}

impl Flaw {
    fn at(table: &dyn TableLike, key: &str, reason: &str) -> Self {
        let first = key.split('.').next().unwrap_or(key);
        Self { at: place(table, first), key: Some(key.to_owned()), reason: reason.to_owned() }
    }

    /// Says what the reader refused, unless that may show a secret.
    fn of(error: &toml_edit::de::Error, table: &dyn TableLike) -> Self {
        let at = error.span().map(|span| span.start);
        let key = at.and_then(|at| key_at(table, at));
        let secret = key.as_ref().is_none_or(|key| key.split('.').next() == Some("env"));
        let reason = if secret { "takes a table of texts".to_owned() } else { error.message().replace('\n', ", ") };
        Self { at, key, reason }
    }
}

/// Finds the key, with those above it, that a byte of the file belongs to.
fn key_at(table: &dyn TableLike, at: usize) -> Option<String> {
    table.iter().find_map(|(key, item)| {
        if let Some(rest) = item.as_table_like().and_then(|inner| key_at(inner, at)) {
            return Some(format!("{key}.{rest}"));
        }
        let in_key = table.key(key).and_then(toml_edit::Key::span).is_some_and(|span| span.contains(&at));
        (in_key || item.span().is_some_and(|span| span.contains(&at))).then(|| key.to_owned())
    })
}

/// Finds where a key of a table is.
fn place(table: &dyn TableLike, key: &str) -> Option<usize> {
    let of_key = table.key(key).and_then(toml_edit::Key::span).map(|span| span.start);
    of_key.or_else(|| table.get(key).and_then(start))
}

fn start(item: &Item) -> Option<usize> {
    item.span().map(|span| span.start)
}

const fn field(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, shape, doc }
}

#[cfg(test)]
#[path = "agent_tables_tests.rs"]
mod tests;
