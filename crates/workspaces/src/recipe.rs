//! What a project's `fleet.toml` says about its workspaces: the table `[workspace]`, read and checked.
//!
//! Pure: text in, recipe out. Other tables of the file are others' to read; an unknown key in this one is refused by
//! name, since a misspelt `setup` that is silently skipped costs an hour.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

/// The file, in the top directory of a repository.
pub const RECIPE_FILE: &str = "fleet.toml";

/// How long the commands of a recipe may take together, unless it says otherwise.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The longest that a recipe may allow its commands.
const TIMEOUT_MAX: Duration = Duration::from_secs(24 * 3600);

/// The variable with the port, unless the recipe names another.
const PORT: &str = "PORT";

/// What makes a fresh worktree one that can be worked in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Commands that are run in the new worktree, in this order.
    pub setup: Vec<String>,
    /// Commands that are run before it is removed.
    pub teardown: Vec<String>,
    /// Files and directories that are copied from the user's checkout.
    pub copy: Vec<PathBuf>,
    /// Files and directories of the user's checkout that are linked to.
    pub link: Vec<PathBuf>,
    /// Variables for the commands and the agent.
    pub env: BTreeMap<String, String>,
    /// The variable with the workspace's own port, if it is to have one.
    pub port: Option<String>,
    /// How long the setup commands may take together, and how long the teardown commands.
    pub timeout: Duration,
}

/// A recipe that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecipeError {
    /// The text is not TOML, or a value has the wrong type, or a key is not known.
    #[error("cannot read `{RECIPE_FILE}`: {reason}")]
    Text {
        /// What is wrong, and where.
        reason: String,
    },
    /// A path leads out of the repository, or to git's own files.
    #[error("cannot use `{path}` in `{key}` of `{RECIPE_FILE}`: {reason}")]
    Path {
        /// Its key.
        key: &'static str,
        /// The path.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A name that no variable can have.
    #[error("cannot use `{name}` as a variable in `{RECIPE_FILE}`: a name is letters, digits and `_`, no digit first")]
    Variable {
        /// The name.
        name: String,
    },
    /// A time that is none.
    #[error("cannot use `timeout_secs = {given}` in `{RECIPE_FILE}`: it must be from 1 to 86400")]
    Timeout {
        /// What was given.
        given: u64,
    },
}

#[derive(Deserialize, Default)]
struct File {
    #[serde(default)]
    workspace: Table,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Table {
    setup: Vec<String>,
    teardown: Vec<String>,
    copy: Vec<String>,
    link: Vec<String>,
    env: BTreeMap<String, String>,
    port: Option<Port>,
    timeout_secs: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`port` must be true, false or the name of a variable")]
enum Port {
    Wanted(bool),
    Named(String),
}

impl Recipe {
    /// Reads the text of a `fleet.toml`; one without the table is a recipe that does nothing.
    ///
    /// # Errors
    /// When something in the table cannot be followed.
    pub fn parse(text: &str) -> Result<Self, RecipeError> {
        let file: File = toml::from_str(text).map_err(|error| RecipeError::Text { reason: told(&error, text) })?;
        let Table { setup, teardown, copy, link, env, port, timeout_secs } = file.workspace;
        let port = match port {
            Some(Port::Wanted(true)) => Some(PORT.to_owned()),
            Some(Port::Named(name)) => Some(name),
            Some(Port::Wanted(false)) | None => None,
        };
        if let Some(name) = env.keys().chain(&port).find(|name| !is_variable(name)) {
            return Err(RecipeError::Variable { name: name.clone() });
        }
        if let Some((name, _)) = env.iter().find(|(_, value)| value.contains('\0')) {
            return Err(RecipeError::Text { reason: format!("the value of `{name}` holds a zero byte") });
        }
        let timeout = match timeout_secs {
            None => TIMEOUT,
            Some(given) if (1..=TIMEOUT_MAX.as_secs()).contains(&given) => Duration::from_secs(given),
            Some(given) => return Err(RecipeError::Timeout { given }),
        };
        Ok(Self { setup, teardown, copy: inside("copy", copy)?, link: inside("link", link)?, env, port, timeout })
    }
}

impl Default for Recipe {
    fn default() -> Self {
        let (setup, teardown, copy, link) = Default::default();
        Self { setup, teardown, copy, link, env: BTreeMap::new(), port: None, timeout: TIMEOUT }
    }
}

/// Says in one line what the reader says in a picture.
fn told(error: &toml::de::Error, text: &str) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    format!("line {line}: {}", error.message().trim().replace('\n', ", "))
}

fn is_variable(name: &str) -> bool {
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn inside(key: &'static str, paths: Vec<String>) -> Result<Vec<PathBuf>, RecipeError> {
    let check = |path: String| match flaw(Path::new(&path)) {
        None => Ok(Path::new(&path).components().filter(|part| *part != Component::CurDir).collect()),
        Some(reason) => Err(RecipeError::Path { key, path, reason }),
    };
    paths.into_iter().map(check).collect()
}

fn flaw(path: &Path) -> Option<&'static str> {
    let parts = || path.components().filter(|part| *part != Component::CurDir);
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Some("it holds a zero byte");
    }
    if parts().next().is_none() {
        return Some("it names nothing");
    }
    if !parts().all(|part| matches!(part, Component::Normal(_))) {
        return Some("it leads out of the repository");
    }
    parts().any(|part| part.as_os_str().eq_ignore_ascii_case(".git")).then_some("it leads into git's own files")
}

#[cfg(test)]
#[path = "recipe_tests.rs"]
mod tests;
