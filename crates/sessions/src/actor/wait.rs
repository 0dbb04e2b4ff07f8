//! Waiting without a process: for a time, a slot, an account, a budget or a person.

use std::sync::Arc;

use store::Tail;
use types::{Approval, ApprovalId, ApprovalState, Assignment, Mission, MissionId, SessionEnding, Timestamp, Wait};

use super::{Actor, Command, Flow};
use crate::Result;
use crate::manager::Shared;
use crate::slots::{Seat, Slot};

impl Actor {
    /// Waits until it may go on; whoever is told to go while it waits is gone at once.
    pub(super) async fn wait(&mut self, wait: Wait, until: Option<Timestamp>) -> Result<Flow> {
        let mut unparked = self.shared.unparked.subscribe();
        let mut turned = self.shared.ledger.turns();
        let mut settings = self.shared.parts.settings.clone();
        let shared = Arc::clone(&self.shared);
        let mine = self.session.mission.clone().filter(|_| matches!(wait, Wait::Parked { .. } | Wait::Budget));
        // Listened to before the look, so that what happens in between is heard.
        let mut tail = shared.parts.store.tail(shared.parts.store.position());
        let seat = Seat::of(&self.session);
        let due = due(&shared, &seat, &wait, until);
        tokio::pin!(due);
        loop {
            if let Some(mine) = &mine
                && is_lost(&shared, mine).await?
            {
                return self.again().await;
            }
            // Asked after the bell was hung up, so that an account which became good before it rang is not missed.
            if matches!(wait, Wait::Parked { .. })
                && shared.blocked(&self.session, shared.parts.clock.now()).await?.is_none()
            {
                return self.again().await;
            }
            if wait == Wait::Budget {
                let over = shared.overdrawn(&self.session, shared.parts.clock.now()).await?;
                // One that waits for another budget by now waits for another time, and says so.
                if over.is_none_or(|over| over.resets_at != until) {
                    return self.again().await;
                }
            }
            // Whoever is told to go on finds the answer stored, also one that came while no server ran.
            if let Wait::Approval { approval } = &wait
                && is_answered(&shared, approval).await?
            {
                return self.again().await;
            }
            if let Wait::Question { .. } = &wait
                && shared.may_go_on(&self.session.id).await?
            {
                return self.again().await;
            }
            tokio::select! {
                biased;
                () = self.server.asked() => return Ok(Flow::Leave),
                slot = &mut due => return self.wake(slot).await,
                () = moved(&shared, &mut tail, mine.as_ref().map(|mine| &mine.mission)) => {}
                _ = unparked.changed(), if matches!(wait, Wait::Parked { .. }) => {}
                Ok(()) = turned.changed(), if wait == Wait::Budget => {}
                Ok(()) = settings.changed(), if matches!(wait, Wait::Parked { .. } | Wait::Budget) => {}
                command = self.commands.recv() => match command {
                    Some(Command::Stop { by }) => {
                        self.dismissed = Some(by.clone());
                        return self.end(SessionEnding::Cancelled { by }).await;
                    }
                    Some(Command::Letters | Command::Answered | Command::Overdrawn | Command::CeilingsChanged | Command::PermissionsChanged) => {}
                    None => return Ok(Flow::Leave),
                },
            }
        }
    }
}

impl Actor {
    /// Goes on with the slot that it waited for; if that fails, the slot is somebody else's.
    async fn wake(&mut self, slot: Option<Slot>) -> Result<Flow> {
        let waited = slot.is_some();
        self.slot = slot.or(self.slot.take());
        let gone_on = self.again().await;
        if waited && gone_on.is_err() {
            self.slot = None;
        }
        gone_on
    }
}

/// Tells whether a person has said what a session waits for. One that is not there any more is asked for again.
async fn is_answered(shared: &Shared, approval: &ApprovalId) -> Result<bool> {
    let found = shared.parts.store.get::<Approval>(approval).await?;
    Ok(found.is_none_or(|approval| approval.state != ApprovalState::Waiting))
}

/// Tells whether the mission that a session waits with went another way: somebody moved it, or took it.
async fn is_lost(shared: &Shared, mine: &Assignment) -> Result<bool> {
    let mission = shared.parts.store.get::<Mission>(&mine.mission).await?;
    Ok(mission.is_none_or(|mission| mission.holders != mine.generation))
}

/// Waits until something is told of a mission; for ever without one.
async fn moved(shared: &Shared, tail: &mut Tail, mission: Option<&MissionId>) {
    let Some(mission) = mission else { return futures::future::pending().await };
    while let Ok(entry) = tail.next().await {
        if entry.change.events.iter().any(|event| event.mission() == Some(mission)) {
            return;
        }
    }
    // A feed that cannot be read tells nothing; the mission is looked at instead.
    shared.parts.clock.sleep(super::PAUSE).await;
}

/// Waits for the time or the slot, and returns the slot.
async fn due(shared: &Shared, seat: &Seat, wait: &Wait, until: Option<Timestamp>) -> Option<Slot> {
    match (wait, until) {
        (Wait::Slot, _) => Some(slot(shared, seat).await),
        (Wait::Approval { .. } | Wait::Question { .. }, _) => futures::future::pending().await,
        (Wait::BackOff { .. } | Wait::Parked { .. } | Wait::Budget, Some(until)) => {
            shared.parts.clock.sleep_until(until).await;
            None
        }
        (Wait::BackOff { .. } | Wait::Parked { .. } | Wait::Budget, None) => futures::future::pending().await,
    }
}

/// Waits for a slot; the settings may make some.
async fn slot(shared: &Shared, seat: &Seat) -> Slot {
    let mut settings = shared.parts.settings.clone();
    loop {
        tokio::select! {
            biased;
            slot = shared.slots.wait(seat, || shared.room()) => return slot,
            Ok(()) = settings.changed() => {}
        }
    }
}
