//! The real Claude Code, in the version that `scripts/agents` pins: where it is and the environment it runs in.
//!
//! It never finds a model but the one it is told, nor a person's settings: its home is the test's, its key is none, and
//! everything that it would ask of the network beside its model is switched off.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use config::Environment;
use serde_json::Value;

/// What the versions are pinned by.
const PINS: &str = include_str!("../../../scripts/agents/package.json");

const PACKAGE: &str = "@anthropic-ai/claude-code";

/// Below the folder where cargo builds.
const INSTALLED: &str = "agents/node_modules";

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
    let test = std::env::current_exe().unwrap();
    let installed = test.ancestors().map(|folder| folder.join(INSTALLED)).find(|folder| folder.is_dir());
    let installed = installed.unwrap_or_else(|| panic!("Claude Code is not installed: run scripts/setup"));
    let (found, pinned) = (version_in(&installed), pinned_version());
    assert_eq!(found, pinned, "another Claude Code is installed than scripts/agents pins: run scripts/setup");
    installed.join(".bin/claude")
}

/// Returns the version that tests run.
///
/// # Panics
/// When `scripts/agents/package.json` does not name it.
#[must_use]
pub fn pinned_version() -> String {
    let pins: Value = serde_json::from_str(PINS).unwrap();
    pins["dependencies"][PACKAGE].as_str().expect("scripts/agents/package.json pins no Claude Code").to_owned()
}

fn version_in(installed: &Path) -> String {
    let manifest = installed.join(PACKAGE).join("package.json");
    #[expect(clippy::disallowed_methods, reason = "a test looks at what is installed for it")]
    let text = std::fs::read_to_string(&manifest);
    let text = text.unwrap_or_else(|error| panic!("cannot read {}: {error}; run scripts/setup", manifest.display()));
    let manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["version"].as_str().unwrap_or_default().to_owned()
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
