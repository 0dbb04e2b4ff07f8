//! Everything again through an engine that loses calls and answers: what was acknowledged is there, once.

use std::collections::BTreeMap;
use std::sync::Arc;

use fleet_store::{Entry, Error, Position, Store};
use kv::{Engine, Faulty, MemEngine};
use tokio::task::JoinSet;
use types::{Event, Mission};

use crate::engines::Yielding;
use crate::support::{about, assert_counted, id, insert, mission, open_as, stamp, whole_feed};

const SEEDS: std::ops::Range<u64> = 0..16;
const WRITERS: usize = 8;
const STEPS: usize = 12;

/// The mission that all writers count up.
const SHARED: usize = 0;

/// Told when there is nothing more to come.
const LAST: usize = 9_999;

type Engines = (MemEngine, Arc<Faulty<Yielding<MemEngine>>>);

/// What callers were told, by the number of the mission they made.
type Told = BTreeMap<usize, Result<(), Error>>;

fn engines(seed: u64) -> Engines {
    let memory = MemEngine::new();
    (memory.clone(), Arc::new(Faulty::new(Yielding::new(memory, seed), seed)))
}

/// Opens the store while the engine is calm, and lets the faults begin.
async fn open_faulty(engine: &Arc<Faulty<Yielding<MemEngine>>>, seed: u64) -> Store {
    engine.calm();
    let store = open_as(Arc::clone(engine) as Arc<dyn Engine>, "server", seed).await;
    engine.disturb();
    store
}

/// Makes a mission and counts the shared one up, in one transaction.
async fn step(store: &Store, number: usize) -> Result<(), Error> {
    let stepped = store.transact(stamp(), |tx| async move {
        let held = tx.get::<Mission>(&id(SHARED)).await?.unwrap();
        tx.update(&held, &Mission { priority: held.record.priority + 1, ..held.record.clone() })?;
        tx.insert(&mission(number))?;
        tx.append(Event::MissionCreated { mission: id(number) });
        Ok(())
    });
    stepped.await
}

fn spawn_writers(store: &Store, from: usize) -> JoinSet<Vec<(usize, Result<(), Error>)>> {
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let store = store.clone();
        writers.spawn(async move {
            let mut told = Vec::new();
            for number in (0..STEPS).map(|step| from + writer * STEPS + step) {
                told.push((number, step(&store, number).await));
            }
            told
        });
    }
    writers
}

/// Reads on through every failure until the last change.
async fn read_to_the_last(store: Store, after: Position) -> Vec<Arc<Entry>> {
    let (mut tail, mut seen) = (store.tail(after), Vec::new());
    loop {
        let Ok(entry) = tail.next().await else { continue };
        if about(&entry) == [id(LAST)] {
            return seen;
        }
        seen.push(entry);
    }
}

/// Compares what callers were told with what is there, what is shown and what is counted.
async fn assert_kept(store: &Store, memory: &MemEngine, told: &Told) {
    let feed = whole_feed(store).await;
    let mut missions = Vec::new();
    for (number, told) in told {
        let stored = store.get::<Mission>(&id(*number)).await.unwrap();
        let shown = feed.iter().filter(|entry| about(entry) == [id(*number)]).count();
        assert_eq!(shown, usize::from(stored.is_some()), "mission {number} is shown as it is there");
        match told {
            Ok(()) => assert!(stored.is_some(), "mission {number} was acknowledged"),
            Err(Error::Engine(kv::Error::Unknown(_))) => {}
            Err(error) => assert!(stored.is_none(), "mission {number} failed for certain: {error:?}"),
        }
        missions.extend(stored);
    }
    let shared = store.get::<Mission>(&id(SHARED)).await.unwrap().unwrap();
    assert_eq!(usize::try_from(shared.priority).unwrap(), missions.len(), "each mission was counted once");
    missions.push(shared);
    missions.extend(store.get::<Mission>(&id(LAST)).await.unwrap());
    assert_counted(store, &missions);
    let reopened = open_as(Arc::new(memory.clone()), "server", 77).await;
    assert_counted(&reopened, &missions);
    assert_eq!(whole_feed(&reopened).await, feed);
}

#[tokio::test(start_paused = true)]
async fn no_acknowledged_write_is_lost_and_none_is_doubled() {
    let mut lost = 0;
    for seed in SEEDS {
        let (memory, faulty) = engines(seed);
        let store = open_faulty(&faulty, seed).await;
        faulty.calm();
        insert(&store, &mission(SHARED)).await.unwrap();
        let start = store.position();
        let mut readers = JoinSet::new();
        for _ in 0..3 {
            readers.spawn(read_to_the_last(store.clone(), start));
        }
        faulty.disturb();
        let told: Told = spawn_writers(&store, 100).join_all().await.into_iter().flatten().collect();
        faulty.calm();
        insert(&store, &mission(LAST)).await.unwrap();
        let seen = readers.join_all().await;
        let feed = whole_feed(&store).await;
        for seen in seen {
            assert_eq!(seen, feed[1..feed.len() - 1], "seed {seed}");
        }
        assert_kept(&store, &memory, &told).await;
        assert!(told.values().any(Result::is_ok), "seed {seed}");
        lost += faulty.injected().answers_lost;
    }
    assert!(lost > 100, "only {lost} answers were lost");
}

#[tokio::test(start_paused = true)]
async fn a_crash_in_the_middle_of_faults_loses_nothing_that_was_acknowledged() {
    for seed in SEEDS {
        let (memory, faulty) = engines(seed);
        let mut told = Told::new();
        let store = open_faulty(&faulty, seed).await;
        faulty.calm();
        insert(&store, &mission(SHARED)).await.unwrap();
        for round in 0..4 {
            let store = open_faulty(&faulty, seed * 100 + round).await;
            let from = 100 + usize::try_from(round).unwrap() * WRITERS * STEPS;
            let mut writers = spawn_writers(&store, from);
            // The first writer to end takes all others with it.
            let first = writers.join_next().await.unwrap().unwrap();
            writers.shutdown().await;
            let unheard = |number| (number, Err(Error::Engine(kv::Error::Unknown("nobody was told".into()))));
            told.extend((from..from + WRITERS * STEPS).map(unheard));
            told.extend(first);
        }
        faulty.calm();
        let store = open_as(Arc::clone(&faulty) as Arc<dyn Engine>, "server", seed + 5_000).await;
        insert(&store, &mission(LAST)).await.unwrap();
        assert_kept(&store, &memory, &told).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_goes_on_after_cancelled_callers_shows_and_counts_what_was_applied() {
    for seed in SEEDS {
        let (memory, faulty) = engines(seed);
        let store = open_faulty(&faulty, seed).await;
        faulty.calm();
        insert(&store, &mission(SHARED)).await.unwrap();
        let start = store.position();
        let mut readers = JoinSet::new();
        readers.spawn(read_to_the_last(store.clone(), start));
        faulty.disturb();
        let mut writers = spawn_writers(&store, 100);
        let first = writers.join_next().await.unwrap().unwrap();
        writers.shutdown().await;
        let unheard = |number| (number, Err(Error::Engine(kv::Error::Unknown("nobody was told".into()))));
        let mut told: Told = (100..100 + WRITERS * STEPS).map(unheard).collect();
        told.extend(first);
        faulty.calm();
        insert(&store, &mission(LAST)).await.unwrap();
        let seen = readers.join_all().await;
        let feed = whole_feed(&store).await;
        assert_eq!(seen, [feed[1..feed.len() - 1].to_vec()], "seed {seed}");
        assert_kept(&store, &memory, &told).await;
    }
}
