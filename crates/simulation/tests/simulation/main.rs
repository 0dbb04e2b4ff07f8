//! Storms of many seeds, and one seed twice.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Far more are played by `cargo xtask sim`.
const SEEDS: u64 = 120;

#[test]
fn no_storm_breaks_a_promise() {
    let (next, broken) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= SEEDS {
                        return;
                    }
                    let report = fleet_simulation::run(seed);
                    broken.lock().unwrap().extend(report.violation.map(|violation| (seed, violation, report.tail)));
                }
            });
        }
    });
    let broken = broken.into_inner().unwrap();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_seed_is_the_same_story_twice() {
    for seed in 0..4 {
        let (once, again) = (fleet_simulation::run(seed), fleet_simulation::run(seed));
        assert_eq!(once, again);
        assert!(once.lines > 20, "little happened: {:?}", once.tail);
    }
    assert_ne!(fleet_simulation::run(1).hash, fleet_simulation::run(2).hash);
}

#[test]
fn storms_are_storms() {
    let reports: Vec<_> = (0..10).map(fleet_simulation::run).collect();
    assert!(reports.iter().map(|report| report.crashes).sum::<u32>() > 5);
    assert!(reports.iter().map(|report| report.missions.1).sum::<usize>() > 10);
}
