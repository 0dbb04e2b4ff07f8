//! Where a setting's value comes from: flag over environment over `runtime.toml` over default.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::agent_files;
use crate::environment::Environment;
use crate::error::{Error, Position};
use crate::file::{self, FileValues};
use crate::home::Home;
use crate::recognised::{self, RECOGNISED_KEYS};
use crate::registry::{SETTINGS, Setting, Settings};
use crate::secrets::HIDDEN;
use crate::suggest::closest;
use crate::value::Value;
use crate::warning::Warning;

/// The shortest signing secret that cannot be guessed.
const SECRET_BYTES_MIN: usize = 32;

/// Values that were given on the command line, by key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides(BTreeMap<&'static str, String>);

/// Where a value was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Nowhere: it is the default.
    Default,
    /// In `runtime.toml`.
    File(Position),
    /// In this environment variable.
    Env(&'static str),
    /// On the command line.
    Flag,
}

/// A setting with the text it got, and from where.
#[derive(Clone, PartialEq, Eq)]
pub struct ResolvedSetting {
    /// The line of the table.
    pub setting: &'static Setting,
    /// Where the value was written.
    pub source: Source,
    text: String,
}

/// Every setting with its value and source, in the order of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved(Vec<ResolvedSetting>);

/// What [`load`] found.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The values to use.
    pub settings: Settings,
    /// Where each came from.
    pub resolved: Resolved,
    /// What the user should be told.
    pub warnings: Vec<Warning>,
}

/// Resolves, parses and checks every setting.
///
/// # Errors
/// When `runtime.toml` or the file of an agent in the home cannot be read or parsed, when a value is not one that its
/// setting takes, or when two values contradict each other. A missing file is none.
pub fn load(home: &Home, environment: &Environment, flags: &Overrides) -> Result<Loaded, Error> {
    let path = home.runtime_toml();
    let text = file::read(&path)?;
    load_text(home, &FileValues::parse(&path, &text)?, environment, flags)
}

pub(crate) fn load_text(
    home: &Home,
    file: &FileValues,
    environment: &Environment,
    flags: &Overrides,
) -> Result<Loaded, Error> {
    let mut warnings = recognised::warnings(environment);
    warnings.extend(key_warnings(file));
    let resolve = |setting| resolve(setting, home, file, environment, flags, &mut warnings);
    let resolved = Resolved(SETTINGS.iter().map(resolve).collect::<Result<_, _>>()?);

    let mut settings = Settings::parse(&resolved, file)?;
    settings.check(&resolved)?;
    settings.custom = Arc::new(agent_files::read(home, &settings.trusted_projects, &mut warnings)?);
    if settings.jwt_secret.as_ref().is_some_and(|secret| secret.expose().len() < SECRET_BYTES_MIN) {
        warnings.push(Warning::ShortSecret { key: "jwt_secret" });
    }
    Ok(Loaded { settings, resolved, warnings })
}

fn resolve(
    setting: &'static Setting,
    home: &Home,
    file: &FileValues,
    environment: &Environment,
    flags: &Overrides,
    warnings: &mut Vec<Warning>,
) -> Result<ResolvedSetting, Error> {
    let in_environment = from_environment(setting, environment, warnings);
    let in_file = from_file(setting, file, warnings)?;
    let on_command_line = flags.0.get(setting.key).map(|text| (Source::Flag, text.clone()));
    let written = on_command_line.or(in_environment).or(in_file);
    let (source, text) = written.unwrap_or_else(|| (Source::Default, setting.default.to_owned()));
    Ok(ResolvedSetting { setting, source, text: expand(&text, home) })
}

/// Finds the first of the setting's variables that is set, and warns of others that disagree with it.
fn from_environment(
    setting: &'static Setting,
    environment: &Environment,
    warnings: &mut Vec<Warning>,
) -> Option<(Source, String)> {
    let mut set = setting.env.iter().filter_map(|name| Some((*name, environment.get(name)?)));
    let (used, text) = set.next()?;
    let differing = set.filter(|(_, other)| *other != text);
    warnings.extend(differing.map(|(name, _)| Warning::Shadowed { used: used.to_owned(), ignored: name.to_owned() }));
    Some((Source::Env(used), text.to_owned()))
}

/// Finds the setting in the file under its own key or, failing that, another that means the same.
fn from_file(
    setting: &'static Setting,
    file: &FileValues,
    warnings: &mut Vec<Warning>,
) -> Result<Option<(Source, String)>, Error> {
    let mut written = setting.names().filter_map(|name| Some((name, file.get(name)?)));
    let Some((used, entry)) = written.next() else { return Ok(None) };
    let shadowed = |(name, _): (&str, _)| Warning::Shadowed { used: format!("`{used}`"), ignored: format!("`{name}`") };
    warnings.extend(written.map(shadowed));

    let source = Source::File(entry.position);
    match &entry.text {
        Some(text) => Ok(Some((source, text.clone()))),
        None => Err(Error::Value {
            key: setting.key,
            given: "a table or a date".to_owned(),
            origin: source,
            reason: "takes text, a number, true or false, or an array of texts".to_owned(),
        }),
    }
}

fn key_warnings(file: &FileValues) -> Vec<Warning> {
    let unknown = file.keys().filter(|key| Setting::find(key).is_none());
    let warn = |key: &str| {
        let key = key.to_owned();
        if RECOGNISED_KEYS.iter().any(|known| known.name == key) {
            Warning::UnusedKey { key }
        } else {
            Warning::UnknownKey { suggestion: closest_key(&key), key }
        }
    };
    unknown.map(warn).collect()
}

/// Returns the key that a mistyped one was probably meant to be.
pub(crate) fn closest_key(key: &str) -> Option<&'static str> {
    closest(key, SETTINGS.iter().flat_map(Setting::names))
}

fn expand(text: &str, home: &Home) -> String {
    let rest = text.strip_prefix("$FLEET_HOME/");
    rest.map_or_else(|| text.to_owned(), |rest| home.path().join(rest).display().to_string())
}

impl Overrides {
    /// Makes an empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the value of a flag; a later one for the same key replaces it.
    ///
    /// # Errors
    /// [`Error::UnknownKey`] when there is no such setting.
    pub fn insert(&mut self, key: &str, value: impl Into<String>) -> Result<(), Error> {
        let unknown = || Error::UnknownKey { key: key.to_owned(), suggestion: closest_key(key) };
        let setting = Setting::find(key).ok_or_else(unknown)?;
        self.0.insert(setting.key, value.into());
        Ok(())
    }
}

impl Resolved {
    /// Returns every setting in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = &ResolvedSetting> {
        self.0.iter()
    }

    /// Finds one by its key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&ResolvedSetting> {
        self.0.iter().find(|resolved| resolved.setting.key == key)
    }

    pub(crate) fn parse<T: Value>(&self, key: &'static str) -> Result<T, Error> {
        let text = self.get(key).map_or("", |resolved| &resolved.text);
        T::parse(text).map_err(|reason| self.refusal(key, &reason))
    }

    /// Makes the error for a value that its setting does not take.
    pub(crate) fn refusal(&self, key: &'static str, reason: &str) -> Error {
        let found = self.get(key);
        let given = found.map_or_else(String::new, |resolved| format!("`{}`", resolved.shown()));
        let origin = found.map_or(Source::Default, |resolved| resolved.source);
        Error::Value { key, given, origin, reason: reason.to_owned() }
    }
}

impl ResolvedSetting {
    /// Returns the value as it may be shown: a secret only as being there.
    #[must_use]
    pub fn shown(&self) -> &str {
        if self.setting.secret && !self.text.is_empty() { HIDDEN } else { &self.text }
    }
}

impl fmt::Debug for ResolvedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {:?} ({})", self.setting.key, self.shown(), self.source)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(position) => write!(f, "runtime.toml, {position}"),
            Self::Env(name) => write!(f, "environment variable {name}"),
            Self::Flag => f.write_str("command line"),
        }
    }
}

#[cfg(test)]
#[path = "load_tests.rs"]
mod tests;
