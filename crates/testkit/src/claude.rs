//! The environment that the real Claude Code runs in.
//!
//! It never finds a model but the one it is told, nor a person's settings: its home is the test's, its key is none, and
//! everything that it would ask of the network beside its model is switched off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use config::Environment;

use crate::Cli;

/// Switches off what it would do beside its work.
const QUIET: [(&str, &str); 4] = [
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("DISABLE_ERROR_REPORTING", "1"),
    ("DISABLE_TELEMETRY", "1"),
];

/// Returns the program.
///
/// # Panics
/// When it is not installed, or in another version than the pinned one.
#[must_use]
pub fn binary() -> PathBuf {
    Cli::Claude.binary()
}

/// Returns the version that tests run.
///
/// # Panics
/// When `scripts/agents/package.json` does not name it.
#[must_use]
pub fn pinned_version() -> String {
    Cli::Claude.pinned_version()
}

/// Returns the whole environment for it, with `home` as its home and `url` as its model. Makes the folders it needs.
///
/// Given to Fleet instead, each name is one that Fleet passes on to it or sets by itself.
///
/// # Panics
/// When the folders cannot be made.
#[must_use]
pub fn environment(home: &Path, url: &str) -> BTreeMap<String, String> {
    // Not `home` itself: a folder for temporary things may be cleared.
    let temporary = home.join("tmp");
    std::fs::create_dir_all(&temporary).unwrap();
    let (home, temporary) = (home.display().to_string(), temporary.display().to_string());
    let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
    let told = [
        ("ANTHROPIC_API_KEY", "none"),
        ("ANTHROPIC_BASE_URL", url),
        ("CLAUDE_CODE_TMPDIR", &temporary),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("HOME", &home),
        ("LANG", "C.UTF-8"),
        ("PATH", &path),
        ("TERM", "xterm-256color"),
        ("TMPDIR", &temporary),
    ];
    told.into_iter().chain(QUIET).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
