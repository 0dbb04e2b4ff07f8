//! Numbers within a project: one after the other, never one twice.

use std::sync::Arc;

use fleet_store::{Error, Position, Store, by};
use kv::{Engine, MemEngine};
use tokio::task::JoinSet;
use types::Mission;

use crate::engines::Yielding;
use crate::support::{fresh, id, mission, open, open_as, project, remove, stamp};

/// Makes a mission of the first project and returns its number there.
async fn create(store: &Store, number: usize) -> Result<u64, Error> {
    let made = store.transact(stamp(), |tx| async move {
        let place = tx.next_number(&by::mission::number(&project(1))).await?;
        tx.insert(&Mission { project: Some(project(1)), number: Some(place), ..mission(number) })?;
        Ok(place)
    });
    made.await
}

/// Takes as many numbers as asked for, and refuses.
async fn refuse(store: &Store, count: usize) {
    let refused: Result<(), Error> = store
        .transact(stamp(), |tx| async move {
            for _ in 0..count {
                tx.next_number(&by::mission::number(&project(1))).await?;
            }
            Err(Error::Contention { tries: 0 })
        })
        .await;
    refused.unwrap_err();
}

/// Creates missions in stores all at once, and returns their numbers in order.
async fn create_at_once(stores: &[Store], numbers: std::ops::Range<usize>) -> Vec<u64> {
    let mut tasks = JoinSet::new();
    for number in numbers {
        let store = stores[number % stores.len()].clone();
        tasks.spawn(async move { create(&store, number).await.unwrap() });
    }
    let mut given = tasks.join_all().await;
    given.sort_unstable();
    given
}

fn up_to(last: u64) -> Vec<u64> {
    (1..=last).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn missions_made_at_once_are_numbered_without_gap_or_repetition() {
    assert_eq!(create_at_once(&[fresh().await], 0..32).await, up_to(32));
}

#[tokio::test(start_paused = true)]
async fn missions_made_in_any_interleaving_are_numbered_without_gap_or_repetition() {
    for seed in 0..16 {
        let store = open(Yielding::new(MemEngine::new(), seed), seed).await;
        assert_eq!(create_at_once(&[store], 0..32).await, up_to(32), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn two_processes_never_give_one_number_twice() {
    for seed in 0..16 {
        let engine: Arc<dyn Engine> = Arc::new(Yielding::new(MemEngine::new(), seed));
        let stores = [open_as(Arc::clone(&engine), "one", seed).await, open_as(engine, "other", seed + 1000).await];
        let mut given = create_at_once(&stores, 0..32).await;
        given.dedup();
        assert_eq!(given.len(), 32, "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_fell_far_behind_catches_up_at_once() {
    for seed in 0..4 {
        let engine: Arc<dyn Engine> = Arc::new(Yielding::new(MemEngine::new(), seed));
        let behind = open_as(Arc::clone(&engine), "one", seed).await;
        create(&behind, 0).await.unwrap();
        let ahead = open_as(engine, "other", seed + 1000).await;
        for number in 1..1000 {
            create(&ahead, number).await.unwrap();
        }
        let given = create_at_once(&[behind], 1000..1016).await;
        assert_eq!(given.first(), Some(&1001), "seed {seed}");
        assert!(given.is_sorted_by(|a, b| a < b), "seed {seed}: {given:?}");
    }
}

#[tokio::test]
async fn a_refused_decision_uses_up_no_number() {
    let store = &fresh().await;
    for (number, refused) in [(1, 1), (2, 3), (3, 0)] {
        refuse(store, refused).await;
        assert_eq!(create(store, number).await.unwrap(), number as u64);
    }
}

#[tokio::test]
async fn a_number_is_not_given_again_when_its_mission_is_deleted() {
    let store = &fresh().await;
    create(store, 1).await.unwrap();
    let taken: Result<u64, Error> = store
        .transact(stamp(), |tx| async move {
            let read = tx.get::<Mission>(&id(1)).await?;
            let place = tx.next_number(&by::mission::number(&project(1))).await?;
            if read.is_some() {
                remove(store, &id(1)).await?;
            }
            tx.insert(&Mission { project: Some(project(1)), number: Some(place), ..mission(2) })?;
            Ok(place)
        })
        .await;
    assert_eq!(taken.unwrap(), 2);
}

#[tokio::test]
async fn numbers_go_on_after_a_restart_and_each_project_has_its_own() {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    assert_eq!((create(&store, 1).await.unwrap(), create(&store, 2).await.unwrap()), (1, 2));
    let store = &open(engine, 2).await;
    assert_eq!(create(store, 3).await.unwrap(), 3);
    let other = store.transact(stamp(), |tx| async move { tx.next_number(&by::mission::number(&project(2))).await });
    assert_eq!(other.await.unwrap(), 1);
    assert!(store.position() > Position::START);
}
