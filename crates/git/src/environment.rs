//! What a git process gets to see of the environment.
//!
//! Nothing is inherited: a `GIT_DIR` or a pager of the person who started Fleet must not reach the repositories of
//! others. What git and its helpers need to find programs, settings and credentials is let through by name.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Variables that git, ssh and credential helpers need; everything else stays out.
const LET_THROUGH: [&str; 22] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // Users set it to keep large files as pointers.
    "GIT_LFS_SKIP_SMUDGE",
];

/// Set for every process: messages that can be recognised, no question to an unattended terminal, and objects as they
/// are. A process that may create a branch may also create a reference by which git takes one commit for another, and
/// then what is checked would not be what lands.
const FIXED: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
];

/// The environment of git processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// Takes from `variables` what git may see, and adds what it must.
    pub fn from_variables<N, V>(variables: impl IntoIterator<Item = (N, V)>) -> Self
    where
        N: Into<OsString>,
        V: Into<OsString>,
    {
        let taken = variables.into_iter().map(|(name, value)| (name.into(), value.into()));
        let mut seen: BTreeMap<OsString, OsString> = taken.filter(|(name, _)| is_let_through(name)).collect();
        seen.extend(FIXED.map(|(name, value)| (name.into(), value.into())));
        Self(seen)
    }

    /// Sets one more variable, whatever its name.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&OsStr> {
        self.0.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.0.iter()
    }
}

fn is_let_through(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| LET_THROUGH.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_sees_path_and_home_and_nothing_of_another_repository() {
        let given = [("PATH", "/bin"), ("HOME", "/h"), ("GIT_DIR", "/other"), ("EDITOR", "vi"), ("LC_ALL", "de_DE")];
        let environment = Environment::from_variables(given);
        let get = |name: &str| environment.0.get(OsStr::new(name)).and_then(|value| value.to_str());
        assert_eq!((get("PATH"), get("HOME"), get("LC_ALL")), (Some("/bin"), Some("/h"), Some("C")));
        assert_eq!((get("GIT_DIR"), get("EDITOR")), (None, None));
    }
}
