//! Waiting without a process: for a time, a slot or an account.

use std::sync::Arc;

use types::{SessionEnding, Timestamp, Wait};

use super::{Actor, Command, Flow};
use crate::Result;
use crate::hub::Hub;
use crate::slots::Slot;

impl Actor {
    /// Waits until it may go on; whoever is told to go while it waits is gone at once.
    pub(super) async fn wait(&mut self, wait: Wait, until: Option<Timestamp>) -> Result<Flow> {
        let mut unparked = self.hub.unparked.subscribe();
        let mut settings = self.hub.parts.settings.clone();
        let hub = Arc::clone(&self.hub);
        let due = due(&hub, &wait, until);
        tokio::pin!(due);
        loop {
            // Asked after the bell was hung up, so that an account which became good before it rang is not missed.
            if matches!(wait, Wait::Parked { .. }) && hub.blocked(&self.session, hub.parts.clock.now()).await?.is_none()
            {
                return self.again().await;
            }
            tokio::select! {
                () = self.server.asked() => return Ok(Flow::Leave),
                slot = &mut due => {
                    self.slot = slot.or(self.slot.take());
                    return self.again().await;
                }
                _ = unparked.changed(), if matches!(wait, Wait::Parked { .. }) => {}
                Ok(()) = settings.changed(), if matches!(wait, Wait::Parked { .. }) => {}
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        self.dismissed = Some(by.clone());
                        return self.end(SessionEnding::Cancelled { by }).await;
                    }
                    Some(Command::Letters) => {}
                    None => return Ok(Flow::Leave),
                },
            }
        }
    }
}

/// Waits for the time or the slot, and returns the slot.
async fn due(hub: &Hub, wait: &Wait, until: Option<Timestamp>) -> Option<Slot> {
    match (wait, until) {
        (Wait::Slot, _) => Some(slot(hub).await),
        (Wait::BackOff { .. } | Wait::Parked { .. }, Some(until)) => {
            hub.parts.clock.sleep_until(until).await;
            None
        }
        (Wait::BackOff { .. } | Wait::Parked { .. }, None) => futures::future::pending().await,
    }
}

/// Waits for a slot; the settings may make some.
async fn slot(hub: &Hub) -> Slot {
    let mut settings = hub.parts.settings.clone();
    loop {
        tokio::select! {
            slot = hub.slots.wait(|| hub.settings().max_workers) => return slot,
            Ok(()) = settings.changed() => {}
        }
    }
}
