//! How many agents run at once, and who waits for one to end.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

/// Counts the agents that run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slots(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<u32>,
    freed: Notify,
    /// Rung for the one who starts new work, beside those who wait for a slot.
    eased: Notify,
}

/// The right to run one agent; dropped, it goes to somebody else.
#[derive(Debug)]
pub(crate) struct Slot(Arc<Shared>);

impl Slots {
    /// Takes a slot, unless `max` are taken.
    pub(crate) fn take(&self, max: u32) -> Option<Slot> {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        (*taken < max).then(|| {
            *taken += 1;
            Slot(Arc::clone(&self.0))
        })
    }

    /// Takes a slot for an agent that runs already, however many do.
    pub(crate) fn found(&self) -> Slot {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Slot(Arc::clone(&self.0))
    }

    /// Tells how many are taken.
    pub(crate) fn taken(&self) -> u32 {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until starting may have become easier; what happened while nobody waited counts.
    pub(crate) async fn eased(&self) {
        self.0.eased.notified().await;
    }

    /// Says that starting may have become easier.
    pub(crate) fn ease(&self) {
        self.0.eased.notify_one();
    }

    /// Waits for a slot; those who wait first get theirs first, as far as the limit lets them.
    pub(crate) async fn wait(&self, max: impl Fn() -> u32) -> Slot {
        loop {
            let freed = self.0.freed.notified();
            if let Some(slot) = self.take(max()) {
                return slot;
            }
            freed.await;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.freed.notify_one();
        self.0.eased.notify_one();
    }
}
