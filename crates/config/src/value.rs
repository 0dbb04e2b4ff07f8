//! The types a setting can have, and the one text form that each is read from.
//!
//! Flags, variables and the file all arrive as text (an integer of the file as its digits, an array as its parts with
//! commas), so a value is parsed and refused in one place, the same wherever it was written.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The longest time a setting may span: ten years, well within what timestamps can add.
const SECONDS_MAX: u64 = 10 * 365 * 24 * 3600;

/// A type of setting.
pub(crate) trait Value: Clone + PartialEq + Sized {
    /// How the value is written in `runtime.toml`.
    const FORM: Form;
    /// Whether the value must not be shown.
    const SECRET: bool = false;

    /// Reads the value, or says what it should have been.
    fn parse(text: &str) -> Result<Self, String>;
}

/// How a value is written in `runtime.toml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A whole number.
    Integer,
    /// `true` or `false`.
    Boolean,
    /// Text in quotes.
    Text,
    /// An array of texts; elsewhere, the texts with commas between them.
    List,
}

/// The address or name that a server binds to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host(String);

/// Where records are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageBackend {
    /// In one SQLite file.
    Sqlite,
    /// In memory, gone with the process; for trials and tests.
    Memory,
}

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Someone must act.
    Error,
    /// The first thing to look at in an incident.
    Warn,
    /// State changes of the system.
    Info,
    /// For debugging.
    Debug,
    /// Everything.
    Trace,
}

/// A value that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Host {
    /// Returns the text to bind to.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether only this machine can connect; a name other than `localhost` counts as not.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.0.eq_ignore_ascii_case("localhost") || self.0.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    }
}

impl Secret {
    /// Wraps a value that is not to be shown.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the value itself, for the one place that needs it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl LogLevel {
    /// Returns the name, as the log filter takes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(hidden)")
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Value for $type {
            const FORM: Form = Form::Integer;

            fn parse(text: &str) -> Result<Self, String> {
                text.parse().map_err(|_| format!("takes a whole number from 0 to {}", Self::MAX))
            }
        }
    )*};
}
integers!(u16, u32, u64);

impl Value for bool {
    const FORM: Form = Form::Boolean;

    fn parse(text: &str) -> Result<Self, String> {
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err("takes true or false".to_owned()),
        }
    }
}

impl Value for String {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("takes text".to_owned()) } else { Ok(text.to_owned()) }
    }
}

impl Value for PathBuf {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() { Err("takes a path".to_owned()) } else { Ok(Self::from(text)) }
    }
}

impl Value for Vec<String> {
    const FORM: Form = Form::List;

    fn parse(text: &str) -> Result<Self, String> {
        Ok(text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect())
    }
}

impl Value for Option<String> {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }
}

impl Value for Option<Secret> {
    const FORM: Form = Form::Text;
    const SECRET: bool = true;

    fn parse(text: &str) -> Result<Self, String> {
        Ok((!text.is_empty()).then(|| Secret::new(text)))
    }
}

impl Value for Duration {
    const FORM: Form = Form::Text;

    /// Reads a whole number with a unit (`24h`, `30m`, `7d`, `45s`), or of seconds (`3600`).
    fn parse(text: &str) -> Result<Self, String> {
        let takes =
            || "takes a whole number with a unit s, m, h or d, such as 24h; without one it is seconds".to_owned();
        let (number, seconds_each) = match text.char_indices().next_back() {
            Some((at, 's')) => (&text[..at], 1),
            Some((at, 'm')) => (&text[..at], 60),
            Some((at, 'h')) => (&text[..at], 3600),
            Some((at, 'd')) => (&text[..at], 24 * 3600),
            Some(_) => (text, 1),
            None => return Err(takes()),
        };
        // `parse` alone would accept a sign.
        if !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(takes());
        }
        let seconds = number.parse::<u64>().ok().and_then(|count| count.checked_mul(seconds_each)).ok_or_else(takes)?;
        match seconds {
            0 => Err("takes a time longer than zero".to_owned()),
            1..=SECONDS_MAX => Ok(Self::from_secs(seconds)),
            _ => Err("takes a time of at most 3650d".to_owned()),
        }
    }
}

impl Value for Host {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        let name = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:%".contains(&byte);
        if name.is_empty() || !name.bytes().all(plain) {
            return Err("takes an address or a host name, without a scheme".to_owned());
        }
        if name.contains(':') && name.parse::<IpAddr>().is_err() {
            return Err("takes a host without its port, which is the setting `port`".to_owned());
        }
        Ok(Self(name.to_owned()))
    }
}

impl Value for StorageBackend {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "sqlite" => Ok(Self::Sqlite),
            "memory" => Ok(Self::Memory),
            "dynamodb" | "s3" | "firestore" | "postgresql" => {
                Err("not built yet in this version, which has sqlite and memory".to_owned())
            }
            _ => Err("takes sqlite or memory".to_owned()),
        }
    }
}

impl Value for LogLevel {
    const FORM: Form = Form::Text;

    fn parse(text: &str) -> Result<Self, String> {
        let levels = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];
        let level = levels.into_iter().find(|level| text.eq_ignore_ascii_case(level.as_str()));
        level.ok_or_else(|| "takes error, warn, info, debug or trace".to_owned())
    }
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
