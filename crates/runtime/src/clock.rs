//! The one source of time.
//!
//! A [`Clock`] is a handle: clones of a manual clock share its time, so a test advances one and every holder sees it.
//! Nothing here polls; a sleeper on a manual clock waits for [`Clock::advance`] and for nothing else.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::oneshot;

/// Returns the time and sleeps: the system's, or one that a test moves by hand.
#[derive(Debug, Clone)]
pub struct Clock(Inner);

#[derive(Debug, Clone)]
enum Inner {
    System { origin: Instant },
    Manual(Arc<Mutex<Manual>>),
}

struct Manual {
    start: Timestamp,
    elapsed: Duration,
    next_sleeper: u64,
    /// Ordered by deadline, then by who slept first, which is the order in which they wake.
    sleepers: BTreeMap<(Duration, u64), oneshot::Sender<()>>,
}

/// Reports that a future did not end within its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

impl Clock {
    /// Makes a clock that follows the machine's.
    #[must_use]
    pub fn system() -> Self {
        Self(Inner::System { origin: read_instant() })
    }

    /// Makes a clock that stays at `start` until it is advanced.
    #[must_use]
    pub fn manual(start: Timestamp) -> Self {
        let manual = Manual { start, elapsed: Duration::ZERO, next_sleeper: 0, sleepers: BTreeMap::new() };
        Self(Inner::Manual(Arc::new(Mutex::new(manual))))
    }

    /// Returns the time of day, which may jump when the machine's clock is set.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            Inner::System { .. } => read_timestamp(),
            Inner::Manual(manual) => {
                let manual = lock(manual);
                after(manual.start, manual.elapsed)
            }
        }
    }

    /// Returns the time since this clock was made, which never goes back.
    #[must_use]
    pub fn monotonic(&self) -> Duration {
        match &self.0 {
            Inner::System { origin } => origin.elapsed(),
            Inner::Manual(manual) => lock(manual).elapsed,
        }
    }

    /// Waits for `duration`; on a manual clock, until it has been advanced by that much.
    pub async fn sleep(&self, duration: Duration) {
        match &self.0 {
            Inner::System { .. } => tokio::time::sleep(duration).await,
            Inner::Manual(manual) => {
                let woken = lock(manual).enlist(duration);
                // The sender is dropped only together with the clock, and a dropped clock never advances.
                if woken.await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// Waits until the time of day is `deadline` or later, also when the machine's clock is set in the meantime.
    pub async fn sleep_until(&self, deadline: Timestamp) {
        loop {
            let remaining = deadline.duration_since(self.now());
            match Duration::try_from(remaining) {
                Ok(remaining) if !remaining.is_zero() => self.sleep(remaining).await,
                Ok(_) | Err(_) => return,
            }
        }
    }

    /// Runs `future` for at most `duration`, and drops it then.
    ///
    /// # Errors
    /// [`Elapsed`] when the time was over first.
    pub async fn timeout<F: Future>(&self, duration: Duration, future: F) -> Result<F::Output, Elapsed> {
        tokio::select! {
            biased;
            output = future => Ok(output),
            () = self.sleep(duration) => Err(Elapsed),
        }
    }

    /// Moves a manual clock forward and wakes, in the order of their deadlines, all whose time has come.
    ///
    /// A system clock cannot be moved: there this does nothing, and says so in the log.
    pub fn advance(&self, by: Duration) {
        match &self.0 {
            Inner::System { .. } => tracing::warn!("the system clock was asked to advance"),
            Inner::Manual(manual) => lock(manual).advance(by),
        }
    }

    /// Returns how many sleepers wait on a manual clock, so that a test can tell when a task has gone to sleep.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        match &self.0 {
            Inner::System { .. } => 0,
            Inner::Manual(manual) => lock(manual).waiting(),
        }
    }
}

impl Manual {
    fn enlist(&mut self, duration: Duration) -> oneshot::Receiver<()> {
        let (wake, woken) = oneshot::channel();
        if duration.is_zero() {
            // A closed receiver here would mean that no task sleeps any more.
            let _ = wake.send(());
        } else {
            let id = self.next_sleeper;
            self.next_sleeper += 1;
            self.sleepers.insert((self.elapsed.saturating_add(duration), id), wake);
        }
        woken
    }

    fn advance(&mut self, by: Duration) {
        self.elapsed = self.elapsed.saturating_add(by);
        while let Some(first) = self.sleepers.first_entry() {
            if first.key().0 > self.elapsed {
                break;
            }
            // A sleeper that was dropped meanwhile needs no wake-up.
            let _ = first.remove().send(());
        }
    }

    fn waiting(&mut self) -> usize {
        self.sleepers.retain(|_, wake| !wake.is_closed());
        self.sleepers.len()
    }
}

impl fmt::Debug for Manual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} sleepers", after(self.start, self.elapsed), self.sleepers.len())
    }
}

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time was over")
    }
}

impl std::error::Error for Elapsed {}

/// Adds, saturating at the end of time.
fn after(start: Timestamp, elapsed: Duration) -> Timestamp {
    start.saturating_add(elapsed).unwrap_or(Timestamp::MAX)
}

/// A panic of one holder leaves the clock as good as before: its state is whole between any two statements.
fn lock(manual: &Mutex<Manual>) -> MutexGuard<'_, Manual> {
    manual.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(clippy::disallowed_methods, reason = "this is the clock that everything else takes")]
fn read_instant() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "this is the clock that everything else takes")]
fn read_timestamp() -> Timestamp {
    Timestamp::now()
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
