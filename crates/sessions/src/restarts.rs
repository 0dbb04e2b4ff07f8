//! How often processes were started anew because the one before broke off, since this server runs.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use types::Timestamp;

/// What counts as lately, in seconds.
const LATELY_SECS: i64 = 3_600;

/// Most times that are remembered; in an hour that had more, so many are reported.
const TIMES_MAX: usize = 100_000;

/// Counts restarts as they happen.
#[derive(Debug, Default)]
pub(crate) struct Restarts(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    total: u64,
    times: VecDeque<Timestamp>,
}

/// How many restarts there were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestartCount {
    /// Since this server runs.
    pub total: u64,
    /// In the last hour.
    pub last_hour: u64,
}

impl Restarts {
    pub(crate) fn note(&self, now: Timestamp) {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.total += 1;
        counted.times.push_back(now);
        counted.forget(now);
    }

    pub(crate) fn count(&self, now: Timestamp) -> RestartCount {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counted.forget(now);
        RestartCount { total: counted.total, last_hour: counted.times.len() as u64 }
    }
}

impl Counted {
    fn forget(&mut self, now: Timestamp) {
        let since = now.as_second().saturating_sub(LATELY_SECS);
        while self.times.len() > TIMES_MAX || self.times.front().is_some_and(|time| time.as_second() < since) {
            self.times.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_later_a_restart_counts_in_the_total_alone() {
        let restarts = Restarts::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        restarts.note(at(1_000));
        restarts.note(at(2_000));
        assert_eq!(restarts.count(at(4_600)), RestartCount { total: 2, last_hour: 2 });
        assert_eq!(restarts.count(at(4_601)), RestartCount { total: 2, last_hour: 1 });
        assert_eq!(restarts.count(at(9_000)), RestartCount { total: 2, last_hour: 0 });
    }
}
