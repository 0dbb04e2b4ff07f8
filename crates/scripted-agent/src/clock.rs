//! The time, for a process without a runtime: what a flood is stamped with, and when a sleep is over.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Returns the time of day in microseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the clock of `runtime` comes with a runtime, which this agent has not")]
pub(crate) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Returns a time that never goes back.
#[expect(clippy::disallowed_methods, reason = "the clock of `runtime` comes with a runtime, which this agent has not")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns when `ms` from now is; none if that is beyond all times.
pub(crate) fn after_ms(ms: u64) -> Option<Instant> {
    now().checked_add(Duration::from_millis(ms))
}

/// Returns the milliseconds until `deadline`, rounded up.
pub(crate) fn ms_until(deadline: Instant) -> u64 {
    let left = deadline.saturating_duration_since(now());
    u64::try_from(left.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}
