//! The feed: every change once, in one order, to every reader from any position.

use std::sync::Arc;

use fleet_store::{Entry, Error, Position, Store};
use futures::poll;
use kv::MemEngine;
use tokio::task::JoinSet;
use types::Mission;

use crate::engines::Yielding;
use crate::support::{about, change, fresh, id, insert, mission, open, oversized, stamp, take, whole_feed};

/// Commits from sixteen writers at once; each change is about a mission of its own.
async fn write_at_once(store: &Store, from: usize) {
    let mut writers = JoinSet::new();
    for writer in 0..16 {
        let store = store.clone();
        writers.spawn(async move {
            for step in 0..10 {
                insert(&store, &mission(from + writer * 10 + step)).await.unwrap();
            }
        });
    }
    writers.join_all().await;
}

/// Reads from several positions while sixteen write, and compares what each reader saw.
async fn read_while_writing(store: Store) {
    for number in 0..20 {
        insert(&store, &mission(number)).await.unwrap();
    }
    let past = whole_feed(&store).await;
    let mut readers = JoinSet::new();
    for from in [0, 1, 10, 19, 20, 20] {
        let after = if from == 0 { Position::START } else { past[from - 1].position };
        let mut tail = store.tail(after);
        readers.spawn(async move { (from, take(&mut tail, 180 - from).await) });
    }
    write_at_once(&store, 100).await;
    let whole = whole_feed(&store).await;
    assert!(whole.is_sorted_by(|a, b| a.position < b.position));
    let mut told: Vec<_> = whole.iter().flat_map(|entry| about(entry)).collect();
    told.sort();
    assert_eq!(told, (0..20).chain(100..260).map(id).collect::<Vec<_>>());
    for (from, seen) in readers.join_all().await {
        assert_eq!(seen, whole[from..], "the reader from {from}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_tail_sees_every_change_once_and_in_order() {
    read_while_writing(fresh().await).await;
}

#[tokio::test(start_paused = true)]
async fn every_tail_sees_every_change_once_and_in_order_in_any_interleaving() {
    for seed in 0..8 {
        read_while_writing(open(Yielding::new(MemEngine::new(), seed), seed).await).await;
    }
}

#[tokio::test]
async fn a_tail_goes_on_exactly_behind_the_position_it_was_left_at() {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    for number in 0..5 {
        insert(&store, &mission(number)).await.unwrap();
        assert!(insert(&store, &oversized(99)).await.is_err());
    }
    let whole = whole_feed(&store).await;
    for store in [store, open(engine, 2).await] {
        for left in 0..whole.len() {
            let position: Position = whole[left].position.to_string().parse().unwrap();
            let rest = take(&mut store.tail(position), whole.len() - left - 1).await;
            assert_eq!(rest, whole[left + 1..]);
        }
    }
}

#[tokio::test]
async fn a_tail_waits_at_the_end_and_loses_nothing_when_its_waiting_is_dropped() {
    let store = fresh().await;
    let mut tail = store.tail(store.position());
    assert!(poll!(Box::pin(tail.next())).is_pending());
    insert(&store, &mission(1)).await.unwrap();
    insert(&store, &mission(2)).await.unwrap();
    assert_eq!(about(&tail.next().await.unwrap()), [id(1)]);
    assert_eq!(about(&tail.next().await.unwrap()), [id(2)]);
    assert!(poll!(Box::pin(tail.next())).is_pending());
}

#[tokio::test]
async fn what_failed_or_was_refused_or_lost_a_race_never_shows() {
    let store = &fresh().await;
    insert(store, &mission(1)).await.unwrap();
    assert!(insert(store, &oversized(2)).await.is_err());
    assert!(insert(store, &mission(1)).await.is_err());
    let once = &std::sync::Once::new();
    let raced: Result<(), Error> = store
        .transact(stamp(), |tx| async move {
            let held = tx.get::<Mission>(&id(1)).await?.unwrap();
            let mut first = false;
            once.call_once(|| first = true);
            if first {
                change(store, &id(1), |mission| mission.priority = 1).await?;
            }
            tx.append(types::Event::MissionUpdated { mission: id(3) });
            tx.update(&held, &held.record)
        })
        .await;
    raced.unwrap();
    let told: Vec<_> = whole_feed(store).await.iter().flat_map(|entry| about(entry)).collect();
    assert_eq!(told, [id(1), id(1), id(3)]);
}

#[tokio::test]
async fn no_position_is_given_twice_even_if_the_last_commits_failed() {
    let engine = MemEngine::new();
    let mut last = Position::START;
    for opening in 0..5 {
        let store = open(engine.clone(), opening as u64).await;
        assert_eq!(store.position(), last);
        let mut tail = store.tail(store.position());
        for number in 0..3 {
            insert(&store, &mission(opening * 10 + number)).await.unwrap();
            let entry = tail.next().await.unwrap();
            assert!(entry.position > last);
            last = entry.position;
        }
        assert!(insert(&store, &oversized(99)).await.is_err());
        assert_eq!(store.position(), last, "a failed commit is no place to go on from");
        if opening % 2 == 0 {
            store.close().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_tail_far_behind_reads_what_memory_no_longer_holds() {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    for number in 0..1600 {
        insert(&store, &mission(number)).await.unwrap();
    }
    let expected: Vec<_> = (0..1600).map(id).collect();
    let told = |entries: &[Arc<Entry>]| entries.iter().flat_map(|entry| about(entry)).collect::<Vec<_>>();
    let whole = whole_feed(&store).await;
    assert_eq!(told(&whole), expected);
    // Around the edges of a batch from the engine, and of what memory holds.
    for left in [0, 498, 499, 500, 574, 575, 576, 577, 1598] {
        assert_eq!(take(&mut store.tail(whole[left].position), 1599 - left).await, whole[left + 1..], "{left}");
    }
    assert_eq!(told(&whole_feed(&open(engine, 2).await).await), expected);
}
