//! Holds an answer until the test releases it: a slow model without waiting for a time.

use std::sync::Arc;

use tokio::sync::watch;

/// Holds an answer back after its first words on the wire, until it is released. Clones share one hold.
#[derive(Debug, Clone)]
pub struct Hold(Arc<watch::Sender<Stage>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No answer has come this far.
    Shut,
    /// An answer waits here.
    Reached,
    /// Whatever comes passes.
    Open,
}

impl Hold {
    /// Makes a hold that is not released.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Stage::Shut)))
    }

    /// Waits until an answer has reached the hold.
    pub async fn reached(&self) {
        // The sender lives as long as `self`, so waiting ends when an answer is there and not before.
        self.0.subscribe().wait_for(|stage| *stage != Stage::Shut).await.ok();
    }

    /// Lets the answer continue, now or when it comes.
    pub fn release(&self) {
        self.0.send_replace(Stage::Open);
    }

    /// Waits until the hold is released.
    pub(crate) async fn pass(&self) {
        let mut stage = self.0.subscribe();
        self.0.send_if_modified(|stage| {
            let first = *stage == Stage::Shut;
            if first {
                *stage = Stage::Reached;
            }
            first
        });
        stage.wait_for(|stage| *stage == Stage::Open).await.ok();
    }
}

impl Default for Hold {
    fn default() -> Self {
        Self::new()
    }
}
