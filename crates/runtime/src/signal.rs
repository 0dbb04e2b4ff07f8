//! The signals that ask the program to end.

use std::fmt;
use std::io;

use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// A request from outside to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// A person pressed Ctrl-C.
    Interrupt,
    /// A service manager or `fleet up --stop` asked.
    Terminate,
}

/// A subscription to [`Signal`]s; from its making on, they no longer kill the process.
#[derive(Debug)]
pub struct Signals {
    interrupt: Stream,
    terminate: Stream,
}

/// Subscribes to the signals that ask to end.
///
/// Subscribe once, early, and keep it: a signal between two subscriptions would be lost.
///
/// # Errors
/// When the system refuses the handler.
pub fn signals() -> io::Result<Signals> {
    Ok(Signals { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
}

impl Signals {
    /// Waits for the next signal.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::Interrupt,
            _ = self.terminate.recv() => Signal::Terminate,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Interrupt => "interrupt",
            Self::Terminate => "terminate",
        })
    }
}
