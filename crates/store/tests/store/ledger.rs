//! What was spent: booked once, whatever happens, and the same after every opening.

use std::collections::BTreeMap;

use fleet_store::Store;
use proptest::prelude::*;
use types::{Day, Mission, ProjectId, Spent};

use crate::engines::Probe;
use crate::support::{at, insert, mission, open, project, stamp};

const DAY: i64 = 86_400;

fn spent(amount: u64) -> Spent {
    Spent {
        cost: (amount as f64 / 100.0).into(),
        tokens: amount * 10,
        unpriced: amount * 7,
        turns: amount,
        secs: amount * 3,
    }
}

fn day(number: i64) -> Day {
    Day::of(at(number * DAY))
}

/// Books what a mission's record says it has spent; the mission stands for a session here.
async fn book(store: &Store, number: usize, of: Option<&ProjectId>, on: Day, now: Spent) {
    let id = &mission(number).id;
    store
        .transact(stamp(), |tx| async move {
            let held = tx.get::<Mission>(id).await?.unwrap();
            tx.update(&held, &Mission { spent: now, ..held.record.clone() })?;
            tx.book(of, on, held.record.spent, now);
            Ok::<_, fleet_store::Error>(())
        })
        .await
        .unwrap();
}

#[derive(Debug, Clone)]
enum Step {
    /// A session of a project has spent so much in all by a day; often that is less than before.
    Book(usize, Option<usize>, i64, u64),
    Reopen,
    Close,
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..3usize, prop::option::of(0..2usize), 0..3i64, 0..40u64).prop_map(|(n, of, on, all)| Step::Book(n, of, on, all)),
        1 => Just(Step::Reopen),
        1 => Just(Step::Close),
    ]
}

async fn run(steps: Vec<Step>) {
    let probe = Probe::default();
    let mut store = open(probe.clone(), 0).await;
    for number in 0..3 {
        insert(&store, &mission(number)).await.unwrap();
    }
    let mut booked = [0_u64; 3];
    let mut model: BTreeMap<(Option<usize>, Option<i64>), i64> = BTreeMap::new();
    for (seed, step) in (1..).zip(steps) {
        match step {
            Step::Book(number, of, on, all) => {
                book(&store, number, of.map(project).as_ref(), day(on), spent(all)).await;
                let more = i64::try_from(all).unwrap() - i64::try_from(booked[number]).unwrap();
                booked[number] = all;
                for whose in [None].into_iter().chain(of.map(Some)) {
                    *model.entry((whose, None)).or_default() += more;
                    *model.entry((whose, Some(on))).or_default() += more;
                }
            }
            Step::Reopen => store = open(probe.clone(), seed).await,
            Step::Close => {
                store.close().await.unwrap();
                store = open(probe.clone(), seed).await;
            }
        }
        for ((whose, on), amount) in &model {
            let found = store.spent(whose.map(project).as_ref(), on.map(day));
            // What was booked on one day and taken back on another is nothing, and not less.
            assert_eq!(found, spent(u64::try_from(*amount).unwrap_or(0)), "{whose:?} {on:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_books_are_the_sum_of_what_was_booked_however_often_the_store_is_opened(
        steps in prop::collection::vec(any_step(), 1..40),
    ) {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(run(steps));
    }
}

#[tokio::test]
async fn a_commit_that_is_decided_anew_books_once() {
    let store = open(Probe::default(), 0).await;
    insert(&store, &mission(0)).await.unwrap();
    let of = project(0);
    // All of them read the same record, so all but one are decided anew each time.
    let bookings = (1..=8).map(|amount| book(&store, 0, Some(&of), day(0), spent(amount)));
    futures::future::join_all(bookings).await;
    let last = store.get::<Mission>(&mission(0).id).await.unwrap().unwrap().spent;
    for (whose, on) in [(None, None), (None, Some(day(0))), (Some(&of), None), (Some(&of), Some(day(0)))] {
        assert_eq!(store.spent(whose, on), last);
    }
    assert_eq!(store.spent(Some(&project(1)), None), Spent::default());
    assert_eq!(store.spent(None, Some(day(1))), Spent::default());
}

#[tokio::test]
async fn what_an_agent_claims_beyond_all_measure_does_not_spoil_the_sums() {
    let store = open(Probe::default(), 0).await;
    insert(&store, &mission(0)).await.unwrap();
    let all = Spent { cost: f64::MAX.into(), tokens: u64::MAX, unpriced: u64::MAX, turns: u64::MAX, secs: u64::MAX };
    book(&store, 0, None, day(0), all).await;
    assert!(store.spent(None, None).tokens >= 1 << 53);
    book(&store, 0, None, day(0), spent(5)).await;
    assert_eq!(store.spent(None, None), spent(5));
}
