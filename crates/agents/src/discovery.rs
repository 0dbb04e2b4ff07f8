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
    /// What a person types to log in; none for an agent that needs none, or whose command is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub login_command: Option<String>,
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
        Self { binary, version_args: vec!["--version".to_owned()], login, login_command: None }
    }

    /// Adds what a person types to log in, behind the program.
    pub(crate) fn and_login(self, arguments: &str) -> Self {
        let command = format!("{} {arguments}", self.binary).trim_end().to_owned();
        Self { login_command: Some(command), ..self }
    }
}

/// What is known of a login without running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginState {
    /// It is logged in.
    Yes,
    /// It is not.
    No,
    /// It needs no login.
    NotNeeded,
    /// Unknown before it runs.
    Unknown,
    /// Run with these arguments, the program returns zero if it is.
    Ask(Vec<String>),
}

impl LoginCheck {
    /// Says what is known from the environment and the files below the home folder.
    #[must_use]
    pub fn look(&self, is_set: impl Fn(&str) -> bool, exists: impl Fn(&str) -> bool) -> LoginState {
        let has_key = |names: &[String]| names.iter().any(|name| is_set(name));
        match self {
            Self::NotNeeded => LoginState::NotNeeded,
            Self::Unknown => LoginState::Unknown,
            Self::Command { env, .. } if has_key(env) => LoginState::Yes,
            Self::Command { args, .. } => LoginState::Ask(args.clone()),
            Self::Traces { env, files } if has_key(env) || files.iter().any(|file| exists(file)) => LoginState::Yes,
            Self::Traces { .. } => LoginState::No,
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_or_a_file_shows_a_login_and_otherwise_the_program_is_asked() {
        let none = |_: &str| false;
        let command = LoginCheck::command(&["auth", "status"], &["KEY"]);
        assert_eq!(command.look(|name| name == "KEY", none), LoginState::Yes);
        assert_eq!(command.look(none, none), LoginState::Ask(vec!["auth".to_owned(), "status".to_owned()]));
        let traces = LoginCheck::traces(&["KEY"], &[".agent/auth.json"]);
        assert_eq!(traces.look(|name| name == "KEY", none), LoginState::Yes);
        assert_eq!(traces.look(none, |file| file == ".agent/auth.json"), LoginState::Yes);
        assert_eq!(traces.look(none, none), LoginState::No);
        assert_eq!(LoginCheck::Unknown.look(none, none), LoginState::Unknown);
        assert_eq!(LoginCheck::NotNeeded.look(none, none), LoginState::NotNeeded);
    }

    #[test]
    fn the_command_to_log_in_begins_with_the_program_that_is_run() {
        let own = "/opt/agent".to_owned();
        let asked = |binary| Discovery::of(binary, "agent", LoginCheck::Unknown).and_login("auth login");
        assert_eq!(asked(None).login_command.unwrap(), "agent auth login");
        assert_eq!(asked(Some(&own)).login_command.unwrap(), "/opt/agent auth login");
    }
}
