//! Read, decide, commit: what a decision rests on still holds when it takes effect, or it is decided anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fleet_store::{Error, Position, Store};
use kv::MemEngine;
use tokio::task::JoinSet;
use types::{Event, Mission, MissionState, StateName};

use crate::engines::{Probe, Yielding};
use crate::support::{change, fresh, id, insert, mission, open, oversized, remove, stamp, whole_feed};

/// Counts how often something is decided.
#[derive(Default)]
struct Decisions(AtomicU32);

impl Decisions {
    /// Counts one more, and returns whether it is the first.
    fn first(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 0
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

async fn priority(store: &Store, number: usize) -> i32 {
    store.get::<Mission>(&id(number)).await.unwrap().unwrap().priority
}

#[tokio::test]
async fn of_two_inserts_the_second_is_decided_anew_and_sees_the_first() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    let seen = store.transact(stamp(), |tx| async move {
        if let Some(held) = tx.get::<Mission>(&id(1)).await? {
            return Ok(Some(held.record.priority));
        }
        if decisions.first() {
            insert(store, &Mission { priority: 5, ..mission(1) }).await?;
        }
        tx.insert(&mission(1))?;
        Ok::<_, Error>(None)
    });
    assert_eq!(seen.await.unwrap(), Some(5));
    assert_eq!(priority(store, 1).await, 5);
}

#[tokio::test]
async fn a_lost_race_is_decided_anew_with_what_the_winner_wrote() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    insert(store, &mission(1)).await.unwrap();
    let decided = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        if decisions.first() {
            change(store, &id(1), |mission| mission.priority = 10).await?;
        }
        tx.update(&held, &Mission { priority: held.record.priority + 1, ..held.record.clone() })?;
        Ok::<_, Error>(())
    });
    decided.await.unwrap();
    assert_eq!((decisions.count(), priority(store, 1).await), (2, 11));
}

#[tokio::test]
async fn a_record_that_was_only_read_must_not_have_changed() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    insert(store, &mission(1)).await.unwrap();
    let decided = store.transact(stamp(), |tx| async move {
        let read = tx.get::<Mission>(&id(1)).await?.unwrap().record;
        if decisions.first() {
            change(store, &id(1), |mission| mission.priority = 10).await?;
        }
        tx.insert(&Mission { priority: read.priority, ..mission(2) })?;
        Ok::<_, Error>(())
    });
    decided.await.unwrap();
    assert_eq!((decisions.count(), priority(store, 2).await), (2, 10));
}

#[tokio::test]
async fn a_record_that_was_not_there_must_still_not_be_there() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    let decided = store.transact(stamp(), |tx| async move {
        let there = tx.get::<Mission>(&id(1)).await?.is_some();
        if decisions.first() {
            insert(store, &mission(1)).await?;
        }
        tx.insert(&Mission { priority: i32::from(there), ..mission(2) })?;
        Ok::<_, Error>(())
    });
    decided.await.unwrap();
    assert_eq!((decisions.count(), priority(store, 2).await), (2, 1));
}

#[tokio::test]
async fn a_record_that_was_deleted_and_made_again_is_another_one() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    insert(store, &mission(1)).await.unwrap();
    let decided = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        if decisions.first() {
            remove(store, &id(1)).await?;
            insert(store, &mission(1)).await?;
        }
        tx.update(&held, &Mission { priority: 1, ..held.record.clone() })?;
        Ok::<_, Error>(())
    });
    decided.await.unwrap();
    assert_eq!(decisions.count(), 2);
}

#[tokio::test]
async fn a_refused_decision_writes_nothing() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    let refused: Result<(), Error> = store
        .transact(stamp(), |tx| async move {
            tx.insert(&mission(1))?;
            tx.append(Event::MissionCreated { mission: id(1) });
            Err(Error::Contention { tries: 0 })
        })
        .await;
    assert!(matches!(refused, Err(Error::Contention { tries: 0 })));
    assert_eq!((probe.commits(), probe.rows().await), (0, vec![]));
}

#[tokio::test]
async fn a_commit_that_can_never_fit_fails_and_writes_nothing() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    let refused = insert(&store, &oversized(1)).await;
    assert!(matches!(refused, Err(Error::Engine(kv::Error::TooLarge(_)))), "{refused:?}");
    assert_eq!((probe.rows().await, store.position()), (vec![], Position::START));
}

#[tokio::test]
async fn what_only_reads_commits_nothing() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    let read = store.transact(stamp(), |tx| async move { tx.get::<Mission>(&id(1)).await }).await.unwrap();
    assert_eq!((read, probe.commits()), (None, 0));
}

#[tokio::test(start_paused = true)]
async fn a_race_that_is_always_lost_ends_and_is_reported() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    insert(store, &mission(1)).await.unwrap();
    let lost: Result<(), Error> = store
        .transact(stamp(), |tx| async move {
            decisions.first();
            let held = tx.get::<Mission>(&id(1)).await?.unwrap();
            change(store, &id(1), |mission| mission.priority += 1).await?;
            tx.update(&held, &Mission { priority: -1, ..held.record.clone() })
        })
        .await;
    let Err(Error::Contention { tries }) = lost else { panic!("{lost:?}") };
    assert_eq!((decisions.count(), priority(store, 1).await), (tries, tries.try_into().unwrap()));
    assert_eq!(whole_feed(store).await.len(), 1 + tries as usize);
}

#[tokio::test(start_paused = true)]
async fn an_insert_that_reads_nothing_never_overwrites() {
    let store = &fresh().await;
    insert(store, &Mission { priority: 5, ..mission(1) }).await.unwrap();
    assert!(matches!(insert(store, &mission(1)).await, Err(Error::Contention { .. })));
    assert_eq!(priority(store, 1).await, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_tasks_count_without_losing_a_step() {
    let store = fresh().await;
    count_together(&store).await;
}

#[tokio::test(start_paused = true)]
async fn sixteen_tasks_that_meet_at_every_call_count_without_losing_a_step() {
    for seed in 0..8 {
        let store = open(Yielding::new(MemEngine::new(), seed), seed).await;
        count_together(&store).await;
    }
}

async fn count_together(store: &Store) {
    insert(store, &mission(1)).await.unwrap();
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let store = store.clone();
        tasks.spawn(async move {
            for _ in 0..20 {
                change(&store, &id(1), |mission| mission.priority += 1).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    assert_eq!(priority(store, 1).await, 320);
    let positions: Vec<_> = whole_feed(store).await.iter().map(|entry| entry.position).collect();
    assert_eq!(positions.len(), 321);
    assert!(positions.is_sorted_by(|a, b| a < b));
}

#[tokio::test]
async fn a_record_reads_the_same_twice_and_then_conflicts_if_it_changed() {
    let (store, decisions) = (&fresh().await, &Decisions::default());
    insert(store, &mission(1)).await.unwrap();
    let decided = store.transact(stamp(), |tx| async move {
        let before = tx.get::<Mission>(&id(1)).await?.unwrap();
        if decisions.first() {
            change(store, &id(1), |mission| mission.priority = 10).await?;
        }
        let again = tx.get::<Mission>(&id(1)).await?.unwrap();
        assert_eq!(before, again);
        tx.update(&again, &Mission { priority: before.record.priority + 1, ..again.record.clone() })?;
        Ok::<_, Error>(())
    });
    decided.await.unwrap();
    assert_eq!((decisions.count(), priority(store, 1).await), (2, 11));
}

#[tokio::test(start_paused = true)]
async fn a_record_held_from_before_the_decision_is_replaced_only_if_it_did_not_change() {
    let store = &fresh().await;
    insert(store, &mission(1)).await.unwrap();
    let held = Arc::new(store.hold::<Mission>(&id(1)).await.unwrap().unwrap());
    let replace = |number: i32, held: Arc<fleet_store::Held<Mission>>| {
        store.transact(stamp(), move |tx| {
            let held = Arc::clone(&held);
            async move { tx.update(&held, &Mission { priority: number, ..held.record.clone() }) }
        })
    };
    let (first, second): (Result<(), Error>, Result<(), Error>) =
        (replace(1, Arc::clone(&held)).await, replace(2, held).await);
    assert!(matches!((first, second), (Ok(()), Err(Error::Contention { .. }))));
    assert_eq!(priority(store, 1).await, 1);
}

/// Writes the first mission with a priority and, if one is given, another state.
async fn write(store: &Store, state: Option<MissionState>, priority: i32) {
    let state = &state;
    let written = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        let state = state.clone().unwrap_or_else(|| held.record.state.clone());
        tx.move_mission(&held, &Mission { state, priority, ..held.record.clone() })
    });
    written.await.unwrap();
}

#[tokio::test]
async fn a_mission_that_moves_is_written_with_its_event_and_one_that_stays_is_not_written() {
    let store = &fresh().await;
    insert(store, &mission(1)).await.unwrap();
    let before = whole_feed(store).await.len();
    write(store, None, mission(1).priority).await;
    assert_eq!(whole_feed(store).await.len(), before, "nothing changed, so nothing was committed");
    write(store, Some(MissionState::Ready { since: stamp().at }), 7).await;
    write(store, None, 8).await;
    let moved = Event::MissionMoved { mission: id(1), from: StateName::Draft, to: StateName::Ready };
    let events: Vec<Event> =
        whole_feed(store).await.into_iter().flat_map(|entry| entry.change.events.clone()).collect();
    assert_eq!(events.iter().filter(|event| matches!(event, Event::MissionMoved { .. })).collect::<Vec<_>>(), [&moved]);
    assert_eq!(priority(store, 1).await, 8);
}
