//! How to start an agent: everything a supervisor needs, as data.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Brief, Setup};

/// An agent that is ready to be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it works.
    pub cwd: PathBuf,
    /// Environment to set.
    pub env: BTreeMap<String, String>,
    /// Names of Fleet's own environment to pass on, where they are set; nothing else is.
    pub pass: Vec<String>,
    /// Files to write before the start, for the owner's eyes alone.
    pub files: Vec<PrivateFile>,
    /// What its standard input takes.
    pub stdin: StdinProtocol,
    /// Whether its standard output is a terminal.
    pub pty: bool,
    /// Lines to write at once, without their line breaks.
    pub opening: Vec<String>,
    /// The signal on which it ends cleanly.
    pub stop: Signal,
}

/// A file that only its owner may read; its text is in no log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrivateFile {
    /// Where.
    pub path: PathBuf,
    /// What is in it.
    pub text: String,
}

impl fmt::Debug for PrivateFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PrivateFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What an agent's standard input takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StdinProtocol {
    /// Nothing: it is closed.
    Closed,
    /// What it is to do, as text; then it is closed.
    Text,
    /// One JSON object a line, for as long as it runs; closing it asks the agent to end after its turn.
    JsonLines,
}

/// A signal on which an agent ends cleanly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Signal {
    /// SIGTERM.
    Term,
    /// SIGINT.
    Int,
}

/// Why an agent cannot be started as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// The settings ask for a way around the agent's permission checks.
    #[error("argument `{argument}` switches the permission checks of `{agent}` off, which Fleet does not allow")]
    Bypass {
        /// The agent.
        agent: String,
        /// The argument.
        argument: String,
    },
    /// A value would be read as something else.
    #[error("{what} `{value}` cannot be passed on: it is empty, starts with a dash or holds a control character")]
    Value {
        /// What it is.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// The system cannot pass it on.
    #[error("the argument that begins with `{beginning}` is longer than 128 KiB or holds a zero byte")]
    Argument {
        /// How it begins.
        beginning: String,
    },
    /// The agent cannot read the prompt.
    #[error("agent `{agent}` cannot be told what to do: {why}")]
    Prompt {
        /// The agent.
        agent: String,
        /// Why.
        why: String,
    },
    /// The agent has no such ability.
    #[error("agent `{agent}` cannot {what}")]
    Incapable {
        /// The agent.
        agent: String,
        /// What was asked.
        what: &'static str,
    },
}

/// Writes arguments as one line that a shell reads as just these: hooks of agents take such a line.
#[must_use]
pub fn shell_line(argv: &[String]) -> String {
    let quoted = |argument: &String| format!("'{}'", argument.replace('\'', "'\\''"));
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A folder for files of the moment that is the run's own, and what makes it: some agents leave a conversation there,
/// and some do not work where their home is below it. Settings that name one are respected.
pub(crate) fn tmp(setup: &Setup, brief: &Brief) -> (Option<(String, String)>, Option<PrivateFile>) {
    let named = setup.env.contains_key(TMPDIR) || setup.pass.iter().any(|name| name == TMPDIR);
    let Some(folder) = brief.private_dir.as_ref().filter(|_| !named).map(|folder| folder.join("tmp")) else {
        return (None, None);
    };
    let keep = PrivateFile { path: folder.join(".keep"), text: String::new() };
    (Some((TMPDIR.to_owned(), folder.display().to_string())), Some(keep))
}

/// Returns the arguments that the settings and the brief add, unless one has a part that switches checks off; a part of
/// two characters is an argument of its own.
pub(crate) fn extra(agent: &str, setup: &Setup, brief: &Brief, bypass: &[&str]) -> Result<Vec<String>, LaunchError> {
    let arguments = setup.args.iter().chain(&brief.args);
    let has = |argument: &str, part: &str| if part.len() == 2 { argument == part } else { argument.contains(part) };
    match arguments.clone().find(|argument| bypass.iter().any(|part| has(argument, part))) {
        Some(argument) => Err(LaunchError::Bypass { agent: agent.to_owned(), argument: argument.clone() }),
        None => Ok(arguments.cloned().collect()),
    }
}

/// What every agent needs of the environment: where things are, and how to reach the network.
pub(crate) const COMMON: [&str; 19] = [
    "ALL_PROXY",
    "GIT_CONFIG_NOSYSTEM",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PATH",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "USER",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

const TMPDIR: &str = "TMPDIR";

/// The most bytes of one argument that Linux passes on, less room for its end.
const ARGUMENT_BYTES_MAX: usize = 128 * 1024 - 1;

/// Accepts a value that an agent reads as a value, not as another option.
pub(crate) fn plain(what: &'static str, value: &str) -> Result<String, LaunchError> {
    let refused = value.is_empty() || value.starts_with('-') || value.chars().any(char::is_control);
    if refused { Err(LaunchError::Value { what, value: value.to_owned() }) } else { Ok(value.to_owned()) }
}

/// Accepts arguments that the system can pass on.
pub(crate) fn passable(argv: Vec<String>) -> Result<Vec<String>, LaunchError> {
    match argv.iter().find(|argument| argument.contains('\0') || argument.len() > ARGUMENT_BYTES_MAX) {
        Some(argument) => Err(LaunchError::Argument { beginning: argument.chars().take(40).collect() }),
        None => Ok(argv),
    }
}
