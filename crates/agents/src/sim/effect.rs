//! What a script comes down to: the few things that the one who plays the agent can do.

use super::Deed;
#[cfg(doc)]
use super::Stepper;

/// Something for the one who plays the agent to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Print a line.
    Print {
        /// The line, without its line break.
        line: String,
    },
    /// Print a [`super::FloodLine`] with the time at which it is printed.
    Flood {
        /// Its number.
        number: u64,
        /// Its conversation.
        session: String,
    },
    /// Write a file, and say with [`Stepper::went`] how it went.
    Write {
        /// Where, below the working folder.
        path: String,
        /// What.
        text: String,
    },
    /// Commit everything, and say with [`Stepper::went`] how it went.
    Commit {
        /// The message.
        message: String,
    },
    /// Do nothing for a time. Who hears something meanwhile calls [`Stepper::hear`] and then [`Stepper::woken`].
    Sleep {
        /// How long.
        ms: u64,
    },
    /// Wait for a line of standard input and give it to [`Stepper::hear`]; at its end, call [`Stepper::unheard`].
    Listen,
    /// Find out whether standard output is a terminal, and say with [`Stepper::went`] which.
    Terminal,
    /// Try something, and say with [`Stepper::went`] how it went.
    Try {
        /// What.
        deed: Deed,
        /// A path, or the address of a port of this machine.
        on: String,
    },
    /// Take no notice of SIGTERM from here on.
    IgnoreTerm,
    /// Leave an orphan process behind, and report with [`Stepper::went`] how it went.
    ForkOff {
        /// How long it lives.
        secs: u64,
    },
    /// Return.
    Exit {
        /// What.
        code: i32,
    },
    /// Be gone by a signal.
    Abort,
    /// Never end, and hear nothing.
    Hang,
}
