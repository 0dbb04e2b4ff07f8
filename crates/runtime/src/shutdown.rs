//! Ordered, bounded shutdown of a [`Tree`].
//!
//! The phases of [`Phase::ALL`] are stopped one after the other under one grace period. Each later phase is owed a
//! tenth of it, so that a stuck connection cannot take from the store the time to close. What is still alive when its
//! phase's time is over is aborted and named. Nothing is restarted, and no phase is skipped, not even in a hurry.

use std::pin::pin;
use std::time::Duration;

use crate::kind::Phase;
use crate::signal::Signals;
use crate::task::StopReason;
use crate::tree::Tree;

/// How long an aborted task may take to reach an await and be gone, before it is left behind.
const ABORT_WAIT: Duration = Duration::from_secs(1);

/// What a shutdown did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Why the server stopped, if anyone said so.
    pub reason: Option<StopReason>,
    /// One entry for each phase, in order.
    pub phases: Vec<PhaseReport>,
    /// How long all of it took.
    pub took: Duration,
}

/// What one phase of a shutdown did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseReport {
    /// Which phase.
    pub phase: Phase,
    /// How long it took.
    pub took: Duration,
    /// The tasks that did not end in time and were aborted, oldest first.
    pub aborted: Vec<String>,
}

impl Report {
    /// Returns the names of all tasks that had to be aborted.
    pub fn aborted(&self) -> impl Iterator<Item = &str> {
        self.phases.iter().flat_map(|phase| &phase.aborted).map(String::as_str)
    }

    /// Returns whether every task ended by itself.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.aborted().next().is_none()
    }
}

impl Tree {
    /// Waits for a signal or a request to stop, then shuts down; a second signal aborts what is left.
    ///
    /// `grace` is asked when the shutdown begins, so that a setting changed since the start counts.
    pub async fn run(&self, signals: &mut Signals, grace: impl FnOnce() -> Duration) -> Report {
        tokio::select! {
            signal = signals.next() => self.request_stop(StopReason::Signal(signal)),
            _ = self.stop_requested() => {}
        }
        let mut shutdown = pin!(self.shutdown(grace()));
        loop {
            tokio::select! {
                report = &mut shutdown => return report,
                signal = signals.next() => {
                    tracing::warn!(%signal, "asked again to stop, aborting what is left");
                    self.abort();
                }
            }
        }
    }

    /// Stops every phase in order within `grace`, and says what had to be aborted.
    ///
    /// Must not be awaited by a task of this tree, which would wait for itself until it is aborted.
    pub async fn shutdown(&self, grace: Duration) -> Report {
        let clock = &self.inner.clock;
        let begun = clock.monotonic();
        let reason = self.inner.reason.borrow().clone();
        let why = reason.as_ref().map(ToString::to_string);
        tracing::info!(reason = why, live = self.live().len(), grace_secs = grace.as_secs(), "shutting down");

        let mut phases = Vec::with_capacity(Phase::ALL.len());
        for phase in Phase::ALL {
            phases.push(self.stop_phase(phase, begun.saturating_add(share(grace, phase))).await);
        }
        Report { reason, phases, took: clock.monotonic().saturating_sub(begun) }
    }

    /// Gives up the rest of the grace period of a running or coming shutdown.
    pub fn abort(&self) {
        self.inner.hurry.cancel();
    }

    async fn stop_phase(&self, phase: Phase, deadline: Duration) -> PhaseReport {
        let inner = &self.inner;
        let begun = inner.clock.monotonic();
        inner.phases[phase.index()].cancel();
        // Earlier phases count too: one of their tasks may have been spawned after they were stopped.
        let so_far = &Phase::ALL[..=phase.index()];

        tokio::select! {
            biased;
            () = self.gone(so_far) => {}
            () = inner.hurry.cancelled() => {}
            () = inner.clock.sleep(deadline.saturating_sub(begun)) => {}
        }
        let aborted = inner.abort(so_far);
        if !aborted.is_empty() && inner.clock.timeout(ABORT_WAIT, self.gone(so_far)).await.is_err() {
            tracing::error!(%phase, "aborted tasks do not yield and are left behind");
        }

        let took = inner.clock.monotonic().saturating_sub(begun);
        if aborted.is_empty() {
            tracing::debug!(%phase, took_ms = took.as_millis(), "phase stopped");
        } else {
            tracing::warn!(%phase, took_ms = took.as_millis(), aborted = aborted.join(", "), "phase stopped, tasks aborted");
        }
        PhaseReport { phase, took, aborted }
    }

    /// Waits until no task of these phases is alive.
    async fn gone(&self, phases: &[Phase]) {
        loop {
            // Subscribed before the look, so that an end between the two is not missed.
            let mut ended = pin!(self.inner.ended.notified());
            ended.as_mut().enable();
            if !self.inner.any_live(phases) {
                return;
            }
            ended.await;
        }
    }
}

/// Returns how much of the grace period may be over when this phase ends.
fn share(grace: Duration, phase: Phase) -> Duration {
    let later = Phase::ALL[phase.index() + 1..].iter().map(|_| grace / 10).sum();
    grace.saturating_sub(later)
}
