//! Storms of many seeds, one seed twice, and storms with a planted bug.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use fleet_simulation::{Bug, run_with};

/// Far more are played by `cargo xtask sim`.
const SEEDS: u64 = 120;

#[test]
fn no_storm_violates_an_invariant() {
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

/// Seeds among which one must notice a planted bug.
const NOTICED_WITHIN: u64 = 1_000;

/// What the auditor must say about a planted bug: one of these; nothing in particular where much can go wrong.
fn names(bug: Bug) -> &'static [&'static str] {
    match bug {
        Bug::KeepsLeases => &["which does not know or is gone", "is held twice", "are counted"],
        Bug::LosesMissions => &["was lost"],
        Bug::HoldsTwice => &["is held twice", "which does not know or is gone", "a second process"],
        Bug::ForgetsStarts => &["could start and does not", "never ran"],
        Bug::BelievesAgents => &["its session made no commit"],
        Bug::IgnoresFleetBudgets => &["used up: the fleet's"],
        Bug::IgnoresProjectBudgets => &["used up: the project's"],
        Bug::IgnoresMissionBudgets => &["used up: the mission's", "when the mission's time was used up"],
        Bug::IgnoresDailyBudgets => &[" of the day"],
        Bug::IgnoresDollars => &["'s dollars"],
        Bug::IgnoresTokens => &["'s tokens"],
        Bug::IgnoresTurns => &["'s turns"],
        Bug::IgnoresTime => &["'s time"],
        Bug::IgnoresPrices => &["'s dollars", "is booked for"],
        Bug::ForgetsBookings => &["is booked for"],
        Bug::LandsRed => &["the target branch is red"],
        Bug::LandsDropped => &["lands though it is Some(Dropped)", "lands though it is Some(Queued)"],
        Bug::LandsInWordsOnly => &["is called landed and is not on the target branch"],
        Bug::ForgetsMoves => &["landed without evidence", "is on the target branch and is called"],
        Bug::LeavesLandings => &["never ends", "lands for ever"],
        Bug::BelievesItself => &["nobody wakes it", "a second process", "is held twice"],
        Bug::IgnoresGenerations => &["goes in circles", "a second process", "is held twice"],
    }
}

/// The seed to try first: it noticed the bug when it was last looked for among all.
fn first_tried(bug: Bug) -> u64 {
    if bug == Bug::BelievesItself { 861 } else { 0 }
}

#[test]
fn every_planted_bug_is_named_by_the_auditor() {
    let (next, unnoticed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(&bug) = Bug::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let named = |text: &String| names(bug).iter().any(|words| text.contains(words));
                    let mut violations = (first_tried(bug)..NOTICED_WITHIN)
                        .chain(0..first_tried(bug))
                        .filter_map(|seed| run_with(seed, Some(bug)).violation);
                    if !violations.any(|text| named(&text)) {
                        unnoticed.lock().unwrap().push(bug);
                    }
                }
            });
        }
    });
    let unnoticed = unnoticed.into_inner().unwrap();
    assert!(unnoticed.is_empty(), "{unnoticed:?}");
}
