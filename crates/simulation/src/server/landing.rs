//! The queue of finished branches, and what follows for their missions; as `service` has it.

use std::sync::Arc;
use std::time::Duration;

use landing::{Candidate, Follows, follows, next};
use missions::{Arrival, Relaunch, Standing, standing};
use store::{Query, Transaction, by};
use tokio::sync::mpsc;
use types::{Event, Handle, Landing, LandingId, LandingState, LandingStateName, Mission, Obstacle};

use super::desk::Desk;
use super::{NotBegun, Server};
use crate::bug::Bug;
use crate::lander::{batch, numbered};

/// How long to wait before what stands in the way of a landing is looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(15);

/// Most landings looked at in one go.
const QUEUE_MAX: usize = 100;

/// Lands branches until the server dies.
pub(super) async fn land(server: Arc<Server>) {
    let mut tail = server.store.tail(server.store.position());
    loop {
        let waiting = match server.land_queued().await {
            Ok(waiting) => waiting,
            Err(error) => {
                server.site.trace.note(&format!("landings cannot go on: {error}"));
                true
            }
        };
        let queued = async {
            while let Ok(entry) = tail.next().await {
                if entry.change.events.iter().any(joins) {
                    return;
                }
            }
            server.site.clock.sleep(LOOK_AGAIN).await;
        };
        tokio::select! {
            biased;
            () = queued => {}
            () = server.site.clock.sleep(LOOK_AGAIN), if waiting && !server.site.has(Bug::LeavesLandings) => {}
        }
    }
}

/// Tells whether an event puts somebody into the queue.
fn joins(event: &Event) -> bool {
    matches!(event, Event::LandingMoved { to: LandingStateName::Queued, .. })
}

impl Server {
    /// Lands what is queued; says whether something waits that no event will tell of.
    async fn land_queued(self: &Arc<Self>) -> Result<bool, store::Error> {
        let waiting = self.take_back_returned().await?;
        let mut queue = Vec::new();
        for landing in self.landings(&LandingStateName::IN_QUEUE).await? {
            if let LandingState::Cleared { commit, checks, .. } = &landing.state {
                // A server died amid the move, or could not hear that it had cleared it.
                let moved = numbered(commit).is_some_and(|commit| self.site.field.has(commit));
                let (commit, checks) = (commit.clone(), checks.clone());
                match moved && !self.site.has(Bug::ForgetsMoves) {
                    true => drop(self.follow_up(&landing, Follows::Landed { commit, checks }).await?),
                    false => queue.extend(self.back_in_line(&landing.id).await?),
                }
                continue;
            }
            let mission = self.store.get::<Mission>(&landing.mission).await?;
            match standing(mission.as_ref(), &landing) {
                Standing::OnItsWay => queue.push(landing),
                Standing::AtWork | Standing::Elsewhere => drop(self.drop_landing(&landing.id).await?),
            }
        }
        let chosen = next(&queue);
        let candidates: Vec<Candidate> = chosen.iter().map(|landing| candidate(landing)).collect();
        if candidates.is_empty() {
            return Ok(waiting);
        }
        let (sender, mut outcomes) = mpsc::unbounded_channel();
        let mut desk = Desk::new(Arc::clone(self), sender);
        let trying = async {
            let tried = batch(&self.site, &candidates, &mut desk).await;
            drop(desk);
            tried
        };
        // Each is settled as soon as it is known.
        let settling = async {
            let mut waiting = false;
            while let Some((id, outcome)) = outcomes.recv().await {
                if let Some(landing) = chosen.iter().find(|landing| landing.id.as_str() == id) {
                    waiting |= self.follow_up(landing, follows(landing, outcome)).await?;
                }
            }
            Ok::<_, store::Error>(waiting)
        };
        let (tried, settled) = tokio::join!(trying, settling);
        let waiting = settled? || waiting || tried.is_err();
        // Nobody tells of those who were in the queue already.
        Ok(waiting || !self.landings(&LandingStateName::IN_QUEUE).await?.is_empty())
    }

    async fn landings(&self, states: &[LandingStateName]) -> Result<Vec<Landing>, store::Error> {
        let groups = states.iter().map(|state| by::landing::state(*state)).collect();
        let query = Query { groups, ..Query::earliest(String::new(), QUEUE_MAX) };
        Ok(self.store.list::<Landing>(query).await?.records)
    }

    /// Lets agents take up what was sent back to them and could not be taken up then; says whether some still cannot.
    async fn take_back_returned(self: &Arc<Self>) -> Result<bool, store::Error> {
        let mut waiting = false;
        for landing in self.landings(&[LandingStateName::Returned]).await? {
            let mission = self.store.get::<Mission>(&landing.mission).await?;
            if standing(mission.as_ref(), &landing) == Standing::OnItsWay {
                waiting |= self.take_back(&landing).await?;
            }
        }
        Ok(waiting)
    }

    async fn take_back(self: &Arc<Self>, landing: &Landing) -> Result<bool, store::Error> {
        match self.resume(&landing.session).await {
            Ok(()) => Ok(false),
            Err(NotBegun::Full) => Ok(true),
            Err(NotBegun::Refused) => {
                let obstacle = Obstacle::Failed { why: "its agent cannot take it up again".to_owned() };
                let arrival = Some(Arrival::Stuck { obstacle: obstacle.clone() });
                let state = LandingState::Stuck { since: self.site.clock.now(), obstacle };
                self.move_landing(&landing.id, landing.returns, state, arrival).await?;
                Ok(false)
            }
            Err(NotBegun::Store(error)) => Err(error),
        }
    }

    /// Does what follows from an outcome; says whether it has to be looked at again.
    async fn follow_up(self: &Arc<Self>, landing: &Landing, follows: Follows) -> Result<bool, store::Error> {
        let now = self.site.clock.now();
        let (returns, state, arrival) = match follows {
            Follows::Landed { commit, checks } => {
                let green = u32::try_from(checks.len()).unwrap_or(u32::MAX);
                let arrival = Arrival::Landed { commit: commit.clone(), checks: green };
                (landing.returns, LandingState::Landed { at: now, commit, checks }, Some(arrival))
            }
            Follows::Returned { obstacle } => {
                (landing.returns + 1, LandingState::Returned { since: now, obstacle }, None)
            }
            Follows::Stuck { obstacle } => {
                let arrival = Arrival::Stuck { obstacle: obstacle.clone() };
                (landing.returns, LandingState::Stuck { since: now, obstacle }, Some(arrival))
            }
            Follows::Waits { why } => (landing.returns, LandingState::Waiting { since: now, why }, None),
            Follows::Nothing => return Ok(false),
        };
        let moved = self.move_landing(&landing.id, returns, state, arrival).await?;
        match moved {
            Some(moved) if moved.state.name() == LandingStateName::Returned => self.take_back(&moved).await,
            Some(moved) => Ok(moved.state.name() == LandingStateName::Waiting),
            None => Ok(false),
        }
    }

    /// Takes a landing out of the queue; tells whether it was in it.
    pub(crate) async fn drop_landing(&self, id: &LandingId) -> Result<bool, store::Error> {
        let (at, by) = (self.site.clock.now(), Handle::owner());
        let state = LandingState::Dropped { at, by: by.clone(), why: String::new() };
        let moved = self.transact_landing(id, move |held| {
            let out = match held.state.name() {
                LandingStateName::Queued
                | LandingStateName::Review
                | LandingStateName::Waiting
                | LandingStateName::Stuck => true,
                // The target branch may have moved.
                LandingStateName::Cleared => self.site.has(Bug::LandsDropped),
                LandingStateName::Returned | LandingStateName::Landed | LandingStateName::Dropped => false,
            };
            out.then(|| (held.returns, state.clone(), Some(Arrival::Dropped { by: by.clone() })))
        });
        Ok(moved.await?.is_some())
    }

    /// Puts a landing that waits for a person into the queue; tells whether it did.
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
            tell(&tx, Some(from), &queued);
            Ok::<_, store::Error>(true)
        });
        retried.await
    }

    /// Puts a landing that was cleared and has not landed back into the queue.
    pub(super) async fn back_in_line(&self, id: &LandingId) -> Result<Option<Landing>, store::Error> {
        let since = self.site.clock.now();
        let moved = self.transact_landing(id, move |held| {
            let is_cleared = held.state.name() == LandingStateName::Cleared;
            is_cleared.then_some((held.returns, LandingState::Queued { since }, None))
        });
        moved.await
    }

    async fn move_landing(
        &self,
        id: &LandingId,
        returns: u32,
        state: LandingState,
        arrival: Option<Arrival>,
    ) -> Result<Option<Landing>, store::Error> {
        let moved = self.transact_landing(id, move |held| {
            // Somebody took it out meanwhile, or an earlier outcome was told already.
            let in_queue = LandingStateName::IN_QUEUE.contains(&held.state.name())
                || (held.state.name() == LandingStateName::Returned && state.name() == LandingStateName::Stuck);
            in_queue.then(|| (returns, state.clone(), arrival.clone()))
        });
        moved.await
    }

    /// Moves a landing and, with it, its mission, in one commit; none if `decide` leaves it where it is.
    async fn transact_landing(
        &self,
        id: &LandingId,
        decide: impl Fn(&Landing) -> Option<(u32, LandingState, Option<Arrival>)>,
    ) -> Result<Option<Landing>, store::Error> {
        let (stamp, decide) = (&self.stamp(), &decide);
        let moved = self.store.transact(stamp, |tx| async move {
            let Some(held) = tx.get::<Landing>(id).await? else { return Ok(None) };
            let Some((returns, state, arrival)) = decide(&held.record) else { return Ok(None) };
            let moved = Landing { returns, state, updated_at: stamp.at, ..held.record.clone() };
            tx.update(&held, &moved)?;
            tell(&tx, Some(held.record.state.name()), &moved);
            if let (Some(arrival), Some(held)) = (arrival, tx.get::<Mission>(&moved.mission).await?)
                && let Some(step) = missions::arrive(&held.record, &moved, arrival, stamp.at)
            {
                tx.update(&held, &step.mission)?;
                tx.append(Event::MissionMoved { mission: moved.mission.clone(), from: step.from, to: step.to });
            }
            Ok::<_, store::Error>(Some(moved))
        });
        moved.await
    }
}

/// Tells in the feed that a landing moved.
pub(super) fn tell(tx: &Transaction, from: Option<LandingStateName>, moved: &Landing) {
    let (landing, mission, to) = (moved.id.clone(), moved.mission.clone(), moved.state.name());
    tx.append(Event::LandingMoved { landing, mission, from, to });
}

fn candidate(landing: &Landing) -> Candidate {
    Candidate { id: landing.id.to_string(), branch: landing.session.to_string(), title: landing.title.clone() }
}
