//! What is worth telling a user, but no reason to refuse.

use std::fmt;

use crate::error::did_you_mean;

/// Something about the settings that a user should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A documented variable is set, but nothing reads it yet.
    UnusedVariable {
        /// The variable.
        name: String,
    },
    /// A documented key is in the file, but nothing reads it yet.
    UnusedKey {
        /// The key.
        key: String,
    },
    /// A key in the file is none that Fleet knows.
    UnknownKey {
        /// The key.
        key: String,
        /// The known key that is closest to it, if one is close.
        suggestion: Option<&'static str>,
    },
    /// A setting is given under two names that differ; the first counts.
    Shadowed {
        /// The name whose value is used.
        used: String,
        /// The name whose value is ignored.
        ignored: String,
    },
    /// A file of a project that describes an agent does not count.
    AgentFile {
        /// Which, and why.
        reason: String,
    },
    /// The signing secret can be guessed.
    ShortSecret {
        /// The key of the setting.
        key: &'static str,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnusedVariable { name } => write!(f, "{name} is set but this version does not use it"),
            Self::UnusedKey { key } => write!(f, "`{key}` is in runtime.toml but this version does not use it"),
            Self::UnknownKey { key, suggestion } => {
                write!(f, "`{key}` in runtime.toml is not a setting{}", did_you_mean(*suggestion))
            }
            Self::Shadowed { used, ignored } => write!(f, "{ignored} is ignored because {used} is set"),
            Self::AgentFile { reason } => f.write_str(reason),
            Self::ShortSecret { key } => write!(f, "setting `{key}` is shorter than 32 bytes and can be guessed"),
        }
    }
}
