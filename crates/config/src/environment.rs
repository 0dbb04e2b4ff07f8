//! The environment as a value: taken from the process in one function, and passed to all code that reads it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::disk;
use crate::error::Error;
use crate::value::Secret;

/// A variable that a client reads, under any of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// The primary name first, then those that the four systems document.
    pub names: &'static [&'static str],
    /// What it is for, in one sentence.
    pub doc: &'static str,
}

/// The variables that clients read.
pub const CLIENT: &[Variable] = &[HOME, URL, TOKEN, TOKEN_FILE, TEAM, AGENT_NAME, AGENT_TYPE, TOOLSET];

pub(crate) const HOME: Variable =
    Variable { names: &["FLEET_HOME"], doc: "Directory of settings, key and records; `~/.fleet` by default." };
const URL: Variable = Variable {
    names: &["CLAUDE_FLEET_URL", "COLLAB_SERVER_URL", "DEVFLEET_API_URL"],
    doc: "Where the server is, if it is not the local one.",
};
const TOKEN: Variable = Variable { names: &["FLEET_TOKEN"], doc: "Token to use in place of the local key." };
const TOKEN_FILE: Variable =
    Variable { names: &["FLEET_TOKEN_FILE"], doc: "File with the token to use, where none is given itself." };
const TEAM: Variable = Variable { names: &["CLAUDE_FLEET_TEAM", "CLAUDE_CODE_TEAM_NAME"], doc: "Team to act in." };
const AGENT_NAME: Variable = Variable { names: &["CLAUDE_CODE_AGENT_NAME"], doc: "Handle to act under." };
const AGENT_TYPE: Variable = Variable { names: &["CLAUDE_CODE_AGENT_TYPE"], doc: "Role to act in." };
const TOOLSET: Variable = Variable {
    names: &["FLEET_TOOLSET"],
    doc: "Tools that `fleet mcp` shows: agent, orchestrator, workers, standard or all.",
};

/// Variables and their values.
///
/// A variable with an empty value counts as not set, because that is how compose files and CI say so.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<String, String>);

/// What a client of the server finds in its environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientEnv {
    /// Where the server is, if not where `server.json` or the default says.
    pub url: Option<String>,
    /// The token to use in place of the local key.
    pub token: Option<Secret>,
    /// The file in which such a token is.
    pub token_file: Option<PathBuf>,
    /// The team to act in.
    pub team: Option<String>,
    /// The handle to act under.
    pub agent_name: Option<String>,
    /// The role to act in.
    pub agent_type: Option<String>,
}

impl Environment {
    /// Copies the environment of this process; the only place that reads it.
    ///
    /// Invalid UTF-8 is replaced, so that the value is refused where it is used rather than unseen.
    #[must_use]
    pub fn of_process() -> Self {
        let text = |(name, value): (OsString, OsString)| {
            (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned())
        };
        std::env::vars_os().map(text).collect()
    }

    /// Returns the value of a variable, if it is set and not empty.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the names of the variables that are set and not empty.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, value)| !value.is_empty()).map(|(name, _)| name.as_str())
    }

    /// Returns every variable, for code that passes some of them on.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    pub(crate) fn first(&self, variable: Variable) -> Option<String> {
        variable.names.iter().find_map(|name| self.get(name)).map(str::to_owned)
    }
}

impl fmt::Debug for Environment {
    /// Shows names only: some values are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<T: IntoIterator<Item = (N, V)>>(pairs: T) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl ClientEnv {
    /// Reads the token in [`Self::token_file`]; none if no file is named.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn filed_token(&self) -> Result<Option<Secret>, Error> {
        let Some(path) = &self.token_file else { return Ok(None) };
        Ok(Some(Secret::new(disk::read_to_string(path)?.trim())))
    }

    /// Reads the variables of [`CLIENT`], each under its names in their order.
    #[must_use]
    pub fn of(environment: &Environment) -> Self {
        Self {
            url: environment.first(URL),
            token: environment.first(TOKEN).map(Secret::new),
            token_file: environment.first(TOKEN_FILE).map(PathBuf::from),
            team: environment.first(TEAM),
            agent_name: environment.first(AGENT_NAME),
            agent_type: environment.first(AGENT_TYPE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_counts_as_not_set() {
        let environment = Environment::from_iter([("PORT", ""), ("HOST", "::1")]);
        assert_eq!(environment.get("PORT"), None);
        assert_eq!(environment.names().collect::<Vec<_>>(), ["HOST"]);
    }

    #[test]
    fn the_first_name_of_a_client_variable_wins() {
        let environment = Environment::from_iter([
            ("DEVFLEET_API_URL", "http://c"),
            ("COLLAB_SERVER_URL", "http://b"),
            ("CLAUDE_CODE_TEAM_NAME", "red"),
        ]);
        let expected =
            ClientEnv { url: Some("http://b".to_owned()), team: Some("red".to_owned()), ..ClientEnv::default() };
        assert_eq!(ClientEnv::of(&environment), expected);
    }
}
