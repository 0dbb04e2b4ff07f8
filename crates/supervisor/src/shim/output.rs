//! What the agent writes: its two logs, how far they have grown, and its terminal if it has one.

use std::fs::File;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::process::Stdio;

use super::growth::{Room, room};
use super::last_word::{TRIES, TRY_AGAIN_AFTER};
use super::screen::{Copied, Screen};
use crate::files;
use crate::launch::Launch;
use crate::spool::{ERRORS, ERRORS_MADE, OUTPUT, OUTPUT_MADE};

/// How often a terminal is read whose agent has ended: several times what the kernel may hold for one.
const READS_AT_THE_END: usize = 1 << 10;

#[derive(Debug)]
pub(super) struct Output {
    output: File,
    errors: File,
    max: u64,
    screen: Option<Screen>,
}

/// What is handed to an agent to write to.
#[derive(Debug)]
pub(super) struct Handles {
    pub(super) stdout: Stdio,
    pub(super) stderr: Stdio,
}

/// The two files, made for this shim.
#[derive(Debug)]
pub(super) struct Logs {
    output: File,
    errors: File,
}

impl Logs {
    /// Makes the logs in the current directory, which can be done once; so at most one shim of a spool starts an agent.
    pub(super) fn claim() -> io::Result<Self> {
        Ok(Self { output: claim(OUTPUT_MADE, OUTPUT)?, errors: claim(ERRORS_MADE, ERRORS)? })
    }
}

impl Output {
    /// Makes what an agent writes to.
    pub(super) fn new(Logs { output, errors }: Logs, launch: &Launch) -> io::Result<(Self, Handles)> {
        let stderr = errors.try_clone()?.into();
        let (screen, stdout) = match launch.terminal {
            None => (None, output.try_clone()?.into()),
            Some(size) => {
                let (screen, theirs) = Screen::open(size, output.try_clone()?)?;
                (Some(screen), theirs.into())
            }
        };
        Ok((Self { output, errors, max: launch.log_max, screen }, Handles { stdout, stderr }))
    }

    /// Looks how much the logs may still grow.
    pub(super) fn room(&self) -> io::Result<Room> {
        Ok(room(self.output.metadata()?.len(), self.errors.metadata()?.len(), self.max))
    }

    /// Returns what to wait for.
    pub(super) fn source(&self) -> Option<BorrowedFd<'_>> {
        self.screen.as_ref().and_then(Screen::source)
    }

    /// Copies what the agent wrote to its terminal, if it has one.
    pub(super) fn copy(&mut self) -> Copied {
        self.screen.as_mut().map_or(Copied::All, Screen::copy)
    }

    /// Copies what is left after the writers have ended. Space on a full disk may be freed meanwhile.
    pub(super) fn finish(&mut self) {
        let mut tries = 0;
        // Bounded: a stranger may have been handed the agent's side, and write for ever.
        for _ in 0..READS_AT_THE_END {
            match self.copy() {
                Copied::All => return,
                Copied::Some => {}
                Copied::Stuck if tries < TRIES => {
                    tries += 1;
                    std::thread::sleep(TRY_AGAIN_AFTER);
                }
                Copied::Stuck => return,
            }
        }
    }
}

fn claim(made: &str, name: &str) -> io::Result<File> {
    files::claim_appended(Path::new(made), Path::new(name)).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            io::Error::new(error.kind(), "an agent was started in this spool before")
        } else {
            error
        }
    })
}
