//! What happened, in order: a hash of all of it, and the end of it to read.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use runtime::Clock;

/// Lines kept to be read.
const TAIL_MAX: usize = 80;

/// The record of a run. Clones share it.
#[derive(Debug, Clone)]
pub struct Trace {
    clock: Clock,
    lines: Arc<Mutex<Lines>>,
}

#[derive(Debug, Default)]
struct Lines {
    hash: u64,
    count: u64,
    tail: VecDeque<String>,
    violation: Option<String>,
}

impl Trace {
    pub(crate) fn new(clock: Clock) -> Self {
        Self { clock, lines: Arc::default() }
    }

    /// Notes something that happened.
    pub fn note(&self, what: &str) {
        let line = format!("{:>12.3}s  {what}", self.clock.monotonic().as_secs_f64());
        let mut lines = self.lines();
        for byte in line.bytes() {
            lines.hash = (lines.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(5);
        }
        lines.count += 1;
        if lines.tail.len() == TAIL_MAX {
            lines.tail.pop_front();
        }
        lines.tail.push_back(line);
    }

    /// Notes that a promise was broken; the first counts.
    pub fn broken(&self, promise: &str) {
        self.note(&format!("BROKEN: {promise}"));
        self.lines().violation.get_or_insert_with(|| promise.to_owned());
    }

    pub(crate) fn violation(&self) -> Option<String> {
        self.lines().violation.clone()
    }

    pub(crate) fn hash(&self) -> u64 {
        self.lines().hash
    }

    pub(crate) fn count(&self) -> u64 {
        self.lines().count
    }

    pub(crate) fn tail(&self) -> Vec<String> {
        self.lines().tail.iter().cloned().collect()
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
