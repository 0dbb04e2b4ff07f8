//! The loop: sleeps until a schedule is due, and makes the copy.

use std::collections::BTreeMap;
use std::time::Duration;

use runtime::{Clock, Stop};
use store::{Entry, Query, Stamp, Store, by};
use types::{Event, Handle, Mission, MissionId, MissionState, Overlap, Schedule, Timestamp};

use crate::cron::Cron;
use crate::decide::{Decision, decide};
use crate::occurrence::{id_of, occurrence};

/// How long to wait when the store fails.
const PAUSE: Duration = Duration::from_secs(1);

/// The longest sleep: a machine that was suspended wakes with its clock ahead.
const SLEEP_MAX: Duration = Duration::from_secs(60);

/// Schedules read at once.
const PAGE: usize = 100;

/// Makes copies of scheduled missions when they are due.
#[derive(Debug)]
pub struct Scheduler {
    store: Store,
    clock: Clock,
}

/// When each schedule is looked at next.
type Times = BTreeMap<MissionId, Timestamp>;

impl Scheduler {
    /// Makes the scheduler; nothing runs yet.
    #[must_use]
    pub fn new(store: Store, clock: Clock) -> Self {
        Self { store, clock }
    }

    /// Works until it is asked to stop. Everything it knows is in the store.
    pub async fn run(&self, stop: &Stop) {
        loop {
            tokio::select! {
                () = stop.asked() => return,
                failed = self.work() => match failed {
                    Ok(never) => match never {},
                    Err(error) => tracing::error!(%error, "schedules cannot go on; they are begun again"),
                },
            }
            tokio::select! {
                () = stop.asked() => return,
                () = self.clock.sleep(PAUSE) => {}
            }
        }
    }

    async fn work(&self) -> Result<std::convert::Infallible, store::Error> {
        let mut tail = self.store.tail(self.store.position());
        let mut times = self.all().await?;
        loop {
            tokio::select! {
                entry = tail.next() => {
                    for mission in concerned(entry?.as_ref()) {
                        self.look(&mut times, mission).await?;
                    }
                }
                () = self.until_due(&times) => {
                    let now = self.clock.now();
                    let due: Vec<MissionId> =
                        times.iter().filter(|(_, at)| **at <= now).map(|(id, _)| id.clone()).collect();
                    for mission in due {
                        self.look(&mut times, mission).await?;
                    }
                }
            }
        }
    }

    /// Looks at every schedule.
    async fn all(&self) -> Result<Times, store::Error> {
        let (mut times, mut query) = (Times::new(), Query::earliest(by::mission::scheduled(), PAGE));
        loop {
            let page = self.store.list::<Mission>(query.clone()).await?;
            for mission in page.records {
                self.look(&mut times, mission.id).await?;
            }
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(times),
            }
        }
    }

    async fn until_due(&self, times: &Times) {
        let Some(due) = times.values().min() else { return std::future::pending().await };
        let longest = self.clock.now().saturating_add(SLEEP_MAX).unwrap_or(*due);
        self.clock.sleep_until(longest.min(*due)).await;
    }

    /// Runs what is due of one schedule, and notes when to look again.
    async fn look(&self, times: &mut Times, id: MissionId) -> Result<(), store::Error> {
        match self.handle(&id).await? {
            Some(next) => times.insert(id, next),
            None => times.remove(&id),
        };
        Ok(())
    }

    async fn handle(&self, id: &MissionId) -> Result<Option<Timestamp>, store::Error> {
        let Some(mission) = self.store.get::<Mission>(id).await? else { return Ok(None) };
        let stamp = Stamp { at: self.clock.now(), handle: Handle::owner(), team: mission.team };
        let at = stamp.at;
        let done = self.store.transact(&stamp, |tx| async move {
            let Some(held) = tx.get::<Mission>(id).await? else { return Ok((None, Vec::new())) };
            let template = &held.record;
            let Some((schedule, cron)) = in_force(template) else { return Ok((None, Vec::new())) };
            let since = schedule.since.unwrap_or(template.created_at);
            let Decision { run, handled, next } = decide(&cron, schedule, since, at);
            let Some(handled) = handled else { return Ok((next, Vec::new())) };
            let mut made = Vec::new();
            for due in run {
                if schedule.overlap == Overlap::Skip && (!made.is_empty() || self.is_running(template).await?) {
                    break;
                }
                let id = id_of(&template.id, due);
                // A copy that is there already was made before a clock was set back.
                if tx.get::<Mission>(&id).await?.is_some() {
                    continue;
                }
                let mut said = occurrence(template, &cron, due);
                if let Some(project) = &template.project {
                    said.project = Some((project.clone(), tx.next_number(&by::mission::number(project)).await?));
                }
                let mission = missions::create(id, said, template.created_by.clone(), at);
                tx.insert(&mission)?;
                tx.append(Event::MissionCreated { mission: mission.id.clone() });
                made.push((mission.id, due));
            }
            let fired = Schedule { fired_at: Some(handled), ..schedule.clone() };
            tx.update(&held, &Mission { schedule: Some(fired), ..template.clone() })?;
            Ok::<_, store::Error>((next, made))
        });
        let (next, made) = done.await?;
        for (mission, due) in made {
            tracing::info!("schedule of mission {id}: mission {mission} runs for {due}");
        }
        Ok(next)
    }

    /// Returns whether the last copy of a mission is not over.
    async fn is_running(&self, template: &Mission) -> Result<bool, store::Error> {
        let last = Query::latest(by::mission::parent(&template.id), PAGE);
        let copies = self.store.list::<Mission>(last).await?.records;
        Ok(copies.iter().any(|copy| !is_over(&copy.state)))
    }
}

fn in_force(mission: &Mission) -> Option<(&Schedule, Cron)> {
    let schedule = mission.schedule.as_ref().filter(|schedule| schedule.enabled)?;
    // An expression that an earlier version stored without reading it is never due.
    Cron::of(schedule).ok().map(|cron| (schedule, cron))
}

fn is_over(state: &MissionState) -> bool {
    match state {
        MissionState::Done { .. } | MissionState::Failed { .. } | MissionState::Cancelled { .. } => true,
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. } => false,
    }
}

/// The missions whose schedule a change may concern.
fn concerned(entry: &Entry) -> Vec<MissionId> {
    let mission = |event: &Event| {
        let (Event::MissionCreated { mission } | Event::MissionUpdated { mission }) = event else { return None };
        Some(mission.clone())
    };
    entry.change.events.iter().filter_map(mission).collect()
}

#[cfg(test)]
#[path = "scheduler_tests.rs"]
mod tests;
