//! How an agent is got to go: asked by closing its input, then by a signal, then killed. A pure decision of time.
//!
//! Some agents do not go when their input is closed, and some do not on a signal; within six seconds they are gone,
//! which is less than a shim gives.

use std::time::Duration;

/// How long a turn that was stopped may take to say how far it got.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long an agent may take to go once its input is closed.
const AFTER_CLOSING: Duration = Duration::from_secs(2);

/// How long it may take once it was signalled.
const AFTER_SIGNAL: Duration = Duration::from_secs(2);

/// How long it may take to be gone once it was killed, and for what it wrote to arrive.
const AFTER_END: Duration = Duration::from_millis(500);

/// How far an agent is on its way out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Shutdown {
    /// It stays.
    #[default]
    No,
    /// It was asked to break off and may say how far it got.
    Stopping { until: Duration },
    /// Its input is closed.
    Closed { until: Duration },
    /// It was signalled.
    Signalled { until: Duration },
    /// It was killed, or went by itself: what it wrote is on its way.
    Ended { until: Duration },
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing, for so long; for ever if there is no limit.
    Wait(Option<Duration>),
    /// Close its input.
    Close,
    /// Ask by a signal.
    Signal,
    /// Kill it.
    Kill,
    /// Wait no longer.
    Over,
}

impl Shutdown {
    /// A stop was requested: it may interrupt the turn cleanly. A second request ends it at once.
    pub(crate) fn stop(&mut self, now: Duration) {
        *self = match self {
            Self::No => Self::Stopping { until: now + LAST_WORDS },
            Self::Stopping { .. } | Self::Closed { .. } | Self::Signalled { .. } => Self::Signalled { until: now },
            Self::Ended { until } => Self::Ended { until: *until },
        };
    }

    /// There is nothing more to say to it.
    pub(crate) fn over(&mut self, now: Duration) {
        *self = match self {
            Self::No | Self::Stopping { .. } => Self::Stopping { until: now },
            Self::Closed { until } => Self::Closed { until: *until },
            Self::Signalled { until } => Self::Signalled { until: *until },
            Self::Ended { until } => Self::Ended { until: *until },
        };
    }

    /// It is gone.
    pub(crate) fn gone(&mut self, now: Duration) {
        if !matches!(self, Self::Ended { .. }) {
            *self = Self::Ended { until: now + AFTER_END };
        }
    }

    /// Decides what to do next.
    pub(crate) fn next(&mut self, now: Duration) -> Step {
        let (until, after, step) = match *self {
            Self::No => return Step::Wait(None),
            Self::Stopping { until } => (until, Self::Closed { until: now + AFTER_CLOSING }, Step::Close),
            Self::Closed { until } => (until, Self::Signalled { until: now + AFTER_SIGNAL }, Step::Signal),
            Self::Signalled { until } => (until, Self::Ended { until: now + AFTER_END }, Step::Kill),
            Self::Ended { until } => (until, *self, Step::Over),
        };
        if now < until {
            return Step::Wait(Some(until - now));
        }
        *self = after;
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn an_agent_that_stays_is_waited_for() {
        assert_eq!(Shutdown::No.next(at(7)), Step::Wait(None));
    }

    #[test]
    fn one_that_is_through_has_its_input_closed_at_once_and_is_signalled_and_killed_in_time() {
        let mut leaving = Shutdown::No;
        leaving.over(at(0));
        assert_eq!(leaving.next(at(0)), Step::Close);
        assert_eq!(leaving.next(at(500)), Step::Wait(Some(at(1500))));
        assert_eq!(leaving.next(at(2000)), Step::Signal);
        assert_eq!(leaving.next(at(4000)), Step::Kill);
        assert_eq!(leaving.next(at(4500)), Step::Over);
    }

    #[test]
    fn one_that_is_stopped_has_time_for_its_last_words() {
        let mut leaving = Shutdown::No;
        leaving.stop(at(0));
        assert_eq!(leaving.next(at(0)), Step::Wait(Some(at(2000))));
        leaving.over(at(300));
        assert_eq!(leaving.next(at(300)), Step::Close);
    }

    #[test]
    fn who_is_stopped_twice_is_killed() {
        let mut leaving = Shutdown::No;
        leaving.stop(at(0));
        leaving.stop(at(1));
        assert_eq!(leaving.next(at(1)), Step::Kill);
    }

    #[test]
    fn whatever_is_asked_the_end_comes_within_seven_seconds() {
        for first in [Shutdown::stop, Shutdown::over, Shutdown::gone] {
            for again in [Shutdown::over, Shutdown::gone] {
                let mut leaving = Shutdown::No;
                first(&mut leaving, at(0));
                again(&mut leaving, at(1));
                let (mut now, mut over) = (at(1), false);
                for _ in 0..20 {
                    match leaving.next(now) {
                        Step::Wait(limit) => now += limit.unwrap(),
                        Step::Over => over = true,
                        Step::Close | Step::Signal | Step::Kill => {}
                    }
                }
                assert!(over && now <= at(7000), "{leaving:?} at {now:?}");
            }
        }
    }
}
