//! Versions of groups: the same as long as a list of them is the same.

use std::collections::HashMap;
use std::sync::Mutex;

use fleet_store::{Query, Store, Version, by};
use futures::future::join_all;
use futures::poll;
use kv::MemEngine;
use proptest::prelude::*;
use types::{Mission, TeamName};

use crate::engines::{Probe, Stuck, Yielding};
use crate::support::{change, id, insert, mission, open, remove};

fn team() -> Vec<String> {
    vec![by::mission::team_age(&TeamName::default_team())]
}

fn others() -> Vec<String> {
    vec![by::mission::team_age(&"others".parse().unwrap())]
}

async fn listed(store: &Store) -> Vec<Mission> {
    store.list::<Mission>(Query::earliest(team().remove(0), 100)).await.unwrap().records
}

#[tokio::test]
async fn every_change_of_a_record_changes_the_version_of_its_groups_and_of_no_other() {
    let store = open(Probe::default(), 1).await;
    let mut seen = vec![store.version(&team()).unwrap()];
    let other = store.version(&others());
    let mut step = |store: &Store| {
        let version = store.version(&team()).unwrap();
        assert!(!seen.contains(&version));
        seen.push(version);
    };
    insert(&store, &mission(1)).await.unwrap();
    step(&store);
    change(&store, &id(1), |mission| mission.title.push('!')).await.unwrap();
    step(&store);
    assert_eq!(store.version(&others()), other);
    change(&store, &id(1), |mission| mission.team = "others".parse().unwrap()).await.unwrap();
    step(&store);
    assert_ne!(store.version(&others()), other);
    change(&store, &id(1), |mission| mission.team = TeamName::default_team()).await.unwrap();
    step(&store);
    remove(&store, &id(1)).await.unwrap();
    step(&store);
}

#[tokio::test]
async fn there_is_no_version_where_others_write_too() {
    let store = open(MemEngine::new(), 1).await;
    assert_eq!(store.version(&team()), None);
}

#[tokio::test]
async fn there_is_no_version_until_the_end_of_an_abandoned_change_is_known() {
    for stuck in [Stuck::OnTheWay, Stuck::OnTheWayBack] {
        let probe = Probe::default();
        let store = open(probe.clone(), 1).await;
        let before = store.version(&team());
        probe.stick_next(stuck);
        let mission = mission(1);
        let mut inserting = Box::pin(insert(&store, &mission));
        assert!(poll!(inserting.as_mut()).is_pending());
        assert_eq!(store.version(&team()), None);
        drop(inserting);
        assert_eq!(store.version(&team()), None);
        store.resolve().await.unwrap();
        assert!(store.version(&team()).is_some_and(|version| Some(version) != before));
    }
}

async fn write(store: &Store, number: usize, title: u8) {
    insert(store, &mission(number)).await.unwrap();
    change(store, &id(number), |mission| mission.title = title.to_string()).await.unwrap();
    if title.is_multiple_of(3) {
        remove(store, &id(number)).await.unwrap();
    }
}

/// Reads again and again, and holds what was read against what had the same version.
async fn read(store: &Store, times: usize, known: &Mutex<HashMap<Version, Vec<Mission>>>) {
    for _ in 0..times {
        let before = store.version(&team());
        let records = listed(store).await;
        if let Some(version) = before.filter(|_| store.version(&team()) == before) {
            let mut known = known.lock().unwrap();
            assert_eq!(*known.entry(version).or_insert_with(|| records.clone()), records);
        }
        tokio::task::yield_now().await;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn lists_of_one_version_are_one_list_whoever_writes_meanwhile(seed in any::<u64>(), titles in prop::collection::vec(any::<u8>(), 1..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let store = open(Yielding::new(Probe::default(), seed), seed).await;
            let known = Mutex::default();
            let writers = join_all(titles.iter().enumerate().map(|(number, title)| write(&store, number, *title)));
            let readers = join_all((0..3).map(|_| read(&store, 40, &known)));
            futures::join!(writers, readers);
        });
    }
}
