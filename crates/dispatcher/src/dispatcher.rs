//! The loop: hear what changed, decide, start, wait.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::join_all;
use runtime::{Clock, Stop};
use schedule::{Candidate, Inputs, Plan, Why, decide, starts};
use store::{Entry, Store, Tail};
use types::{MissionId, Timestamp};

use crate::look::{look, renew};
use crate::queue::Line;
use crate::runner::{Conditions, MissionRunner, NotStarted};

/// How long to wait when the store fails, and the least before a mission is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// The slow look that mends what an event could not tell.
const BACKSTOP: Duration = Duration::from_secs(60);

/// Most changes that are taken in before the next decision.
const BATCH_MAX: usize = 512;

/// Starts missions as soon as they may.
#[derive(Debug)]
pub struct Dispatcher<C> {
    store: Store,
    clock: Clock,
    crew: Arc<C>,
}

/// Why a wait is over.
enum Woken {
    /// Something may start that could not before; these missions have changed.
    Changed(BTreeSet<MissionId>),
    /// It is time to look at everything.
    Backstop,
}

impl<C: MissionRunner> Dispatcher<C> {
    /// Makes a dispatcher for a runner.
    #[must_use]
    pub fn new(store: Store, clock: Clock, crew: Arc<C>) -> Self {
        Self { store, clock, crew }
    }

    /// Dispatches until it is asked to stop.
    pub async fn run(&self, stop: &Stop) {
        tokio::select! {
            biased;
            () = stop.asked() => {}
            () = self.endlessly() => {}
        }
    }

    async fn endlessly(&self) {
        // It outlives failures of the store, for it knows what was tried and is not worth another try yet.
        let mut line = Line::default();
        loop {
            match self.dispatch(&mut line).await {
                Ok(never) => match never {},
                Err(error) => tracing::error!(%error, "the dispatcher cannot read the store; it begins again"),
            }
            self.clock.sleep(PAUSE).await;
        }
    }

    async fn dispatch(&self, line: &mut Line) -> Result<Infallible, store::Error> {
        // Before the line is made, so that what happens meanwhile is heard.
        let mut tail = self.store.tail(self.store.position());
        loop {
            renew(&self.store, self.crew.as_ref(), line).await?;
            let renew_at = self.clock.monotonic().saturating_add(BACKSTOP);
            loop {
                let wake_at = self.start(line).await?;
                match self.wait(&mut tail, wake_at, renew_at).await? {
                    Woken::Changed(missions) => drop(look(&self.store, self.crew.as_ref(), line, &missions).await?),
                    Woken::Backstop => break,
                }
            }
        }
    }

    /// Starts what may start, all at once, and says when something may start by itself.
    async fn start(&self, line: &mut Line) -> Result<Option<Timestamp>, store::Error> {
        loop {
            if line.is_blocked() {
                return Ok(None);
            }
            let floor = floor(Vec::new(), self.crew.conditions().await, self.clock.now());
            line.weigh(floor.fairness);
            let plan = starts(line.startable(), &floor);
            let starts = plan.start.iter().map(|mission| {
                let because = line.freed_by(mission);
                async move { (mission, self.crew.start(mission, because.as_ref()).await) }
            });
            let mut progress = false;
            for (mission, started) in join_all(starts).await {
                progress |= self.note(line, mission, started).await?;
            }
            // A mission that could not start has left its slot to the next.
            if !progress {
                return Ok(plan.wake_at);
            }
        }
    }

    /// Takes in the result of a start; returns whether the next decision may differ.
    async fn note(
        &self,
        line: &mut Line,
        mission: &MissionId,
        started: Result<(), NotStarted>,
    ) -> Result<bool, store::Error> {
        let soonest = self.clock.now() + PAUSE;
        match started {
            Ok(()) => drop(line.leave(mission)),
            Err(NotStarted::Full) => return Ok(false),
            Err(NotStarted::Gone) => {
                // It may have to wait for another mission since: then nothing about itself will be heard.
                let missions = line.with_dependencies(mission);
                if !look(&self.store, self.crew.as_ref(), line, &missions).await? {
                    line.failed(mission, soonest);
                }
            }
            Err(NotStarted::Failed { why, again_at }) => {
                tracing::warn!(%mission, why, "a mission could not be started");
                line.failed(mission, again_at.max(soonest));
            }
        }
        Ok(true)
    }

    /// Waits until something may start that could not before.
    async fn wait(
        &self,
        tail: &mut Tail,
        wake_at: Option<Timestamp>,
        renew_at: Duration,
    ) -> Result<Woken, store::Error> {
        let backstop = self.clock.sleep(renew_at.saturating_sub(self.clock.monotonic()));
        let alarm = async {
            match wake_at {
                Some(at) => self.clock.sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::pin!(backstop, alarm);
        loop {
            let first = tokio::select! {
                biased;
                () = &mut backstop => return Ok(Woken::Backstop),
                () = self.crew.eased() => None,
                () = &mut alarm => None,
                entry = tail.next() => Some(entry?),
            };
            let mut missions = BTreeSet::new();
            let heard = first.is_some();
            first.iter().for_each(|entry| concerned(&mut missions, entry));
            // What else is there already is taken in with it, so that many changes cost one decision.
            for _ in 1..BATCH_MAX {
                let Some(entry) = tail.next().now_or_never() else { break };
                concerned(&mut missions, entry?.as_ref());
            }
            if !heard || !missions.is_empty() {
                return Ok(Woken::Changed(missions));
            }
        }
    }
}

/// Says why a ready mission does not run.
///
/// The others are read only if nothing of its own is in the mission's way, so that they decide.
///
/// # Errors
/// When the store fails.
pub async fn why<C: MissionRunner>(
    store: &Store,
    clock: &Clock,
    crew: &C,
    mission: &MissionId,
) -> Result<Why, store::Error> {
    let mut line = Line::default();
    look(store, crew, &mut line, &BTreeSet::from([mission.clone()])).await?;
    let alone = decide(&floor(line.candidates(), crew.conditions().await, clock.now())).why(mission);
    match alone {
        None | Some(Why::Starting | Why::Full { .. } | Why::Kept { .. }) => {}
        Some(why) => return Ok(why),
    }
    Ok(plan(store, clock, crew).await?.why(mission).unwrap_or(Why::Starting))
}

/// Decides what would start now, with a reason for every mission that would not.
///
/// # Errors
/// When the store fails.
pub async fn plan<C: MissionRunner>(store: &Store, clock: &Clock, crew: &C) -> Result<Plan, store::Error> {
    let mut line = Line::default();
    renew(store, crew, &mut line).await?;
    Ok(decide(&floor(line.candidates(), crew.conditions().await, clock.now())))
}

fn concerned(missions: &mut BTreeSet<MissionId>, entry: &Entry) {
    missions.extend(entry.change.events.iter().filter_map(|event| event.mission()).cloned());
}

fn floor(ready: Vec<Candidate>, conditions: Conditions, now: Timestamp) -> Inputs {
    let Conditions { busy, slots, lent, parked, parking, budgets, fairness } = conditions;
    Inputs { now, ready, busy, slots, lent, parked, parking, budgets, fairness }
}
