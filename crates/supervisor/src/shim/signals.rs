//! The signals of the shim, as bytes in pipes: something to poll for like everything else.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};

/// What was signalled and not yet looked at.
#[derive(Debug)]
pub(super) struct Signals {
    child_ended: UnixStream,
    asked_to_end: UnixStream,
}

/// What was signalled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Received {
    pub(super) child_ended: bool,
    pub(super) asked_to_end: bool,
}

impl Signals {
    /// Takes the signals from now on; a child that ended before is found by looking.
    pub(super) fn take() -> io::Result<Self> {
        let (child_ended, bell) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGCHLD, bell)?;
        let (asked_to_end, bell) = UnixStream::pair()?;
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            signal_hook::low_level::pipe::register(signal, bell.try_clone()?)?;
        }
        child_ended.set_nonblocking(true)?;
        asked_to_end.set_nonblocking(true)?;
        Ok(Self { child_ended, asked_to_end })
    }

    /// Returns what to wait for.
    pub(super) fn sources(&self) -> [PollFd<'_>; 2] {
        [&self.child_ended, &self.asked_to_end].map(|pipe| PollFd::new(pipe, PollFlags::IN))
    }

    /// Says what was signalled since it was last asked.
    pub(super) fn drain(&self) -> Received {
        Received { child_ended: drain(&self.child_ended), asked_to_end: drain(&self.asked_to_end) }
    }
}

/// Empties a pipe, and says whether there was anything in it.
fn drain(mut pipe: &UnixStream) -> bool {
    let mut bytes = [0; 64];
    let mut any = false;
    while matches!(pipe.read(&mut bytes), Ok(length) if length > 0) {
        any = true;
    }
    any
}
