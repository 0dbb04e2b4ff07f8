//! A terminal for an agent that holds its lines back without one: what it writes there is copied into its log.
//!
//! This is the one case in which output passes through the shim. It is read only as fast as the log takes it, so an
//! agent on a full disk waits and loses nothing. No line is understood here, and none is changed.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

use crate::launch::Terminal;

#[derive(Debug)]
pub(super) struct Screen {
    /// Our side.
    ours: OwnedFd,
    /// The agent's side, held open so that ours is never at its end while a process may still write.
    _theirs: OwnedFd,
    log: File,
    /// What was read and not yet written.
    held: Vec<u8>,
}

/// How far copying came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Copied {
    /// There is nothing left to read now.
    All,
    /// There may be more.
    Some,
    /// The log takes nothing now.
    Stuck,
}

impl Screen {
    /// Makes a terminal; the second is what the agent writes to.
    pub(super) fn open(size: Terminal, log: File) -> io::Result<(Self, OwnedFd)> {
        // Not the controlling terminal of this session: no key on it sends a signal.
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let ours = openpt(flags)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let theirs = ioctl_tiocgptpeer(&ours, flags)?;
        let mut modes = tcgetattr(&theirs)?;
        modes.make_raw();
        tcsetattr(&theirs, OptionalActions::Now, &modes)?;
        tcsetwinsize(&theirs, Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 })?;
        fcntl_setfl(&ours, fcntl_getfl(&ours)? | OFlags::NONBLOCK)?;
        let agents = theirs.try_clone()?;
        Ok((Self { ours, _theirs: theirs, log, held: Vec::new() }, agents))
    }

    /// Returns what to wait for; nothing while the log takes nothing.
    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.held.is_empty().then(|| self.ours.as_fd())
    }

    /// Reads once, which is about as much as the kernel holds, and writes that.
    pub(super) fn copy(&mut self) -> Copied {
        if self.write().is_err() {
            return Copied::Stuck;
        }
        let mut chunk = [0; 4 << 10];
        match rustix::io::read(&self.ours, &mut chunk) {
            Ok(length) if length > 0 => self.held.extend_from_slice(&chunk[..length]),
            Err(Errno::INTR) => {}
            Ok(_) | Err(_) => return Copied::All,
        }
        if self.write().is_err() { Copied::Stuck } else { Copied::Some }
    }

    /// Writes what is held, and keeps what the log did not take.
    fn write(&mut self) -> io::Result<()> {
        while !self.held.is_empty() {
            match self.log.write(&self.held) {
                Ok(length) => drop(self.held.drain(..length)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
