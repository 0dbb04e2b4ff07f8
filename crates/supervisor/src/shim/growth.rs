//! How long the logs may become, and when to look at them again: pure decisions.
//!
//! The kernel reports the growth of a file only through a watch, of which a user has fewer than agents; and a
//! limit on the files of a process would also hit the files that it is there to write. So a follower of a spool, which
//! has one watch for all of them, watches for the shim; without a follower, the shim looks from time to time, often
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
    /// This one is as long as it may be.
    None(Full),
}

/// A log that is as long as it may be, or longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full {
    pub(super) stream: Stream,
    pub(super) length: u64,
}

/// Says what room there is in logs of these lengths.
pub(super) fn room(output: u64, errors: u64, max: u64) -> Room {
    let (stream, length) = if errors > output { (Stream::Errors, errors) } else { (Stream::Output, output) };
    if length < max { Room::Left(max - length) } else { Room::None(Full { stream, length }) }
}

/// Returns whether an agent that was asked to end when its log was `asked` writes more than its last words.
pub(super) const fn goes_on(now: Full, asked: Full, max: u64) -> bool {
    now.length > asked.length.saturating_add(max / 4)
}

/// Returns when to look again, if no follower does.
pub(super) fn look_again(left: u64) -> Duration {
    Duration::from_millis(left / FASTEST).clamp(SOONEST, LATEST)
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    const fn full(stream: Stream, length: u64) -> Full {
        Full { stream, length }
    }

    #[test]
    fn the_longer_log_counts_and_a_full_one_is_named() {
        assert_eq!(room(10, 30, 100), Room::Left(70));
        assert_eq!(room(100, 30, 100), Room::None(full(Stream::Output, 100)));
        assert_eq!(room(10, 500, 100), Room::None(full(Stream::Errors, 500)));
    }

    #[test]
    fn last_words_are_not_going_on_however_long_the_log_was_when_the_agent_was_asked() {
        for asked in [100, 1000] {
            let asked = full(Stream::Output, asked);
            assert!(!goes_on(full(Stream::Output, asked.length + 25), asked, 100));
            assert!(goes_on(full(Stream::Output, asked.length + 26), asked, 100));
        }
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
