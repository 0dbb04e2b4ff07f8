//! A load: the same request over several kept connections, for a time or a number of times.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::http::{Connection, Request};

/// What to send, how often, and for how long.
pub(super) struct Load<'a> {
    pub(super) request: &'a Request,
    pub(super) connections: usize,
    pub(super) span: Option<Duration>,
    pub(super) count: Option<usize>,
}

/// What came of it.
pub(super) struct Done {
    /// Sorted.
    latencies: Vec<Duration>,
    pub(super) failed: usize,
    took: Duration,
}

impl Load<'_> {
    pub(super) fn run(&self, address: SocketAddr) -> Result<Done> {
        let left = AtomicUsize::new(self.count.unwrap_or(usize::MAX));
        let started = Instant::now();
        let parts = thread::scope(|scope| {
            let threads: Vec<_> =
                (0..self.connections).map(|_| scope.spawn(|| self.one(address, &left, started))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Ok((Vec::new(), 1)))).collect::<Vec<_>>()
        });
        let took = started.elapsed();
        let mut latencies = Vec::new();
        let mut failed = 0;
        for part in parts {
            let (times, failures) = part?;
            latencies.extend(times);
            failed += failures;
        }
        latencies.sort();
        Ok(Done { latencies, failed, took })
    }

    fn one(&self, address: SocketAddr, left: &AtomicUsize, started: Instant) -> Result<(Vec<Duration>, usize)> {
        let mut connection = Connection::open(address)?;
        let (mut times, mut failed) = (Vec::new(), 0);
        let in_time = || self.span.is_none_or(|span| started.elapsed() < span);
        let take = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
        while in_time() && take() {
            let sent = Instant::now();
            let status = connection.send(self.request)?.0;
            times.push(sent.elapsed());
            failed += usize::from(!(200..300).contains(&status));
        }
        Ok((times, failed))
    }
}

impl Done {
    pub(super) fn per_second(&self) -> u64 {
        (self.latencies.len() as f64 / self.took.as_secs_f64()) as u64
    }

    /// How many answers came, whatever they said.
    pub(super) fn answered(&self) -> usize {
        self.latencies.len()
    }

    pub(super) fn seconds(&self) -> f64 {
        self.took.as_secs_f64()
    }

    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let last = self.latencies.len().saturating_sub(1);
        self.latencies.get(last * percent / 100).copied().unwrap_or_default()
    }
}
