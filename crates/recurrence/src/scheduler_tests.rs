use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kv::MemEngine;
use missions::{Statement, create};
use store::Options;
use types::{CatchUp, StateName};

use super::*;

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A store with a mission that is due at nine, and the time at which the story begins.
struct World {
    store: Store,
    clock: Clock,
    template: MissionId,
}

impl World {
    async fn new(schedule: Schedule) -> Self {
        let clock = Clock::manual(at("2026-01-01T08:00:00Z"));
        let store =
            Store::open(Arc::new(MemEngine::default()), Options { writer: "test".to_owned(), seed: 1 }).await.unwrap();
        let said = Statement {
            tags: vec!["night".to_owned()],
            ..Statement::new("alpha".parse().unwrap(), "Tidy".to_owned(), "Tidy up.".to_owned())
        };
        let mut mission = create("m-x7k2m".parse().unwrap(), said, "lead".parse().unwrap(), clock.now());
        mission.schedule = Some(Schedule { since: Some(clock.now()), ..schedule });
        let world = Self { store, clock, template: mission.id.clone() };
        world.write(|tx| async move { tx.insert(&mission) }).await;
        world
    }

    async fn write<F: Future<Output = Result<(), store::Error>>>(&self, change: impl FnOnce(store::Transaction) -> F) {
        let stamp = Stamp { at: self.clock.now(), handle: Handle::owner(), team: "alpha".parse().unwrap() };
        let (first, change) = (AtomicBool::new(true), std::cell::Cell::new(Some(change)));
        let done = self.store.transact(&stamp, |tx| {
            assert!(first.swap(false, Ordering::Relaxed), "no other writes");
            change.take().unwrap()(tx)
        });
        done.await.unwrap();
    }

    async fn copies(&self) -> Vec<Mission> {
        let query = Query::earliest(by::mission::parent(&self.template), 100);
        self.store.list::<Mission>(query).await.unwrap().records
    }

    /// Looks as the loop does when it wakes at a time.
    async fn wake(&self, time: &str) -> Option<Timestamp> {
        let remaining = at(time).duration_since(self.clock.now());
        self.clock.advance(Duration::try_from(remaining).unwrap());
        let scheduler = Scheduler::new(self.store.clone(), self.clock.clone());
        scheduler.handle(&self.template).await.unwrap()
    }
}

fn daily() -> Schedule {
    Schedule::new("0 9 * * *".to_owned(), at("2026-01-01T08:00:00Z"))
}

#[tokio::test]
async fn a_due_mission_is_copied_once_and_the_copy_starts_by_itself() {
    let world = World::new(daily()).await;
    assert_eq!(world.wake("2026-01-01T08:30:00Z").await, Some(at("2026-01-01T09:00:00Z")));
    assert_eq!(world.copies().await, []);
    for second in ["00", "01", "30"] {
        assert_eq!(world.wake(&format!("2026-01-01T09:00:{second}Z")).await, Some(at("2026-01-02T09:00:00Z")));
    }
    let [copy] = world.copies().await.try_into().unwrap();
    assert_eq!((copy.title.as_str(), copy.state.name()), ("Tidy (2026-01-01 09:00)", StateName::Ready));
    assert_eq!(copy.tags, ["night", "scheduled", "template:m-x7k2m"]);
    assert_eq!((copy.schedule, copy.created_by.as_str()), (None, "lead"));
}

/// A server that is killed between two looks, or whose clock is set back, finds the copy by its id.
#[tokio::test]
async fn a_time_that_is_handled_again_makes_no_second_copy() {
    let world = World::new(Schedule { overlap: Overlap::Allow, ..daily() }).await;
    world.wake("2026-01-01T09:00:00Z").await;
    let held = world.store.get::<Mission>(&world.template).await.unwrap().unwrap();
    let forgetful = Mission { schedule: Some(Schedule { fired_at: None, ..held.schedule.clone().unwrap() }), ..held };
    world
        .write(|tx| async move {
            let held = tx.get::<Mission>(&forgetful.id).await?.unwrap();
            tx.update(&held, &forgetful)
        })
        .await;
    world.wake("2026-01-01T09:00:10Z").await;
    assert_eq!(world.copies().await.len(), 1);
}

#[tokio::test]
async fn a_run_that_is_not_over_keeps_the_next_from_starting_unless_the_schedule_allows_it() {
    for (overlap, runs) in [(Overlap::Skip, 1), (Overlap::Allow, 2)] {
        let world = World::new(Schedule { overlap, ..daily() }).await;
        world.wake("2026-01-01T09:00:00Z").await;
        world.wake("2026-01-02T09:00:00Z").await;
        assert_eq!(world.copies().await.len(), runs, "{overlap:?}");
    }
}

#[tokio::test]
async fn missed_times_are_made_up_for_as_the_schedule_says() {
    for (catch_up, runs) in [(CatchUp::Skip, 0), (CatchUp::Once, 1), (CatchUp::All, 3)] {
        let world = World::new(Schedule { catch_up, overlap: Overlap::Allow, ..daily() }).await;
        world.wake("2026-01-03T12:00:00Z").await;
        assert_eq!(world.copies().await.len(), runs, "{catch_up:?}");
    }
}

#[tokio::test]
async fn the_loop_wakes_at_the_time_and_hears_of_schedules_that_are_made_while_it_sleeps() {
    let world = World::new(Schedule { enabled: false, ..daily() }).await;
    let scheduler = Scheduler::new(world.store.clone(), world.clock.clone());
    let story = async {
        let held = world.store.get::<Mission>(&world.template).await.unwrap().unwrap();
        let on = Mission { schedule: held.schedule.clone().map(|one| Schedule { enabled: true, ..one }), ..held };
        world
            .write(|tx| async move {
                let held = tx.get::<Mission>(&on.id).await?.unwrap();
                tx.append(Event::MissionUpdated { mission: on.id.clone() });
                tx.update(&held, &on)
            })
            .await;
        let mut changes = world.store.tail(world.store.position());
        loop {
            world.clock.advance(Duration::from_secs(60));
            tokio::select! {
                biased;
                entry = changes.next() => return concerned(&entry.unwrap()),
                () = tokio::task::yield_now() => {}
            }
        }
    };
    let made = tokio::select! {
        failed = scheduler.work() => panic!("{failed:?}"),
        made = story => made,
    };
    assert_eq!(made, [id_of(&world.template, at("2026-01-01T09:00:00Z"))]);
}
