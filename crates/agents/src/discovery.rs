//! How to find out whether an agent is there, which version it is and whether it is logged in, as data.
//!
//! Nothing is run here: the caller starts programs.

use serde::{Deserialize, Serialize};

/// How to find an agent's program and what to ask it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Discovery {
    /// The program, as the settings or the agent name it; without a slash it is looked up in `PATH`.
    pub binary: String,
    /// Arguments with which it prints its version and ends; empty if it cannot be asked.
    pub version_args: Vec<String>,
    /// How to learn whether it is logged in.
    pub login: LoginCheck,
}

/// How to learn whether an agent is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum LoginCheck {
    /// It needs no login.
    NotNeeded,
    /// Unknown before it runs.
    Unknown,
    /// Run with these arguments it returns zero if it is.
    Command {
        /// The arguments.
        args: Vec<String>,
        /// Variables of which each makes a login unnecessary.
        env: Vec<String>,
    },
    /// It is if one of these is there; if none is, it is not.
    Traces {
        /// Variables that hold a key.
        env: Vec<String>,
        /// Files that a login leaves, below the home folder of the user.
        files: Vec<String>,
    },
}

impl Discovery {
    /// Makes one for a program that prints its version with `--version`.
    pub(crate) fn of(binary: Option<&String>, usual: &str, login: LoginCheck) -> Self {
        let binary = binary.cloned().unwrap_or_else(|| usual.to_owned());
        Self { binary, version_args: vec!["--version".to_owned()], login }
    }
}

impl LoginCheck {
    pub(crate) fn command(args: &[&str], env: &[&str]) -> Self {
        Self::Command { args: owned(args), env: owned(env) }
    }

    pub(crate) fn traces(env: &[&str], files: &[&str]) -> Self {
        Self::Traces { env: owned(env), files: owned(files) }
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
