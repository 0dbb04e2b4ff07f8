//! Storms of many seeds, one seed twice, and storms in which a rule is broken on purpose.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use fleet_simulation::{Bug, Report, run_with};

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

/// Seeds among which one must notice that a rule is broken.
const NOTICED_WITHIN: u64 = 200;

/// What the auditor must say when a rule is broken: one of these.
fn names(bug: Bug) -> &'static [&'static str] {
    match bug {
        Bug::HoldsTwice => &["is held twice", "which does not know or is gone"],
        Bug::LosesMissions => &["was lost"],
        Bug::KeepsLeases => &["which does not know or is gone"],
        Bug::NeverWakes => &["nobody wakes it", "never ends"],
        Bug::ForgetsStarts => &["could start and does not", "never ran"],
        Bug::BelievesAgents => &["is done by the word of"],
        Bug::IgnoresFleetBudgets => &["used up: the fleet's"],
        Bug::IgnoresProjectBudgets => &["used up: the project's"],
        Bug::IgnoresMissionBudgets => &["used up: the mission's", "when the mission's time was used up"],
        Bug::IgnoresDailyBudgets => &[" of the day"],
        Bug::IgnoresDollars => &["'s dollars"],
        Bug::IgnoresTokens => &["'s tokens"],
        Bug::IgnoresTurns => &["'s turns"],
        Bug::IgnoresTime => &["'s time"],
        Bug::IgnoresPrices => &["'s dollars"],
        Bug::NeverRenews => &["nobody wakes it", "never ends"],
        Bug::BooksNothing | Bug::BooksTwice => &["is booked for"],
        Bug::LandsRed => &["the target branch is red"],
        Bug::LandsDropped => &["lands though it is Some(Dropped)"],
        Bug::LandsInWordsOnly => &["is called landed and is not on the target branch"],
        Bug::ForgetsMoves => &["landed without evidence"],
        Bug::LeavesLandings => &["never ends", "lands for ever"],
    }
}

#[test]
fn every_rule_that_is_broken_on_purpose_is_named_by_the_auditor() {
    for bug in Bug::ALL {
        let notices = |report: &Report| {
            report.violation.as_ref().is_some_and(|said| names(bug).iter().any(|words| said.contains(words)))
        };
        let noticed = (0..NOTICED_WITHIN).any(|seed| notices(&run_with(seed, Some(bug))));
        assert!(noticed, "{bug:?} goes unnoticed");
    }
}
