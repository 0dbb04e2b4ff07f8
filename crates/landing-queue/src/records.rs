//! Reads the landings of a queue, and moves a landing together with its mission, only from the state that was read.

use missions::{Arrival, Standing};
use store::{Query, Stamp, Store, by};
use types::{Event, Landing, LandingState, Mission};

use crate::Result;
use crate::check_evidence::add_to_report;
use crate::landings::Landings;

/// Landings read at once.
const PAGE: usize = 100;

/// The result of moving a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Move {
    /// The landing as it is stored now.
    Done(Box<Landing>),
    /// Another writer has moved or deleted it meanwhile: nothing was changed.
    Lost,
}

impl Landings {
    /// Reads a whole queue, oldest first.
    pub(crate) async fn queue(&self, folder: &str, target: Option<&str>) -> Result<Vec<Landing>> {
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

    /// Reads a landing, and its place in its mission, as both were at one moment; none if it is gone.
    ///
    /// Sessions put landings back in the queue meanwhile: one that was read as sent back, with a mission that was read
    /// when its agent had already ended again, would have the agent resumed for nothing.
    pub(crate) async fn at_one_moment(&self, mut landing: Landing) -> Result<Option<(Landing, Standing)>> {
        loop {
            let mission = self.store.get::<Mission>(&landing.mission).await?;
            let Some(now) = self.store.get::<Landing>(&landing.id).await? else { return Ok(None) };
            if now == landing {
                return Ok(Some((now, missions::standing(mission.as_ref(), &landing))));
            }
            landing = now;
        }
    }

    /// Moves a landing and, with it, its mission: see [`move_landing`].
    pub(crate) async fn move_landing(
        &self,
        seen: &Landing,
        next: Landing,
        arrival: Option<Arrival>,
        by: &Stamp,
    ) -> Result<Move> {
        Ok(move_landing(&self.store, seen, next, arrival, by).await?)
    }

    /// Moves a landing to another state and leaves its mission alone.
    pub(crate) async fn put_landing(&self, seen: &Landing, state: LandingState) -> Result<Move> {
        let next = Landing { state, ..seen.clone() };
        self.move_landing(seen, next, None, &self.stamp(seen)).await
    }
}

/// Moves a landing from the state that was read to the next and, with it, its mission, in one commit.
///
/// # Errors
/// When the store fails.
pub(crate) async fn move_landing(
    store: &Store,
    seen: &Landing,
    next: Landing,
    arrival: Option<Arrival>,
    by: &Stamp,
) -> std::result::Result<Move, store::Error> {
    let next = &Landing { updated_at: by.at, ..next };
    let arrival = &arrival;
    let moved = store.transact(by, |tx| async move {
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
        add_to_report(store, &tx, next, by.at).await?;
        if let (Some(arrival), Some(mission)) = (arrival, mission)
            && let Some(step) = missions::arrive(&mission.record, seen, arrival.clone(), by.at)
        {
            tx.move_mission(&mission, &step.mission)?;
        }
        Ok(Move::Done(Box::new(next.clone())))
    });
    moved.await
}
