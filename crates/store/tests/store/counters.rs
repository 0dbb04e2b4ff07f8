//! Counters equal a count of the records, whatever happened and however often the store was opened.

use std::collections::BTreeMap;
use std::pin::pin;

use fleet_store::Store;
use futures::future::{Either, select};
use futures::poll;
use proptest::prelude::*;
use types::{Mission, MissionId, MissionState, Schedule};

use crate::engines::{Probe, Stuck};
use crate::support::{assert_counted, at, change, id, insert, mission, open, oversized, project, remove};

type Model = BTreeMap<MissionId, Mission>;

#[derive(Debug, Clone)]
enum Step {
    Put(Mission),
    Remove(MissionId),
    /// A commit that fails for certain.
    Fail,
    /// An insert whose caller goes away.
    Abandon(Mission, Stuck),
    /// As after a crash.
    Reopen,
    /// As after a shutdown.
    Close,
}

fn any_mission() -> impl Strategy<Value = Mission> {
    let states = vec![
        MissionState::Draft,
        MissionState::Ready { since: at(0) },
        MissionState::Parked { why: types::ParkReason::Budget { text: String::new() }, until: None },
    ];
    let schedule = |enabled| Schedule { enabled, ..Schedule::new("* * * * *".to_owned(), at(1)) };
    let parts = (0..6usize, prop::option::of(0..3usize), prop::sample::select(states));
    (parts, prop::option::of(any::<bool>())).prop_map(move |((number, of, state), enabled)| Mission {
        project: of.map(project),
        state,
        schedule: enabled.map(schedule),
        ..mission(number)
    })
}

fn any_step() -> impl Strategy<Value = Step> {
    let stuck = prop::sample::select(vec![Stuck::OnTheWay, Stuck::OnTheWayBack]);
    prop_oneof![
        8 => any_mission().prop_map(Step::Put),
        3 => (0..6usize).prop_map(|number| Step::Remove(id(number))),
        1 => Just(Step::Fail),
        2 => (any_mission(), stuck).prop_map(|(mission, stuck)| Step::Abandon(mission, stuck)),
        1 => Just(Step::Reopen),
        1 => Just(Step::Close),
    ]
}

async fn put(store: &Store, model: &mut Model, mission: Mission) {
    if model.contains_key(&mission.id) {
        change(store, &mission.id, |stored| *stored = mission.clone()).await.unwrap();
    } else {
        insert(store, &mission).await.unwrap();
    }
    model.insert(mission.id.clone(), mission);
}

async fn run(steps: Vec<Step>) {
    let (probe, mut model) = (Probe::default(), Model::new());
    let mut store = open(probe.clone(), 0).await;
    for (seed, step) in (1..).zip(steps) {
        match step {
            Step::Put(mission) => put(&store, &mut model, mission).await,
            Step::Remove(id) if model.remove(&id).is_some() => remove(&store, &id).await.unwrap(),
            Step::Remove(_) => {}
            Step::Fail => assert!(insert(&store, &oversized(77)).await.is_err()),
            Step::Abandon(mission, stuck) if !model.contains_key(&mission.id) => {
                probe.stick_next(stuck);
                assert!(poll!(Box::pin(insert(&store, &mission))).is_pending());
                if stuck == Stuck::OnTheWayBack {
                    model.insert(mission.id.clone(), mission);
                }
                // Whoever asks next finds out, as a tail in a server always does.
                let _ = poll!(Box::pin(store.tail(store.position()).next()));
            }
            Step::Abandon(..) => {}
            Step::Reopen => store = open(probe.clone(), seed).await,
            Step::Close => {
                store.close().await.unwrap();
                store = open(probe.clone(), seed).await;
            }
        }
        assert_counted(&store, model.values());
    }
    assert_counted(&open(probe.clone(), 1_000).await, model.values());
    store.close().await.unwrap();
    assert_counted(&open(probe, 1_001).await, model.values());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn after_any_history_counters_equal_a_count(steps in prop::collection::vec(any_step(), 1..60)) {
        futures::executor::block_on(run(steps));
    }
}

#[tokio::test]
async fn a_snapshot_after_failed_commits_counts_what_comes_later_in_their_places() {
    let probe = Probe::default();
    for opening in 0..4 {
        let store = open(probe.clone(), opening as u64).await;
        let missions: Vec<_> = (0..opening).map(mission).collect();
        assert_counted(&store, &missions);
        insert(&store, &mission(opening)).await.unwrap();
        assert!(insert(&store, &oversized(99)).await.is_err());
        store.close().await.unwrap();
    }
}

#[tokio::test]
async fn snapshots_are_kept_so_that_opening_reads_little() {
    let probe = Probe::default();
    let store = open(probe.clone(), 1).await;
    // A project of its own for each, so that the totals need more than one document.
    let missions: Vec<_> =
        (0..1300).map(|number| Mission { project: Some(project(number)), ..mission(number) }).collect();
    let work = async {
        for mission in &missions {
            insert(&store, mission).await.unwrap();
            tokio::task::yield_now().await;
        }
    };
    let Either::Right(_) = select(pin!(store.keep_snapshots()), pin!(work)).await else { panic!("snapshots ended") };
    let before = probe.scanned();
    let reopened = open(probe.clone(), 2).await;
    assert!(probe.scanned() - before <= 301, "opening scanned {} rows", probe.scanned() - before);
    assert_counted(&reopened, &missions);
    for mission in &missions[..1290] {
        remove(&reopened, &mission.id).await.unwrap();
    }
    reopened.close().await.unwrap();
    assert_counted(&open(probe, 3).await, &missions[1290..]);
}

#[tokio::test]
async fn a_counter_that_nothing_adds_to_is_zero() {
    let store = open(Probe::default(), 1).await;
    assert_eq!(store.count("mission/draft"), 0);
    store.close().await.unwrap();
}
