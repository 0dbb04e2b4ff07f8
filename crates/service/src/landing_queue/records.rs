//! Landings as they stand: read in whole, and moved only from what somebody has seen.

use missions::{Arrival, Standing};
use store::{Query, Stamp, by};
use types::{Event, Handle, Landing, LandingState, Mission};

use crate::checked::note_checks;
use crate::{Result, Service};

/// Landings read at once.
const PAGE: usize = 100;

/// What came of moving a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Move {
    /// It stands so now.
    Done(Box<Landing>),
    /// Somebody else has moved it meanwhile, or deleted it: nothing was changed.
    Lost,
}

impl Service {
    /// Reads a whole queue, oldest first.
    pub(super) async fn queue(&self, folder: &str, target: Option<&str>) -> Result<Vec<Landing>> {
        let mut query = Query::earliest(by::landing::queue(folder, target), PAGE);
        let mut queue = Vec::new();
        loop {
            let page = self.store.list::<Landing>(query.clone()).await?;
            queue.extend(page.records);
            query.after = page.next;
            if query.after.is_none() {
                return Ok(queue);
            }
        }
    }

    /// Says how the mission of a landing stands to it.
    pub(super) async fn standing(&self, landing: &Landing) -> Result<Standing> {
        let mission = self.store.get::<Mission>(&landing.mission).await?;
        Ok(missions::standing(mission.as_ref(), landing))
    }

    /// Moves a landing from what was seen to what it is now and, with it, its mission, in one commit.
    pub(crate) async fn move_landing(
        &self,
        seen: &Landing,
        next: Landing,
        arrival: Option<Arrival>,
        by: &Stamp,
    ) -> Result<Move> {
        let next = &Landing { updated_at: by.at, ..next };
        let arrival = &arrival;
        self.store
            .transact(by, |tx| async move {
                let held = tx.get::<Landing>(&seen.id).await?;
                let Some(held) = held.filter(|held| held.record == *seen) else { return Ok(Move::Lost) };
                let mission = tx.get::<Mission>(&seen.mission).await?;
                let standing = missions::standing(mission.as_ref().map(|mission| &mission.record), seen);
                if next.state.name() == types::LandingStateName::Cleared && standing != Standing::OnItsWay {
                    // Its agent was given it back while it was checked.
                    return Ok(Move::Lost);
                }
                tx.update(&held, next)?;
                let (from, to) = (Some(seen.state.name()), next.state.name());
                let (landing, owner) = (seen.id.clone(), seen.mission.clone());
                tx.append(Event::LandingMoved { landing, mission: owner, from, to });
                note_checks(&self.store, &tx, next, by.at).await?;
                if let (Some(arrival), Some(mission)) = (arrival, mission)
                    && let Some(step) = missions::arrive(&mission.record, seen, arrival.clone(), by.at)
                {
                    tx.update(&mission, &step.mission)?;
                    if step.from != step.to {
                        let mission = step.mission.id.clone();
                        tx.append(Event::MissionMoved { mission, from: step.from, to: step.to });
                    }
                }
                Ok(Move::Done(Box::new(next.clone())))
            })
            .await
    }

    /// Moves a landing to another state, and its mission not at all.
    pub(super) async fn put_landing(&self, seen: &Landing, state: LandingState) -> Result<Move> {
        let next = Landing { state, ..seen.clone() };
        self.move_landing(seen, next, None, &self.landing_stamp(seen)).await
    }

    /// Says that Fleet itself does something with a landing, now.
    pub(super) fn landing_stamp(&self, landing: &Landing) -> Stamp {
        Stamp { at: self.clock.now(), handle: Handle::owner(), team: landing.team.clone() }
    }
}
