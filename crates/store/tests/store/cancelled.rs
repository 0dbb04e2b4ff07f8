//! Transactions that are dropped half-way: no caller waits for them, and they are shown if and only if they were
//! applied.

use fleet_store::{Position, Store};
use futures::poll;
use kv::Outcome;
use types::Mission;

use crate::engines::{Probe, Stuck};
use crate::support::{about, assert_counted, id, insert, mission, open, take, whole_feed};

/// Starts to insert a mission and goes away while its commit is stuck.
async fn abandon(store: &Store, probe: &Probe, number: usize, stuck: Stuck) {
    probe.stick_next(stuck);
    let mission = mission(number);
    let mut inserting = Box::pin(insert(store, &mission));
    assert!(poll!(inserting.as_mut()).is_pending());
}

async fn shown(store: &Store) -> Vec<usize> {
    let feed = whole_feed(store).await;
    feed.iter().map(|entry| (0..1000).find(|number| about(entry) == [id(*number)]).unwrap()).collect()
}

async fn there(store: &Store, number: usize) -> bool {
    store.get::<Mission>(&id(number)).await.unwrap().is_some()
}

#[tokio::test]
async fn a_waiting_tail_sees_an_abandoned_change_that_was_applied() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    let mut tail = store.tail(Position::START);
    let mut waiting = Box::pin(tail.next());
    assert!(poll!(waiting.as_mut()).is_pending());
    abandon(&store, &probe, 1, Stuck::OnTheWayBack).await;
    assert_eq!(about(&waiting.await.unwrap()), [id(1)]);
    assert_counted(&store, &[mission(1)]);
}

#[tokio::test]
async fn the_next_committer_shows_an_abandoned_change_that_was_applied() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    abandon(&store, &probe, 1, Stuck::OnTheWayBack).await;
    insert(&store, &mission(2)).await.unwrap();
    assert_eq!(shown(&store).await, [1, 2]);
    assert_counted(&store, &[mission(1), mission(2)]);
}

#[tokio::test]
async fn an_abandoned_change_that_was_not_applied_holds_up_nobody_and_can_never_be_applied() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    let mut tail = store.tail(Position::START);
    abandon(&store, &probe, 1, Stuck::OnTheWay).await;
    insert(&store, &mission(2)).await.unwrap();
    assert_eq!(about(&tail.next().await.unwrap()), [id(2)]);
    let late = probe.deliver().await;
    assert!(matches!(late[..], [Outcome::Conflict { .. }]), "{late:?}");
    assert!(!there(&store, 1).await);
    assert_counted(&store, &[mission(2)]);
    insert(&store, &mission(3)).await.unwrap();
    assert_eq!(about(&tail.next().await.unwrap()), [id(3)]);
}

#[tokio::test]
async fn an_abandoned_change_that_arrives_before_anybody_asks_is_shown() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    abandon(&store, &probe, 1, Stuck::OnTheWay).await;
    assert!(matches!(probe.deliver().await[..], [Outcome::Committed(_)]));
    let mut tail = store.tail(Position::START);
    assert_eq!(about(&tail.next().await.unwrap()), [id(1)]);
    assert_counted(&store, &[mission(1)]);
}

#[tokio::test]
async fn changes_behind_one_that_is_under_way_wait_for_it_and_then_come_in_order() {
    for (stuck, expected) in [(Stuck::OnTheWay, vec![2, 3]), (Stuck::OnTheWayBack, vec![1, 2, 3])] {
        let probe = Probe::default();
        let store = open(probe.clone(), 1).await;
        let mut tail = store.tail(Position::START);
        probe.stick_next(stuck);
        let first = mission(1);
        let mut inserting = Box::pin(insert(&store, &first));
        assert!(poll!(inserting.as_mut()).is_pending());
        insert(&store, &mission(2)).await.unwrap();
        insert(&store, &mission(3)).await.unwrap();
        assert_eq!(store.position(), Position::START);
        assert!(poll!(Box::pin(tail.next())).is_pending());
        drop(inserting);
        let entries = take(&mut tail, expected.len()).await;
        let told: Vec<_> = entries.iter().flat_map(|entry| about(entry)).collect();
        assert_eq!(told, expected.iter().map(|number| id(*number)).collect::<Vec<_>>());
        let missions: Vec<_> = expected.into_iter().map(mission).collect();
        assert_counted(&store, &missions);
    }
}

#[tokio::test]
async fn whoever_finds_out_may_itself_be_dropped_half_way() {
    for (stuck, again, expected) in [
        (Stuck::OnTheWay, Stuck::OnTheWay, vec![2]),
        (Stuck::OnTheWay, Stuck::OnTheWayBack, vec![2]),
        (Stuck::OnTheWayBack, Stuck::OnTheWay, vec![1, 2]),
        (Stuck::OnTheWayBack, Stuck::OnTheWayBack, vec![1, 2]),
    ] {
        let probe = Probe::default();
        let store = open(probe.clone(), 1).await;
        abandon(&store, &probe, 1, stuck).await;
        let mut tail = store.tail(Position::START);
        probe.stick_next(again);
        assert!(poll!(Box::pin(tail.next())).is_pending());
        insert(&store, &mission(2)).await.unwrap();
        assert_eq!(shown(&store).await, expected, "{stuck:?}, {again:?}");
        probe.deliver().await;
        let missions: Vec<_> = expected.into_iter().map(mission).collect();
        assert_counted(&store, &missions);
        assert_eq!(there(&store, 1).await, missions.len() == 2);
    }
}

#[tokio::test]
async fn closing_finds_out_what_was_abandoned() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    insert(&store, &mission(1)).await.unwrap();
    abandon(&store, &probe, 2, Stuck::OnTheWayBack).await;
    abandon(&store, &probe, 3, Stuck::OnTheWay).await;
    store.close().await.unwrap();
    for seed in [2, 3] {
        let store = open(probe.clone(), seed).await;
        assert_counted(&store, &[mission(1), mission(2)]);
        assert_eq!(shown(&store).await, [1, 2]);
    }
}

#[tokio::test]
async fn a_tail_reads_through_any_number_of_places_that_stayed_empty() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    insert(&store, &mission(1)).await.unwrap();
    for _ in 0..1100 {
        abandon(&store, &probe, 2, Stuck::OnTheWay).await;
    }
    insert(&store, &mission(3)).await.unwrap();
    assert_eq!(shown(&store).await, [1, 3]);
    let store = open(probe.clone(), 2).await;
    assert_eq!(shown(&store).await, [1, 3]);
    assert_counted(&store, &[mission(1), mission(3)]);
}
