//! Standard input as it comes in, beside everything else that is waited for.
//!
//! A thread of its own reads it: one that waits for a key would keep the program from ending.

use std::io::{self, Read as _};

use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};
use tokio::sync::mpsc::{Receiver, channel};

use crate::failure::Failure;

/// Pieces that are read ahead; larger piped input waits.
const AHEAD: usize = 16;

/// Starts to read; the channel closes when nothing more comes.
///
/// # Errors
/// When the system refuses a thread.
pub(crate) fn read() -> Result<Receiver<Vec<u8>>, Failure> {
    let (sender, receiver) = channel(AHEAD);
    let work = move || {
        let mut buffer = [0; 4096];
        loop {
            match io::stdin().read(&mut buffer) {
                Ok(length) if length > 0 => {
                    let piece = buffer.get(..length).unwrap_or_default().to_vec();
                    if sender.blocking_send(piece).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return,
            }
        }
    };
    runtime::thread("stdin", work).map_err(|error| Failure::io("cannot read standard input", &error))?;
    Ok(receiver)
}

/// Lines that are piped in, taken as they are.
#[derive(Debug, Default)]
pub(crate) struct Pipe {
    part: Vec<u8>,
}

impl Pipe {
    /// Returns the lines that are whole now.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Vec<String> {
        self.part.extend_from_slice(piece);
        let Some(end) = self.part.iter().rposition(|byte| *byte == b'\n') else { return Vec::new() };
        let rest = self.part.split_off(end + 1);
        let whole = std::mem::replace(&mut self.part, rest);
        String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
    }
}

/// The terminal hands over every key at once and echoes none, until this is dropped. Ctrl-C still interrupts.
#[derive(Debug)]
pub(crate) struct Keys {
    before: Termios,
}

impl Keys {
    /// Takes the terminal.
    ///
    /// # Errors
    /// When standard input is none.
    pub(crate) fn take() -> Result<Self, Failure> {
        let failed = |error: rustix::io::Errno| Failure::io("cannot use the terminal", &error.into());
        let before = tcgetattr(io::stdin()).map_err(failed)?;
        let mut keys = before.clone();
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        keys.special_codes[SpecialCodeIndex::VMIN] = 1;
        keys.special_codes[SpecialCodeIndex::VTIME] = 0;
        // A shell that comes forward must not find the terminal like this.
        keys.special_codes[SpecialCodeIndex::VSUSP] = 0;
        tcsetattr(io::stdin(), OptionalActions::Now, &keys).map_err(failed)?;
        Ok(Self { before })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing given back.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_piped_in_are_taken_as_they_are_wherever_they_were_cut() {
        let mut pipe = Pipe::default();
        assert_eq!(pipe.push("one\n\ttwo ".as_bytes()), ["one"]);
        assert_eq!(pipe.push(&"ä".as_bytes()[..1]), [""; 0]);
        assert_eq!(pipe.push(b"\xa4\r\n\nthree\x1b"), ["\ttwo ä", ""]);
        assert_eq!(pipe.push(b"\n"), ["three\x1b"]);
    }
}
