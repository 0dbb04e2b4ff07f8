//! Why a command did not do what was asked: said in one shape, and turned into an exit code in one place.

use std::error::Error as _;
use std::io;

use api::{Code, Kind};
use types::Timestamp;

use crate::render::moment;
use crate::terminal::{Style, printable};

/// Why a command ends otherwise than it should.
#[derive(Debug, Clone, PartialEq)]
pub enum Failure {
    /// Something was refused or failed, and the person should be told.
    Refused {
        /// What was attempted, on what, and why it was not done.
        message: String,
        /// What to do next, in full sentences.
        hints: Vec<String>,
        /// Its page, where it has one.
        code: Option<Code>,
        /// What the process ends with.
        exit: u8,
    },
    /// The reader of the output has closed it; nothing needs to be printed.
    ReaderGone,
}

impl Failure {
    /// Makes a failure of this program's own; `kind` decides what the process ends with.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), hints: Vec::new(), code: None, exit: kind.exit_code() }
    }

    /// Makes a failure of the operating system's.
    #[must_use]
    pub fn io(message: &str, error: &io::Error) -> Self {
        Self::new(Kind::Internal, format!("{message}: {error}"))
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        if let Self::Refused { hints, .. } = &mut self {
            hints.push(hint.into());
        }
        self
    }

    /// Says the times in its sentences as people read them at this time.
    #[must_use]
    pub(crate) fn at(self, now: Timestamp) -> Self {
        match self {
            Self::Refused { message, hints, code, exit } => {
                let said = |text: String| moment::spoken(&text, now);
                Self::Refused { message: said(message), hints: hints.into_iter().map(said).collect(), code, exit }
            }
            Self::ReaderGone => Self::ReaderGone,
        }
    }

    /// Returns what the process ends with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused { exit, .. } => *exit,
            Self::ReaderGone => 0,
        }
    }

    /// Writes it as the person sees it: the error, then hints and code, indented.
    pub(crate) fn render(&self, style: Style) -> String {
        let Self::Refused { message, hints, code, .. } = self else { return String::new() };
        // Both may quote what an agent wrote: a branch, a title, the name of a file.
        let mut text = format!("{} {}\n", style.error("error:"), printable(message));
        for hint in hints {
            text.push_str(&format!("  {} {}\n", style.dim("hint:"), printable(hint)));
        }
        if let Some(code) = code {
            text.push_str(&format!("  {} {code} (fleet explain {code})\n", style.dim("code:"), code = code.as_str()));
        }
        text
    }
}

impl From<api::Error> for Failure {
    fn from(error: api::Error) -> Self {
        Self::Refused {
            exit: error.kind().exit_code(),
            code: Some(error.code),
            message: error.message,
            hints: error.hints,
        }
    }
}

impl From<config::Error> for Failure {
    fn from(error: config::Error) -> Self {
        use config::Error::{Conflict, Name, Syntax, UnknownKey, Value};
        let is_input =
            matches!(error, Conflict { .. } | Name { .. } | Syntax { .. } | UnknownKey { .. } | Value { .. });
        let message = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        Self::new(if is_input { Kind::Invalid } else { Kind::Internal }, message)
    }
}

#[cfg(test)]
#[path = "failure_tests.rs"]
mod tests;
