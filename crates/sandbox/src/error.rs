//! Why there is no sandbox, in words that a person can act on.

use std::io;

/// Why an agent may not start: what was asked for cannot be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the sandbox is required and cannot be had: {lacks}; set `sandbox` to `auto` to go on without, or to `off`")]
pub struct Refused {
    /// What the machine lacks.
    pub lacks: String,
}

/// Why walls could not be put up.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The kernel refused them.
    #[error("the sandbox could not be put up: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// The kernel put up less than was planned.
    #[error("the kernel does not hold the sandbox that was planned")]
    Less,
    /// There is no thread to put them up in.
    #[error("the sandbox has no thread: {0}")]
    Thread(#[from] io::Error),
}
