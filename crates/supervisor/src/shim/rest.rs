//! Waiting, and giving memory back meanwhile: a while after the last thing that happened, and once until the next.
//!
//! Hundreds of shims wait for hours. What each has read of the program in order to start, or to pass a message on, is
//! of no use to it meanwhile.

use std::io;
use std::time::Duration;

use runtime::Clock;
use rustix::event::{PollFd, Timespec, poll};
use rustix::io::Errno;

/// How long nothing happens before memory is given back: longer than a start or an exchange takes.
const QUIET: Duration = Duration::from_secs(1);

/// Whether a shim has released its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// It gives memory back at this time if nothing happens before.
    At(Duration),
    /// It has, and nothing has happened since.
    Taken,
}

impl Rest {
    /// Something happened.
    pub(super) fn after(now: Duration) -> Self {
        Self::At(now + QUIET)
    }

    /// Waits until something happens, for as long as there is time; for ever without a limit.
    ///
    /// A shim that cannot give memory back continues with what it has. Having done so it waits on at once: whatever it
    /// would do in between would be read again.
    pub(super) fn wait(
        &mut self,
        sources: &mut [PollFd<'_>],
        limit: Option<Duration>,
        clock: &Clock,
    ) -> io::Result<()> {
        let (mut happened, mut left) = (false, limit);
        if let Some(rest) = self.due_in(clock.monotonic()).filter(|rest| limit.is_none_or(|limit| *rest < limit)) {
            happened = ready(sources, Some(rest))?;
            left = limit.map(|limit| limit.saturating_sub(rest));
            if !happened {
                *self = Self::Taken;
                let _ = memory_release::give_back();
            }
        }
        if happened || ready(sources, left)? {
            *self = Self::after(clock.monotonic());
        }
        Ok(())
    }

    /// Says for how long to wait until it is time; none if it was.
    const fn due_in(self, now: Duration) -> Option<Duration> {
        match self {
            Self::At(at) => Some(at.saturating_sub(now)),
            Self::Taken => None,
        }
    }
}

/// Sleeps until one of the sources has something, and says whether one has.
fn ready(sources: &mut [PollFd<'_>], limit: Option<Duration>) -> io::Result<bool> {
    let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
    match poll(sources, limit.as_ref()) {
        Ok(count) => Ok(count > 0),
        Err(Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::os::unix::net::UnixStream;

    use rustix::event::PollFlags;

    use super::*;

    #[test]
    fn it_is_time_once_after_a_quiet_while() {
        let rest = Rest::after(Duration::from_secs(10));
        assert_eq!(rest.due_in(Duration::from_secs(10)), Some(QUIET));
        assert_eq!(rest.due_in(Duration::from_secs(20)), Some(Duration::ZERO));
        assert_eq!(Rest::Taken.due_in(Duration::from_secs(20)), None);
    }

    #[test]
    fn whoever_rested_rests_no_more_until_something_happens_and_a_short_wait_is_no_rest() {
        let clock = Clock::system();
        let (mine, mut theirs) = UnixStream::pair().unwrap();
        let sources = &mut [PollFd::new(&mine, PollFlags::IN)];
        let due = Rest::At(clock.monotonic());
        let mut rest = due;
        rest.wait(sources, Some(Duration::ZERO), &clock).unwrap();
        assert_eq!(rest, due);
        rest.wait(sources, Some(Duration::from_millis(1)), &clock).unwrap();
        assert_eq!(rest, Rest::Taken);
        theirs.write_all(b"something").unwrap();
        rest.wait(sources, None, &clock).unwrap();
        assert!(rest.due_in(clock.monotonic()) > Some(QUIET / 2), "{rest:?}");
    }
}
