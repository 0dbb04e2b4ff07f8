//! What people can say about a landing: take it out, or have it tried again.

use missions::{Arrival, Relaunch};
use types::{Event, Handle, Landing, LandingId, LandingState, LandingStateName, Mission};

use crate::server::Server;

impl Server {
    /// Takes a landing out of the queue; returns whether it was in it.
    pub(crate) async fn drop_landing(&self, id: &LandingId) -> Result<bool, store::Error> {
        let (stamp, by) = (&self.stamp(), &Handle::owner());
        let dropped = self.store.transact(stamp, |tx| async move {
            let Some(held) = tx.get::<Landing>(id).await? else { return Ok(false) };
            let from = held.record.state.name();
            // The target branch may have moved with one that is cleared, and a returned one is its session's.
            let out = match from {
                LandingStateName::Queued
                | LandingStateName::Review
                | LandingStateName::Waiting
                | LandingStateName::Stuck => true,
                LandingStateName::Cleared
                | LandingStateName::Returned
                | LandingStateName::Landed
                | LandingStateName::Dropped => false,
            };
            if !out {
                return Ok(false);
            }
            let state = LandingState::Dropped { at: stamp.at, by: by.clone(), why: String::new() };
            let moved = Landing { state, updated_at: stamp.at, ..held.record.clone() };
            tx.update(&held, &moved)?;
            tx.append(moved_event(Some(from), &moved));
            if let Some(held) = tx.get::<Mission>(&moved.mission).await?
                && let Some(step) =
                    missions::arrive(&held.record, &moved, Arrival::Dropped { by: by.clone() }, stamp.at)
            {
                tx.update(&held, &step.mission)?;
                tx.append(Event::MissionMoved { mission: moved.mission.clone(), from: step.from, to: step.to });
            }
            Ok::<_, store::Error>(true)
        });
        dropped.await
    }

    /// Puts a landing that waits for a person into the queue; returns whether it did.
    pub(crate) async fn retry_landing(&self, id: &LandingId) -> Result<bool, store::Error> {
        let stamp = &self.stamp();
        let retried = self.store.transact(stamp, |tx| async move {
            let Some(held) = tx.get::<Landing>(id).await? else { return Ok(false) };
            let from = held.record.state.name();
            if !matches!(from, LandingStateName::Review | LandingStateName::Stuck) {
                return Ok(false);
            }
            let Some(mission) = tx.get::<Mission>(&held.record.mission).await? else { return Ok(false) };
            let queued = Landing {
                returns: 0,
                sent_back: Vec::new(),
                state: LandingState::Queued { since: stamp.at },
                updated_at: stamp.at,
                ..held.record.clone()
            };
            match missions::relaunch(&mission.record, &queued, stamp.at) {
                Relaunch::Elsewhere => return Ok(false),
                Relaunch::OnItsWay => {}
                Relaunch::Moved(step) => {
                    tx.update(&mission, &step.mission)?;
                    tx.append(Event::MissionMoved { mission: queued.mission.clone(), from: step.from, to: step.to });
                }
            }
            tx.update(&held, &queued)?;
            tx.append(moved_event(Some(from), &queued));
            Ok::<_, store::Error>(true)
        });
        retried.await
    }
}

fn moved_event(from: Option<LandingStateName>, moved: &Landing) -> Event {
    let (landing, mission, to) = (moved.id.clone(), moved.mission.clone(), moved.state.name());
    Event::LandingMoved { landing, mission, from, to }
}
