//! How many agents run at once, and who waits for one to end; as `sessions` has it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

#[derive(Debug, Clone, Default)]
pub(super) struct Slots(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    taken: Mutex<u32>,
    freed: Notify,
    eased: Notify,
}

/// The right to run one agent; dropped, it goes to somebody else.
#[derive(Debug)]
pub(super) struct Slot(Arc<Shared>);

impl Slots {
    pub(super) fn take(&self, max: u32) -> Option<Slot> {
        let mut taken = self.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        (*taken < max).then(|| {
            *taken += 1;
            Slot(Arc::clone(&self.0))
        })
    }

    pub(super) fn found(&self) -> Slot {
        *self.0.taken.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Slot(Arc::clone(&self.0))
    }

    pub(super) async fn eased(&self) {
        self.0.eased.notified().await;
    }

    pub(super) fn ease(&self) {
        self.0.eased.notify_one();
    }

    pub(super) async fn wait(&self, max: u32) -> Slot {
        loop {
            let freed = self.0.freed.notified();
            if let Some(slot) = self.take(max) {
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
