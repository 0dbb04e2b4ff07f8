//! Watching the logs of one spool for its shim, by the watch that a follower has anyway.
//!
//! The shim decides what a log that is too long means; here it is only told to look. It is told by the end of the
//! connection that says "I watch", so it is also told when the server dies, and watches for itself from then on.

use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;

use crate::files;
use crate::spool::{SOCKET, Spool, Stream};
use crate::wire::{self, Request};

/// What one event may stand for, roughly: a program seldom writes more at once.
const BYTES_PER_EVENT: u64 = 1 << 20;

/// Watches as long as it is there.
#[derive(Debug)]
pub(crate) struct Follower {
    spool: Spool,
    log_max: u64,
    /// How many events are let pass before the next look.
    skip: u64,
    _connection: UnixStream,
}

impl Follower {
    /// Informs the shim of a spool that its logs are watched from now on; fails when none listens.
    pub(crate) fn new(spool: &Spool) -> io::Result<Self> {
        let record = spool.record()?.ok_or(io::ErrorKind::NotFound)?;
        let folder = files::open(spool.path())?;
        // The address of a socket has room for 107 bytes, and a spool may lie deeper than that.
        let mut connection = UnixStream::connect(format!("/proc/self/fd/{}/{SOCKET}", folder.as_raw_fd()))?;
        let listener = rustix::net::sockopt::socket_peercred(&connection)?.pid;
        if u32::try_from(listener.as_raw_nonzero().get()) != Ok(record.shim.pid) {
            return Err(io::Error::new(io::ErrorKind::ConnectionRefused, "another process listens"));
        }
        connection.set_nonblocking(true)?;
        connection.write_all(&wire::encode_request(record.secret.as_ref(), &Request::Follow)?)?;
        Ok(Self { spool: spool.clone(), log_max: record.log_max, skip: 0, _connection: connection })
    }

    /// Takes note that a log has grown, and says whether it is time for the shim to look.
    pub(crate) fn grown(&mut self) -> bool {
        match self.skip.checked_sub(1) {
            Some(skip) => {
                self.skip = skip;
                false
            }
            None => self.full(),
        }
    }

    /// Looks whether a log is as long as it may be.
    pub(crate) fn full(&mut self) -> bool {
        let logs = [Stream::Output, Stream::Errors].map(|stream| self.spool.log(stream));
        // A log that is gone grows no more.
        let longest = logs.iter().filter_map(|log| Some(std::fs::metadata(log).ok()?.len())).max().unwrap_or(0);
        self.skip = events_to_skip(self.log_max.saturating_sub(longest));
        longest >= self.log_max
    }
}

/// Says how many events may pass while a log has so much room.
fn events_to_skip(left: u64) -> u64 {
    (left / BYTES_PER_EVENT).min(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_looked_at_close_to_the_limit_and_few_far_from_it() {
        assert_eq!([0, 1000, BYTES_PER_EVENT * 7].map(events_to_skip), [0, 0, 7]);
        assert_eq!(events_to_skip(u64::MAX), 1 << 10);
    }
}
