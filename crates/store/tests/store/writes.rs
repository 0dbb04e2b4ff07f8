//! Several writes in one transaction: each record moves once, from what is stored to what was said last.

use fleet_store::{Error, Query, by};
use kv::Order;
use types::{Event, Mission, MissionState, StateName};

use crate::engines::Probe;
use crate::support::{assert_counted, assert_places, at, id, insert, mission, open, project, stamp};

fn ready(number: usize) -> Mission {
    Mission { state: MissionState::Ready { since: at(1) }, ..mission(number) }
}

fn parked(number: usize) -> Mission {
    Mission {
        state: MissionState::Parked { why: types::ParkReason::Budget { text: "no quota".to_owned() }, until: None },
        ..mission(number)
    }
}

fn numbered(number: usize, place: u64) -> Mission {
    Mission { project: Some(project(1)), number: Some(place), ..mission(number) }
}

#[tokio::test]
async fn a_record_written_twice_is_found_and_counted_where_it_was_written_last() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    insert(store, &mission(1)).await.unwrap();
    let written = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        tx.update(&held, &ready(1))?;
        tx.update(&held, &parked(1))?;
        Ok::<_, Error>(())
    });
    written.await.unwrap();
    assert_places(&probe, &[parked(1)]).await;
    assert_counted(store, &[parked(1)]);
}

#[tokio::test]
async fn a_transaction_reads_what_it_wrote() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    insert(store, &mission(1)).await.unwrap();
    let written = store.transact(stamp(), |tx| async move {
        tx.insert(&mission(2))?;
        for number in [1, 2] {
            let held = tx.get::<Mission>(&id(number)).await?.unwrap();
            tx.update(&held, &ready(number))?;
            let held = tx.get::<Mission>(&id(number)).await?.unwrap();
            assert_eq!(held.record, ready(number));
            tx.update(&held, &parked(number))?;
        }
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        tx.delete(&held);
        assert_eq!(tx.get::<Mission>(&id(1)).await?, None);
        Ok::<_, Error>(())
    });
    written.await.unwrap();
    assert_eq!(store.get::<Mission>(&id(1)).await.unwrap(), None);
    assert_places(&probe, &[parked(2)]).await;
    assert_counted(store, &[parked(2)]);
}

#[tokio::test]
async fn a_record_that_is_deleted_may_be_made_again_at_once() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    insert(store, &numbered(1, 1)).await.unwrap();
    let written = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        tx.delete(&held);
        tx.insert(&parked(1))?;
        Ok::<_, Error>(())
    });
    written.await.unwrap();
    assert_places(&probe, &[parked(1)]).await;
    assert_counted(store, &[parked(1)]);
}

#[tokio::test]
async fn a_held_record_that_is_changed_in_place_still_leaves_its_old_places() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    insert(store, &mission(1)).await.unwrap();
    let written = store.transact(stamp(), |tx| async move {
        let mut held = tx.get::<Mission>(&id(1)).await?.unwrap();
        held.record.state = ready(1).state;
        tx.update(&held, &held.record)?;
        Ok::<_, Error>(())
    });
    written.await.unwrap();
    assert_places(&probe, &[ready(1)]).await;
    assert_counted(store, &[ready(1)]);
}

#[tokio::test]
async fn a_place_of_its_own_can_be_handed_from_one_record_to_another() {
    // In both orders of the ids, since operations are sorted by key.
    for (from, to) in [(1, 2), (2, 1)] {
        let probe = Probe::default();
        let store = &open(probe.clone(), 1).await;
        insert(store, &numbered(from, 7)).await.unwrap();
        insert(store, &mission(to)).await.unwrap();
        let written = store.transact(stamp(), |tx| async move {
            let (giver, taker) = (tx.get::<Mission>(&id(from)).await?, tx.get::<Mission>(&id(to)).await?);
            tx.update(&taker.unwrap(), &numbered(to, 7))?;
            tx.update(&giver.unwrap(), &mission(from))?;
            Ok::<_, Error>(())
        });
        written.await.unwrap();
        assert_places(&probe, &[mission(from), numbered(to, 7)]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_of_its_own_is_never_taken_twice() {
    let probe = Probe::default();
    let store = &open(probe.clone(), 1).await;
    insert(store, &numbered(1, 7)).await.unwrap();
    assert!(matches!(insert(store, &numbered(2, 7)).await, Err(Error::Contention { .. })));
    let both = store.transact(stamp(), |tx| async move {
        tx.insert(&numbered(3, 8))?;
        tx.insert(&numbered(4, 8))
    });
    assert!(matches!(both.await, Err(Error::Contention { .. })));
    assert_places(&probe, &[numbered(1, 7)]).await;
    assert_counted(store, &[numbered(1, 7)]);
}

#[tokio::test]
async fn a_change_tells_all_its_events_in_order_and_each_mission_its_own() {
    let store = &open(Probe::default(), 1).await;
    let events = [
        Event::MissionCreated { mission: id(1) },
        Event::MissionMoved { mission: id(2), from: StateName::Draft, to: StateName::Ready },
        Event::ProjectUpdated { project: project(1) },
        Event::MissionUpdated { mission: id(1) },
    ];
    let told = &events;
    let written = store.transact(stamp(), |tx| async move {
        told.iter().for_each(|event| tx.append(event.clone()));
        Ok::<_, Error>(())
    });
    written.await.unwrap();
    let entry = store.tail(fleet_store::Position::START).next().await.unwrap();
    assert_eq!((entry.change.at, &entry.change.events[..]), (at(0), &events[..]));
    let newest_first = [(1001, at(0), events[3].clone()), (1000, at(0), events[0].clone())];
    assert_eq!(store.mission_events(&id(1), 10).await.unwrap(), newest_first);
    assert_eq!(store.mission_events(&id(1), 1).await.unwrap(), newest_first[..1]);
    assert_eq!(store.mission_events(&id(2), 10).await.unwrap(), [(1000, at(0), events[1].clone())]);
}

#[tokio::test]
async fn the_largest_mission_that_may_be_moves_in_one_commit() {
    let store = &open(Probe::default(), 1).await;
    let words = |from: usize| (from..from + 20).map(|number| format!("tag-{number}")).collect::<Vec<_>>();
    let large = |from: usize, state| Mission {
        tags: words(from),
        depends_on: (from..from + 20).map(id).collect(),
        parent: Some(id(999)),
        state,
        ..numbered(1, 1)
    };
    insert(store, &large(100, MissionState::Draft)).await.unwrap();
    let then = &large(100, MissionState::Ready { since: at(1) });
    let moved = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(1)).await?.unwrap();
        tx.append(Event::MissionMoved { mission: id(1), from: StateName::Draft, to: StateName::Ready });
        tx.update(&held, then)
    });
    moved.await.unwrap();
    let query = Query { order: Order::Ascending, ..Query::latest(by::mission::tag("tag-119"), 10) };
    assert_eq!(store.list::<Mission>(query).await.unwrap().records, std::slice::from_ref(then));
}
