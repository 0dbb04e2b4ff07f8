//! What the fault wrapper promises about its own faults.

use super::*;
use crate::{Expect, MemEngine, Operation};

const CALLS: u64 = 400;

/// Inserts rows `0..CALLS` and returns, for each, how it was reported and whether it is there.
async fn inserts(seed: u64) -> (Vec<(&'static str, bool)>, Injected) {
    let memory = MemEngine::new();
    let faulty = Faulty::new(memory.clone(), seed);
    let mut seen = Vec::new();
    for number in 0..CALLS {
        let key = Key::new("p", format!("{number}"));
        let reported = faulty.commit(Operation::put(&key, Expect::Absent, "x").into()).await;
        let applied = memory.get(&key).await.unwrap().is_some();
        seen.push((word(&reported), applied));
    }
    (seen, faulty.injected())
}

fn word(reported: &Result<Outcome, Error>) -> &'static str {
    match reported {
        Ok(Outcome::Committed(_)) => "committed",
        Ok(Outcome::Conflict { .. }) => "conflict",
        Err(Error::Unavailable(_)) => "unavailable",
        Err(Error::Unknown(_)) => "unknown",
        Err(Error::TooLarge(_) | Error::Corrupt(_)) => "refused",
    }
}

#[tokio::test]
async fn unavailable_is_never_applied_and_unknown_is_either() {
    let (seen, injected) = inserts(7).await;
    let count = |what| seen.iter().filter(|seen| **seen == what).count() as u64;
    assert_eq!(count(("unavailable", true)), 0);
    assert_eq!(count(("committed", false)), 0);
    let counted = Injected {
        reads_refused: 0,
        commits_refused: count(("unavailable", false)),
        commits_lost: count(("unknown", false)),
        answers_lost: count(("unknown", true)),
    };
    assert_eq!(injected, counted);
    assert!(counted.commits_refused > 0 && counted.commits_lost > 0 && counted.answers_lost > 0, "{counted:?}");
}

#[tokio::test]
async fn the_seed_decides_the_schedule() {
    assert_eq!(inserts(1).await, inserts(1).await);
    assert_ne!(inserts(1).await, inserts(2).await);
}

#[tokio::test]
async fn reads_fail_sometimes_and_only_with_unavailable() {
    let faulty = Faulty::new(MemEngine::new(), 3);
    let key = Key::new("p", "k");
    let mut refused = 0;
    for _ in 0..CALLS {
        let get = faulty.get(&key).await.map(|_| ());
        let scan = faulty.scan(Scan::all(key.partition.clone())).await.map(|_| ());
        for answer in [get, scan] {
            assert!(matches!(answer, Ok(()) | Err(Error::Unavailable(_))), "{answer:?}");
            refused += u64::from(answer.is_err());
        }
    }
    assert!(refused > 0);
    assert_eq!(faulty.injected(), Injected { reads_refused: refused, ..Injected::default() });
}

#[tokio::test]
async fn calmed_it_lets_everything_through_until_disturbed_again() {
    let faulty = Faulty::new(MemEngine::new(), 5);
    faulty.calm();
    for _ in 0..CALLS {
        assert_eq!(faulty.get(&Key::new("p", "k")).await.unwrap(), None);
    }
    assert_eq!(faulty.injected(), Injected::default());
    faulty.disturb();
    let mut refused = false;
    for _ in 0..CALLS {
        refused |= faulty.get(&Key::new("p", "k")).await.is_err();
    }
    assert!(refused);
}

#[tokio::test]
async fn a_commit_that_cannot_fit_is_refused_whatever_the_schedule() {
    let faulty = Faulty::new(MemEngine::new(), 9);
    for _ in 0..CALLS {
        let refused = faulty.commit(Operation::put(&Key::new("p", ""), Expect::Anything, "x").into()).await;
        assert!(matches!(refused, Err(Error::TooLarge(_))), "{refused:?}");
    }
}
