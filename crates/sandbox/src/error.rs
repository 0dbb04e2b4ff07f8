//! Why there is no sandbox, in words that a person can act on.

use std::io;

/// Why an agent may not start: what was asked for cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sandbox is required and this machine cannot provide it: {lacks}; set `sandbox` to `auto` or `off` to start without"
)]
pub struct Refused {
    /// What the machine lacks.
    pub lacks: String,
}

/// Why a process could not enter its sandbox.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel refused the rules for files, ports and signals.
    #[error("cannot enter the sandbox: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// The kernel enforces less than was planned.
    #[error("the kernel does not enforce the sandbox that was planned")]
    Less,
    /// The kernel refused the filter of system calls.
    #[error("cannot enter the sandbox: {0}")]
    Seccomp(#[from] seccompiler::Error),
    /// The filter of system calls cannot be made for this processor.
    #[error("cannot make the filter of system calls: {0}")]
    Filter(#[from] seccompiler::BackendError),
    /// One step failed.
    #[error("cannot enter the sandbox: cannot {what}: {source}")]
    Step {
        /// What was to be done.
        what: String,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    pub(crate) fn step(what: impl Into<String>, source: impl Into<io::Error>) -> Self {
        Self::Step { what: what.into(), source: source.into() }
    }
}

impl From<rustix::io::Errno> for Error {
    fn from(error: rustix::io::Errno) -> Self {
        Self::step("open a folder", error)
    }
}

/// Names the step that failed.
pub(crate) fn step<T, E: Into<io::Error>>(what: &str, done: Result<T, E>) -> Result<T, Error> {
    done.map_err(|error| Error::step(what, error))
}
