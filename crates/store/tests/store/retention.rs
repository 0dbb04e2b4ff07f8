//! What is removed because it is old: nothing that a reader, the counters or the next opening still need.

use fleet_store::{Error, Position, Stamp, Store};
use kv::MemEngine;
use types::{Bookmark, Day, Event, Mission, Timestamp};

use crate::engines::Probe;
use crate::support::{assert_counted, at, insert, mission, open, remove, stamp, take};

async fn insert_at(store: &Store, number: usize, second: i64) {
    let (mission, by) = (&mission(number), Stamp { at: at(second), ..stamp().clone() });
    store
        .transact(&by, |tx| async move {
            tx.insert(mission)?;
            tx.append(Event::MissionCreated { mission: mission.id.clone() });
            Ok::<_, Error>(())
        })
        .await
        .unwrap();
}

async fn mark(store: &Store, position: u64) {
    let bookmark = &Bookmark { reader: "callbacks".to_owned(), position };
    store.transact(stamp(), |tx| async move { tx.insert(bookmark) }).await.unwrap();
}

async fn trim(store: &Store, before: Timestamp) -> usize {
    let mut rows = 0;
    loop {
        let removed = store.trim_feed(before).await.unwrap();
        rows += removed.rows;
        if !removed.more {
            return rows;
        }
    }
}

#[tokio::test]
async fn old_changes_go_and_counts_missions_and_the_end_of_the_feed_are_the_same_after_an_opening() {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    for number in 0..250 {
        insert_at(&store, number, i64::try_from(number).unwrap()).await;
    }
    let missions: Vec<Mission> = (0..250).map(mission).collect();
    assert_eq!(trim(&store, at(200)).await, 200);
    assert_eq!(trim(&store, at(200)).await, 0);
    assert_eq!(store.oldest().number(), 200);
    for store in [store.clone(), open(engine, 2).await] {
        assert_counted(&store, &missions);
        assert_eq!((store.position().number(), store.oldest().number()), (250, 200));
        let rest = take(&mut store.tail(store.oldest()), 50).await;
        assert_eq!(rest[0].position.number(), 201);
    }
    // The last change stays, however old: by it the next opening finds the end.
    assert_eq!(trim(&store, at(9_000)).await, 49);
    insert_at(&store, 300, 9_001).await;
    assert_eq!(store.position().number(), 251);
}

#[tokio::test]
async fn a_reader_behind_the_oldest_change_is_told_and_never_misses_changes_silently() {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    for number in 0..20 {
        insert_at(&store, number, i64::try_from(number).unwrap()).await;
    }
    trim(&store, at(10)).await;
    // A new process has nothing in memory.
    let store = open(engine, 2).await;
    for left in 0..20_u64 {
        let position: Position = left.to_string().parse().unwrap();
        let next = store.tail(position).next().await;
        match next {
            Ok(entry) => assert!(left >= 10 && entry.position.number() == left + 1),
            Err(Error::Trimmed { oldest, .. }) => assert!(left < 10 && oldest.number() == 10),
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn what_a_reader_with_a_stored_place_has_not_read_stays() {
    let store = open(MemEngine::new(), 1).await;
    for number in 0..20 {
        insert_at(&store, number, 0).await;
    }
    mark(&store, 7).await;
    assert_eq!(trim(&store, at(100)).await, 7);
    assert_eq!(store.oldest().number(), 7);
}

#[tokio::test]
async fn what_happened_to_a_mission_goes_and_a_deleted_one_leaves_nothing_behind() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    insert(&store, &mission(1)).await.unwrap();
    insert(&store, &mission(2)).await.unwrap();
    store.remove_events(&mission(1).id).await.unwrap();
    assert!(store.mission_events(&mission(1).id, 10).await.unwrap().is_empty());
    assert_eq!(store.mission_events(&mission(2).id, 10).await.unwrap().len(), 1);
    assert!(store.get::<Mission>(&mission(1).id).await.unwrap().is_some());
    remove(&store, &mission(1).id).await.unwrap();
    let about_it = mission(1).id.to_string();
    let rows = probe.rows().await;
    let left: Vec<_> = rows.iter().filter(|row| row.key.sort.contains(&about_it)).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn spending_of_past_days_goes_and_the_sum_stays() {
    let engine = MemEngine::new();
    let store = open(engine.clone(), 1).await;
    let day = |number: i64| Day::of(at(number * 86_400));
    let spent = |tokens| types::Spent { tokens, ..types::Spent::default() };
    let book = |number: i64| {
        store.transact(stamp(), move |tx| async move {
            tx.book(None, day(number), spent(0), spent(5));
            Ok::<_, Error>(())
        })
    };
    for number in 0..10 {
        book(number).await.unwrap();
    }
    assert_eq!(store.expired_spending(day(8)), 8);
    assert_eq!(store.remove_spending(day(8), stamp()).await.unwrap(), 8);
    for store in [store.clone(), open(engine, 2).await] {
        assert_eq!(store.spent(None, None), spent(50));
        assert_eq!([7, 8, 9].map(|number| store.spent(None, Some(day(number))).tokens), [0, 5, 5]);
        assert_eq!(store.expired_spending(day(8)), 0);
    }
}
