//! Random histories, replayed on the engine under test and on the engine in memory, compared after every step.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use tokio::runtime::Handle;

use crate::conformance::steps::fresh;
use crate::conformance::world::{Deed, Guess, KEYS, Part, Step, World};
use crate::conformance::{Place, seed};
use crate::engine::Order;

const HISTORIES: u32 = 24;
const STEPS_MAX: usize = 24;

pub async fn a_random_history_matches_the_engine_in_memory<P: Place>() {
    let (_place, engine) = fresh::<P>().await;
    let engine = Arc::new(engine);
    let histories = AtomicU64::new(0);
    let seed = seed();
    let config = Config {
        cases: HISTORIES,
        rng_seed: RngSeed::Fixed(seed),
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    // The runner is synchronous so that it can shrink what fails; one engine serves all histories, each in
    // partitions of its own, since a new place may cost seconds.
    let verdict = tokio::task::block_in_place(|| {
        TestRunner::new(config).run(&vec(step(), 1..STEPS_MAX), |steps| {
            let history = histories.fetch_add(1, Ordering::Relaxed);
            Handle::current().block_on(World::new(&*engine, history).replay(steps));
            Ok(())
        })
    });
    if let Err(failure) = verdict {
        panic!("{failure}\nrepeat with PROPTEST_RNG_SEED={seed}");
    }
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => vec(part(), 0..5).prop_map(Step::Commit),
        1 => (0..KEYS).prop_map(Step::Get),
        2 => (0..KEYS, 0..3_usize, proptest::option::of(0..KEYS), 0..6_usize, order()).prop_map(
            |(key, prefix, after, limit, order)| Step::Scan { key, prefix, after, limit, order }
        ),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let guess = prop_oneof![
        2 => Just(Guess::Anything),
        2 => Just(Guess::Absent),
        4 => Just(Guess::Current),
        1 => Just(Guess::Stale),
    ];
    let deed = prop_oneof![
        4 => any::<u8>().prop_map(Deed::Put),
        2 => Just(Deed::Delete),
        1 => Just(Deed::Check),
    ];
    (0..KEYS, guess, deed).prop_map(|(key, guess, deed)| Part { key, guess, deed })
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Ascending), Just(Order::Descending)]
}
