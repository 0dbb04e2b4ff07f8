//! What can go wrong between the supervisor and a shim.

use std::io;
use std::path::PathBuf;

use crate::adopt::Loss;
use crate::wire::Refusal;

/// Why something asked of a supervisor or of an agent was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The spool cannot be made or used.
    #[error("cannot use the spool `{}`", path.display())]
    Spool {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The shim could not be started, or ended before it said a word.
    #[error("cannot start a shim")]
    Shim(#[source] io::Error),
    /// The shim said why there is no agent; nothing was started.
    #[error("the agent was not started: {0}")]
    NotStarted(String),
    /// The shim did not answer in time. [`crate::Supervisor::adopt`] finds out what happened to it.
    #[error("the shim did not answer in time")]
    Silent,
    /// The connection to the shim broke; whether it did what was asked is not known.
    #[error("cannot speak to the shim")]
    Connection(#[source] io::Error),
    /// The shim refused.
    #[error("{0}")]
    Refused(Refusal),
    /// The agent is gone, and how it ended is not known.
    #[error("{0}")]
    Lost(Loss),
}
