//! How long the logs may become, and when to look at them again: pure decisions.
//!
//! The kernel tells nobody that a file has grown except through a watch, of which a user has fewer than agents; and a
//! limit on the files of a process would also hit the files that it is there to write. So whoever follows a spool, and
//! has one watch for all of them, watches for the shim; while nobody follows, the shim looks from time to time, often
//! enough for the fastest disk.

use std::time::Duration;

use crate::spool::Stream;

/// No disk is filled faster than this, in bytes per millisecond.
const FASTEST: u64 = 1 << 20;
/// How soon it is looked again at the most, and at the least.
const SOONEST: Duration = Duration::from_millis(20);
const LATEST: Duration = Duration::from_secs(2);

/// What is left of the longest that a log may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// Each log may take at least so much more.
    Left(u64),
    /// This log is as long as it may be.
    Reached(Stream),
    /// This log goes on growing although its agent was asked to end.
    Exceeded(Stream),
}

/// Says what room there is in logs of these lengths.
pub(super) fn room(output: u64, errors: u64, max: u64) -> Room {
    let (stream, length) = if errors > output { (Stream::Errors, errors) } else { (Stream::Output, output) };
    // A quarter more is for what an agent says on its way out.
    if length > max.saturating_add(max / 4) {
        Room::Exceeded(stream)
    } else if length >= max {
        Room::Reached(stream)
    } else {
        Room::Left(max - length)
    }
}

/// Says when to look again, if nobody else does.
pub(super) fn look_again(left: u64) -> Duration {
    Duration::from_millis(left / FASTEST).clamp(SOONEST, LATEST)
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn the_longer_log_counts_and_a_full_one_is_named() {
        assert_eq!(room(10, 30, 100), Room::Left(70));
        assert_eq!(room(100, 30, 100), Room::Reached(Stream::Output));
        assert_eq!(room(10, 125, 100), Room::Reached(Stream::Errors));
        assert_eq!(room(10, 126, 100), Room::Exceeded(Stream::Errors));
    }

    proptest! {
        #[test]
        fn a_log_is_full_exactly_from_its_limit_on(output: u64, errors: u64, max: u64) {
            let full = !matches!(room(output, errors, max), Room::Left(_));
            prop_assert_eq!(full, output >= max || errors >= max);
        }

        #[test]
        fn it_is_looked_again_before_a_disk_could_fill_what_is_left_and_never_without_a_pause(left: u64) {
            let wait = look_again(left);
            prop_assert!(wait >= SOONEST && wait <= LATEST);
            prop_assert!(wait == SOONEST || wait.as_millis() as u64 * FASTEST <= left);
        }
    }
}
