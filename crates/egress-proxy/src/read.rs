//! Reading what a client sends, within a size and a time.

use std::io::{self, Read};
use std::net::TcpStream;
use std::time::Duration;

use runtime::Clock;

/// A client's stream that is read up to a deadline, with what was read too far kept for later.
pub(crate) struct Client<'a> {
    pub(crate) stream: &'a TcpStream,
    pub(crate) clock: &'a Clock,
    /// On the monotonic clock.
    pub(crate) deadline: Duration,
    /// How long to wait for more of a body.
    pub(crate) patience: Duration,
    /// What was read and not taken yet.
    pub(crate) ahead: Vec<u8>,
}

impl Client<'_> {
    /// Reads more; an end of the stream is an error.
    pub(crate) fn fill(&mut self) -> io::Result<()> {
        let left = self.deadline.saturating_sub(self.clock.monotonic());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        let mut part = [0; 4096];
        let mut stream = self.stream;
        match stream.read(&mut part) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                self.ahead.extend(part.iter().take(read));
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(io::ErrorKind::TimedOut.into()),
            Err(error) => Err(error),
        }
    }

    /// Moves the deadline: what was announced is coming.
    pub(crate) fn put_off(&mut self) {
        self.deadline = self.clock.monotonic().saturating_add(self.patience);
    }

    /// Takes a number of bytes.
    pub(crate) fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        while self.ahead.len() < count {
            self.fill()?;
        }
        let rest = self.ahead.split_off(count);
        Ok(std::mem::replace(&mut self.ahead, rest))
    }

    /// Takes everything up to a mark, the mark included; none if it does not come within so many bytes.
    pub(crate) fn take_until(&mut self, mark: &[u8], most: usize) -> io::Result<Option<Vec<u8>>> {
        let mut seen = 0;
        loop {
            let from = self.ahead.get(seen..).unwrap_or_default();
            if let Some(at) = from.windows(mark.len()).position(|part| part == mark) {
                let end = seen + at + mark.len();
                return if end <= most { self.take(end).map(Some) } else { Ok(None) };
            }
            if self.ahead.len() >= most {
                return Ok(None);
            }
            seen = self.ahead.len().saturating_sub(mark.len() - 1);
            self.fill()?;
        }
    }
}
