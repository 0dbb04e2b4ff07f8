//! The loop: which executions there are, which mission belongs to which, and when each is looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt as _};
use runtime::{Clock, Stop};
use store::{Entry, Query, Store, by};
use types::{Event, Execution, ExecutionId, MissionId, Timestamp};
use workflow::Act;

use crate::Hands;
use crate::facts::awaited;
use crate::look::look;

/// How long to wait when the store fails, or when something outside cannot be done.
const PAUSE: Duration = Duration::from_secs(2);

/// The longest sleep: a machine that was suspended wakes with its clock ahead.
const SLEEP_MAX: Duration = Duration::from_secs(60);

/// Executions read at once.
const PAGE: usize = 100;

/// What a runner is made of.
#[derive(Clone)]
pub struct Parts {
    /// Where records are.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// What is done outside.
    pub hands: Arc<dyn Hands>,
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

/// Keeps executions going.
#[derive(Debug)]
pub struct WorkflowRunner {
    parts: Parts,
}

/// What is known in memory; all of it is made anew from the store.
#[derive(Default)]
struct Known {
    /// The missions that each execution waits for.
    awaits: BTreeMap<ExecutionId, BTreeSet<MissionId>>,
    /// The executions that wait for each mission.
    waiting: BTreeMap<MissionId, BTreeSet<ExecutionId>>,
    /// When each is looked at next, if nothing happens before.
    wake: BTreeMap<ExecutionId, Timestamp>,
    /// What is under way outside.
    under_way: BTreeSet<(bool, MissionId)>,
}

/// Something that was done outside, or was not.
struct Acted {
    execution: ExecutionId,
    lands: bool,
    mission: MissionId,
    failed: bool,
}

impl WorkflowRunner {
    /// Makes the runner; nothing runs yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self { parts }
    }

    /// Works until it is asked to stop. Everything it knows is in the store.
    pub async fn run(&self, stop: &Stop) {
        loop {
            tokio::select! {
                biased;
                () = stop.asked() => return,
                failed = self.work() => match failed {
                    Ok(never) => match never {},
                    Err(error) => tracing::error!(%error, "workflows cannot go on; they are begun again"),
                },
            }
            tokio::select! {
                biased;
                () = stop.asked() => return,
                () = self.parts.clock.sleep(PAUSE) => {}
            }
        }
    }

    async fn work(&self) -> Result<std::convert::Infallible, store::Error> {
        let mut tail = self.parts.store.tail(self.parts.store.position());
        let mut acting: FuturesUnordered<BoxFuture<'static, Acted>> = FuturesUnordered::new();
        let mut known = Known::default();
        for execution in self.unsettled().await? {
            self.look(&mut known, &mut acting, execution).await;
        }
        loop {
            tokio::select! {
                biased;
                Some(acted) = acting.next() => {
                    known.under_way.remove(&(acted.lands, acted.mission));
                    if acted.failed {
                        let again = self.parts.clock.now().saturating_add(PAUSE).unwrap_or(Timestamp::MAX);
                        known.wake.insert(acted.execution, again);
                    }
                }
                entry = tail.next() => {
                    for execution in known.concerned(entry?.as_ref()) {
                        self.look(&mut known, &mut acting, execution).await;
                    }
                }
                () = self.until_due(&known) => {
                    let now = self.parts.clock.now();
                    let due = known.wake.iter().filter(|(_, at)| **at <= now).map(|(id, _)| id.clone());
                    for execution in due.collect::<Vec<_>>() {
                        self.look(&mut known, &mut acting, execution).await;
                    }
                }
            }
        }
    }

    /// Lists the executions in which something may happen.
    async fn unsettled(&self) -> Result<Vec<ExecutionId>, store::Error> {
        let (mut found, mut query) = (Vec::new(), Query::earliest(by::execution::unsettled(), PAGE));
        loop {
            let page = self.parts.store.list::<Execution>(query.clone()).await?;
            found.extend(page.records.into_iter().map(|execution| execution.id));
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(found),
            }
        }
    }

    async fn until_due(&self, known: &Known) {
        let Some(due) = known.wake.values().min() else { return std::future::pending().await };
        let longest = self.parts.clock.now().saturating_add(SLEEP_MAX).unwrap_or(*due);
        self.parts.clock.sleep_until(longest.min(*due)).await;
    }

    /// Looks at an execution, and begins what is to be done outside.
    async fn look(&self, known: &mut Known, acting: &mut FuturesUnordered<BoxFuture<'static, Acted>>, id: ExecutionId) {
        known.wake.remove(&id);
        let now = self.parts.clock.now();
        let next = match look(&self.parts.store, &id, now).await {
            Ok(Some(next)) => next,
            Ok(None) => return known.forget(&id),
            // One that cannot be written must not keep the others from going on.
            Err(error) => {
                tracing::error!(%error, execution = %id, "an execution could not be looked at; it is tried again");
                known.wake.insert(id, now.saturating_add(PAUSE).unwrap_or(Timestamp::MAX));
                return;
            }
        };
        known.note(&next.execution);
        known.wake.extend(next.wake.map(|at| (id.clone(), at)));
        for act in next.acts {
            let (lands, mission) = match act {
                Act::Land { mission } => (true, mission),
                Act::Stop { mission } => (false, mission),
                Act::Start(_) => continue,
            };
            if known.under_way.insert((lands, mission.clone())) {
                acting.push(Box::pin(act_outside(Arc::clone(&self.parts.hands), id.clone(), lands, mission)));
            }
        }
    }
}

async fn act_outside(hands: Arc<dyn Hands>, execution: ExecutionId, lands: bool, mission: MissionId) -> Acted {
    let acted = if lands { hands.land(&mission).await } else { hands.stop(&mission).await };
    if let Err(error) = &acted {
        let what = if lands { "landed" } else { "stopped" };
        tracing::warn!(%error, %mission, %execution, "a mission of a workflow could not be {what}; it is tried again");
    }
    Acted { execution, lands, mission, failed: acted.is_err() }
}

impl Known {
    /// Notes which missions an execution waits for.
    fn note(&mut self, execution: &Execution) {
        self.forget(&execution.id);
        let awaited = awaited(execution);
        if awaited.is_empty() {
            return;
        }
        for mission in &awaited {
            self.waiting.entry(mission.clone()).or_default().insert(execution.id.clone());
        }
        self.awaits.insert(execution.id.clone(), awaited);
    }

    fn forget(&mut self, execution: &ExecutionId) {
        for mission in self.awaits.remove(execution).unwrap_or_default() {
            if let Some(waiting) = self.waiting.get_mut(&mission) {
                waiting.remove(execution);
                if waiting.is_empty() {
                    self.waiting.remove(&mission);
                }
            }
        }
    }

    /// Returns the executions that a change concerns, each once.
    fn concerned(&self, entry: &Entry) -> BTreeSet<ExecutionId> {
        let mut found = BTreeSet::new();
        for event in &entry.change.events {
            if let Event::ExecutionMoved { execution, .. } = event {
                found.insert(execution.clone());
            }
            if let Event::StepMoved { step, .. } = event {
                found.insert(step.execution.clone());
            }
            let waiting = event.mission().and_then(|mission| self.waiting.get(mission));
            found.extend(waiting.into_iter().flatten().cloned());
        }
        found
    }
}

#[cfg(test)]
#[path = "runner_tests.rs"]
mod tests;
