//! The table of settings: each is declared here once, and nowhere else.
//!
//! A line gives the doc, the key in `runtime.toml` (and other keys that mean the same, after `|`), the type, the
//! default as text, whether a running server takes a change up, and the environment variables, the first being the
//! primary one and the rest names that the four systems document. [`Settings`], [`SETTINGS`], loading, hot reload and
//! the reference all follow from it.

use std::path::PathBuf;
use std::time::Duration;

use crate::declare::settings;
use crate::error::Error;
use crate::load::Resolved;
use crate::value::{Form, Host, LogLevel, Secret, StorageBackend, Value};

settings! {
    /// Port that the server listens on; 0 lets the system choose one.
    port: u16 = "3847", Restart, ["PORT"];
    /// Address that the server listens on.
    host: Host = "127.0.0.1", Restart, ["HOST"];
    /// SQLite file of the records; `$FLEET_HOME` at its start stands for the home directory.
    db_path: PathBuf = "$FLEET_HOME/data/fleet.db", Restart, ["DB_PATH"];
    /// Where records are kept: `sqlite`, or `memory` for trials.
    storage_backend: StorageBackend = "sqlite", Restart, ["STORAGE_BACKEND"];
    /// How much is logged: error, warn, info, debug or trace.
    log_level: LogLevel = "info", Live, ["LOG_LEVEL"];
    /// How many agents may run at the same time; at least 1.
    max_workers | max_concurrent: u32 = "5", Live, ["MAX_WORKERS", "DEVFLEET_MAX_AGENTS", "FLEET_MAX_CONCURRENT"];
    /// Secret that tokens are signed with, in place of the server's own; at least 32 bytes.
    jwt_secret: Option<Secret> = "", Restart, ["JWT_SECRET"];
    /// How long a token is good for, such as 30m, 24h or 7d; a number alone is seconds.
    jwt_expires_in: Duration = "24h", Live, ["JWT_EXPIRES_IN"];
    /// Origins of other web pages that may call the API, such as `https://tools.example`, or `*` for all.
    cors_origins: Vec<String> = "", Live, ["CORS_ORIGINS"];
    /// Values of the Host header that are accepted besides loopback.
    allowed_hosts: Vec<String> = "", Live, ["FLEET_ALLOWED_HOSTS"];
    /// Whether anyone who can connect may register without the local key; only on a loopback host.
    open_registration: bool = "false", Live, ["FLEET_OPEN_REGISTRATION"];
    /// Requests that one caller may make in a minute; 0 for no limit.
    rate_limit_per_minute: u32 = "600", Live, ["FLEET_RATE_LIMIT"];
    /// Largest request body that is read.
    body_bytes_max: u32 = "1048576", Restart, ["FLEET_BODY_BYTES_MAX"];
    /// Seconds that a shutdown may take before what is left is aborted.
    shutdown_grace_secs: u32 = "10", Live, ["FLEET_SHUTDOWN_GRACE_SECS"];
}

/// Whether a running server takes up a changed setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// At once.
    Live,
    /// At its next start.
    Restart,
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setting {
    /// The key in `runtime.toml`.
    pub key: &'static str,
    /// Other keys in `runtime.toml` that mean the same.
    pub aliases: &'static [&'static str],
    /// The environment variables that set it, the primary one first.
    pub env: &'static [&'static str],
    /// The default as text; empty for none.
    pub default: &'static str,
    /// What it is for, in one sentence.
    pub doc: &'static str,
    /// Whether a running server takes a change up.
    pub reload: Reload,
    /// How it is written in `runtime.toml`.
    pub form: Form,
    /// Whether its value must not be shown.
    pub secret: bool,
}

impl Setting {
    /// Finds a setting by its key or by another key that means the same.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.names().any(|name| name == key))
    }

    /// Returns the keys in `runtime.toml` that mean this setting, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.key).chain(self.aliases.iter().copied())
    }
}

/// What came of comparing the running settings with those just read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Merged {
    pub(crate) settings: Settings,
    pub(crate) live: Vec<&'static str>,
    pub(crate) restart: Vec<&'static str>,
}

impl Settings {
    /// Refuses values that parse but cannot be, alone or together.
    pub(crate) fn check(&self, resolved: &Resolved) -> Result<(), Error> {
        if self.max_workers == 0 {
            return Err(resolved.refusal("max_workers", "takes at least 1"));
        }
        if self.body_bytes_max < 1024 {
            return Err(resolved.refusal("body_bytes_max", "takes at least 1024"));
        }
        if let Some(origin) = self.cors_origins.iter().find(|origin| !is_origin(origin)) {
            let reason = format!("`{origin}` is no origin, such as `https://tools.example`, and not `*`");
            return Err(resolved.refusal("cors_origins", &reason));
        }
        if self.open_registration && !self.host.is_loopback() {
            let reason = format!("anyone who reaches host `{}` could register", self.host);
            return Err(Error::Conflict { first: "open_registration", second: "host", reason });
        }
        Ok(())
    }
}

/// Browsers send an origin as scheme, host and perhaps port; anything longer would never match.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    text == "*" || host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '@', ' ']))
}

#[cfg(test)]
#[path = "registry_tests.rs"]
mod tests;
