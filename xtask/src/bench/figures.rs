//! Times, and what is told of many of them.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Times in microseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Times(Vec<u64>);

impl Times {
    pub(super) fn add(&mut self, us: u64) {
        self.0.push(us);
    }

    pub(super) fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    pub(super) fn percentile(&self, percent: usize) -> u64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        // The last of a hundred is the 99th percentile: what is told is never less than what happened.
        let place = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
        sorted.get(place).copied().unwrap_or_default()
    }

    pub(super) fn told(&self) -> Value {
        let told = |percent| ms(self.percentile(percent));
        json!({ "p50_ms": told(50), "p99_ms": told(99), "count": self.0.len() })
    }
}

/// How often the one fits into the other, by their medians.
pub(super) fn ratio(ours: &Times, limit: &Times) -> f64 {
    let ratio = ours.percentile(50) as f64 / limit.percentile(50).max(1) as f64;
    (ratio * 100.0).round() / 100.0
}

/// Milliseconds with two decimals.
fn ms(us: u64) -> f64 {
    (us as f64 / 10.0).round() / 100.0
}

/// The time of day, in microseconds since 1970, as agents write it.
pub(super) fn now_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// When an agent wrote a line `flood 7 at 1794786717362799 us of …`.
pub(super) fn written_us(line: &str) -> Option<u64> {
    let (_, rest) = line.split_once("flood ")?.1.split_once(" at ")?;
    rest.split(' ').next()?.parse().ok()
}

/// A time of the product's own files.
pub(super) fn stamp_us(text: &str) -> Result<u64> {
    let stamp: jiff::Timestamp = text.parse()?;
    u64::try_from(stamp.as_microsecond()).context("a time before 1970")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_line_is_read_in_its_log_and_in_a_frame() {
        let log = r#"{"kind":"text","text":"flood 41 at 1794786717362799 us of 70a0","within":null}"#;
        let frame = r#"{"type":"text","text":"\nflood 41 at 1794786717362799 us of 70a0\n"}"#;
        assert_eq!(written_us(log), Some(1_794_786_717_362_799));
        assert_eq!(written_us(frame), Some(1_794_786_717_362_799));
        assert_eq!(written_us("something else"), None);
        assert_eq!(stamp_us("2026-11-15T23:51:57.33947186Z").unwrap(), 1_794_786_717_339_471);
    }

    #[test]
    fn a_percentile_is_never_less_than_what_happened() {
        let times = Times((1..=50).collect());
        assert_eq!((times.percentile(50), times.percentile(99)), (25, 50));
        assert_eq!(Times::default().percentile(99), 0);
    }
}
