//! What can go wrong with settings and the home directory.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::load::Source;

/// A refusal of a setting, or a failure to read or write the home directory.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Neither `FLEET_HOME` nor `HOME` says where the home directory is.
    #[error("cannot find the home directory: neither FLEET_HOME nor HOME is set")]
    NoHome,
    /// A file could not be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file or directory could not be written.
    #[error("cannot write `{}`", path.display())]
    Write {
        /// Which file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The settings file is not TOML.
    #[error("cannot read `{}` at {position}: {message}", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Where in it.
        position: Position,
        /// What the parser found.
        message: String,
    },
    /// A setting has a value that it cannot have.
    #[error("cannot use {given} for setting `{key}` ({origin}): {reason}")]
    Value {
        /// The key of the setting.
        key: &'static str,
        /// The value as it was written, quoted; hidden if it is a secret.
        given: String,
        /// Where the value was written.
        origin: Source,
        /// What the setting takes.
        reason: String,
    },
    /// A table `[agents.NAME]` has something that it cannot have.
    #[error("cannot use `{key}` in `{}` at {position}: {reason}", path.display())]
    Agent {
        /// Which file.
        path: PathBuf,
        /// Where in it.
        position: Position,
        /// The key, such as `agents.claude.model`.
        key: String,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// An agent has no model of that name.
    #[error("cannot use `{given}` for setting `{key}`: {reason}")]
    Name {
        /// The key, such as `agents.claude.model`.
        key: String,
        /// The value.
        given: String,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// Two settings contradict each other.
    #[error("cannot use settings `{first}` and `{second}` together: {reason}")]
    Conflict {
        /// One key.
        first: &'static str,
        /// The other key.
        second: &'static str,
        /// Why not.
        reason: String,
    },
    /// There is no setting of this name.
    #[error("cannot find setting `{key}`{}", did_you_mean(*.suggestion))]
    UnknownKey {
        /// The name that was given.
        key: String,
        /// The known key that is closest to it, if one is close.
        suggestion: Option<&'static str>,
    },
    /// The home directory can be written by everyone.
    #[error("cannot use `{}` as home: everyone may write to it (mode {mode:03o}); run `chmod 700 {}`", path.display(), path.display())]
    HomeExposed {
        /// The directory.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The local key can be read by others.
    #[error("cannot use key file `{}`: others may read it (mode {mode:03o}); run `chmod 600 {}`", path.display(), path.display())]
    KeyExposed {
        /// The key file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The local key is not one.
    #[error("cannot use key file `{}`: it does not hold 32 bytes in base64url; remove it and a new one is made", path.display())]
    KeyMalformed {
        /// The key file.
        path: PathBuf,
    },
    /// The system gave no random bytes for a new key.
    #[error("cannot make a key: the system gave no random bytes: {reason}")]
    NoEntropy {
        /// What the system said.
        reason: String,
    },
    /// `server.json` is not what a server writes.
    #[error("cannot use `{}`: it does not describe a server", path.display())]
    ServerFileMalformed {
        /// The file.
        path: PathBuf,
        /// What the parser found.
        source: serde_json::Error,
    },
    /// The system refused to watch the home directory.
    #[error("cannot watch `{}` for changes", path.display())]
    Watch {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: notify::Error,
    },
}

/// A place in a text file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// Finds the place of a byte offset in `text`.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Makes the end of a message that names the closest known key.
pub(crate) fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|key| format!("; did you mean `{key}`?")).unwrap_or_default()
}
