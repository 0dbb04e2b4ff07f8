//! What no agent has a business with, wherever it works.

use std::path::{Path, PathBuf};

/// Below the home of the user: keys, tokens, histories, and the files of agents, of which each gets its own.
const IN_HOME: &[&str] = &[
    ".aws",
    ".azure",
    ".bash_history",
    ".boto",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".claude",
    ".claude.json",
    ".codex",
    ".config/1Password",
    ".config/BraveSoftware",
    ".config/chromium",
    ".config/doctl",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/glab-cli",
    ".config/google-chrome",
    ".config/hub",
    ".config/op",
    ".config/opencode",
    ".config/rclone",
    ".config/sops",
    ".docker",
    ".fleet",
    ".gem/credentials",
    ".gemini",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".local/share/keyrings",
    ".local/share/opencode",
    ".m2/settings-security.xml",
    ".mozilla",
    ".my.cnf",
    ".mysql_history",
    ".netrc",
    ".node_repl_history",
    ".npmrc",
    ".password-store",
    ".pgpass",
    ".pki",
    ".psql_history",
    ".pypirc",
    ".python_history",
    ".s3cfg",
    ".ssh",
    ".terraform.d/credentials.tfrc.json",
    ".thunderbird",
    ".vault-token",
    ".yarnrc.yml",
    ".zsh_history",
];

/// On every machine: homes of others, what lies around, devices, sockets, what is queued for programs of the system.
const IN_SYSTEM: &[&str] =
    &["/dev", "/home", "/lost+found", "/root", "/run", "/tmp", "/var/mail", "/var/spool", "/var/tmp"];

/// What of it is read all the same: where names are looked up, and the programs of systems that keep them there.
const READ: &[&str] = &["/run/NetworkManager", "/run/current-system", "/run/resolvconf", "/run/systemd/resolve"];

/// What of it is written to all the same: devices that keep nothing and belong to nobody.
const WRITTEN: &[&str] = &[
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/random",
    "/dev/shm",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

/// Returns what is hidden below a home.
pub(crate) fn in_home(home: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    IN_HOME.iter().map(|name| home.join(name))
}

/// Returns what is hidden on every machine.
pub(crate) fn in_system() -> impl Iterator<Item = PathBuf> {
    IN_SYSTEM.iter().map(PathBuf::from)
}

/// Returns what is read though it lies in what is hidden.
pub(crate) fn read() -> impl Iterator<Item = PathBuf> {
    READ.iter().map(PathBuf::from)
}

/// Returns what is written to though it lies in what is hidden.
pub(crate) fn written() -> impl Iterator<Item = PathBuf> {
    WRITTEN.iter().map(PathBuf::from)
}
