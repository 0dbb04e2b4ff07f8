//! The loop: hear what changed, decide, start, wait.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use runtime::{Clock, Stop};
use schedule::{Dependency, Floor, Plan, decide};
use store::{Entry, Query, Store, Tail, by};
use types::{Mission, MissionId, MissionState, StateName, Timestamp};

use crate::crew::{Conditions, Crew, NotStarted};
use crate::line::Line;

/// Missions read at once when the line is made.
const PAGE: usize = 500;

/// How long to wait when the store fails.
const PAUSE: Duration = Duration::from_secs(1);

/// The slow look that mends what an event could not tell.
const BACKSTOP: Duration = Duration::from_secs(60);

/// Starts missions as soon as they may.
#[derive(Debug)]
pub struct Dispatcher<C> {
    store: Store,
    clock: Clock,
    crew: Arc<C>,
}

impl<C: Crew> Dispatcher<C> {
    /// Makes a dispatcher for a crew.
    #[must_use]
    pub fn new(store: Store, clock: Clock, crew: Arc<C>) -> Self {
        Self { store, clock, crew }
    }

    /// Dispatches until it is asked to stop.
    pub async fn run(&self, stop: &Stop) {
        loop {
            tokio::select! {
                () = stop.asked() => return,
                result = self.dispatch() => match result {
                    Ok(never) => match never {},
                    Err(error) => tracing::error!(%error, "the dispatcher cannot read the store; it begins again"),
                },
            }
            tokio::select! {
                () = stop.asked() => return,
                () = self.clock.sleep(PAUSE) => {}
            }
        }
    }

    async fn dispatch(&self) -> Result<std::convert::Infallible, store::Error> {
        // Before the line is made, so that what happens meanwhile is heard.
        let mut tail = self.store.tail(self.store.position());
        let mut line = line(&self.store, self.crew.as_ref()).await?;
        loop {
            let wake_at = self.start(&mut line).await?;
            self.wait(&mut tail, &mut line, wake_at).await?;
        }
    }

    /// Starts what may start, all at once, and says when something may start by itself.
    async fn start(&self, line: &mut Line) -> Result<Option<Timestamp>, store::Error> {
        loop {
            if line.is_empty() {
                return Ok(None);
            }
            let plan = decide(&floor(line, self.crew.conditions().await, self.clock.now()));
            if plan.start.is_empty() {
                return Ok(plan.wake_at);
            }
            let starts = plan.start.iter().map(|mission| {
                let because = line.freed_by(mission);
                async move { (mission, self.crew.start(mission, because.as_ref()).await) }
            });
            let mut progress = false;
            for (mission, started) in join_all(starts).await {
                match started {
                    Ok(()) => {
                        line.started(mission);
                        progress = true;
                    }
                    Err(NotStarted::Gone) => line.remove(mission),
                    Err(NotStarted::Full) => {}
                    Err(NotStarted::Failed { why, again_at }) => {
                        tracing::warn!(%mission, why, "a mission could not be started");
                        line.failed(mission, again_at);
                    }
                }
            }
            if !progress {
                return Ok(plan.wake_at);
            }
        }
    }

    /// Waits until something may start that could not before.
    async fn wait(&self, tail: &mut Tail, line: &mut Line, wake_at: Option<Timestamp>) -> Result<(), store::Error> {
        let alarm = async {
            let backstop = self.clock.now() + BACKSTOP;
            self.clock.sleep_until(wake_at.map_or(backstop, |at| at.min(backstop))).await;
        };
        tokio::pin!(alarm);
        loop {
            tokio::select! {
                biased;
                entry = tail.next() => {
                    if self.heard(line, entry?.as_ref()).await? {
                        return Ok(());
                    }
                }
                () = self.crew.eased() => return Ok(()),
                () = &mut alarm => return Ok(()),
            }
        }
    }

    /// Takes a change in; says whether it concerns the line.
    async fn heard(&self, line: &mut Line, entry: &Entry) -> Result<bool, store::Error> {
        let concerned: BTreeSet<&MissionId> = entry.change.events.iter().filter_map(|event| event.mission()).collect();
        let changed = !concerned.is_empty();
        for id in concerned {
            let mission = self.store.get::<Mission>(id).await?;
            line.stands(id, mission.as_ref().map(|mission| &mission.state));
            match &mission {
                Some(mission) => put(&self.store, self.crew.as_ref(), line, mission).await?,
                None => line.remove(id),
            }
        }
        Ok(changed)
    }
}

/// Decides what would start now, for those who ask why something does not.
///
/// # Errors
/// When the store fails.
pub async fn plan<C: Crew>(store: &Store, clock: &Clock, crew: &C) -> Result<Plan, store::Error> {
    let line = line(store, crew).await?;
    Ok(decide(&floor(&line, crew.conditions().await, clock.now())))
}

/// Makes the line from what is stored.
async fn line<C: Crew>(store: &Store, crew: &C) -> Result<Line, store::Error> {
    let mut line = Line::default();
    let mut query = Query::latest(by::mission::state(StateName::Ready), PAGE);
    loop {
        let page = store.list::<Mission>(query.clone()).await?;
        for mission in &page.records {
            put(store, crew, &mut line, mission).await?;
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(line),
        }
    }
}

async fn put<C: Crew>(store: &Store, crew: &C, line: &mut Line, mission: &Mission) -> Result<(), store::Error> {
    let mut dependencies = Vec::with_capacity(mission.depends_on.len());
    if matches!(mission.state, MissionState::Ready { .. }) {
        for on in &mission.depends_on {
            let state = store.get::<Mission>(on).await?.map(|mission| mission.state);
            dependencies.push(Dependency::new(on.clone(), state.as_ref()));
        }
    }
    line.put(mission, crew.post(mission), dependencies);
    Ok(())
}

fn floor(line: &Line, conditions: Conditions, now: Timestamp) -> Floor {
    let Conditions { busy, slots, parked, parking, budgets, fairness } = conditions;
    Floor { now, ready: line.candidates(), busy, slots, parked, parking, budgets, fairness }
}
