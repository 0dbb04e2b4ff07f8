//! Checks across a reopening of the same place: what was acknowledged is there, and revisions continue.

use crate::conformance::Place;
use crate::conformance::steps::{all, apply, conflict, fresh, key};
use crate::engine::{Expect, Operation, Row};
use crate::key::Key;

pub async fn every_acknowledged_commit_is_there_after_reopening<P: Place>() {
    let (place, engine) = fresh::<P>().await;
    let mut expected: Vec<Row> = Vec::new();
    let mut engine = engine;
    for round in 0..3 {
        for number in 0..10 {
            let (mine, other) = (key(&format!("{round} {number}")), Key::new("q", "latest"));
            let value = format!("{round} {number}");
            let puts = [
                Operation::put(&mine, Expect::Absent, value.clone()),
                Operation::put(&other, Expect::Anything, value.clone()),
            ];
            let revision = apply(&engine, puts).await;
            expected.push(Row { key: mine, revision, value: value.into() });
        }
        let gone = expected.remove(0);
        apply(&engine, Operation::delete(&gone.key, Expect::At(gone.revision))).await;
        drop(engine);
        engine = place.open().await;
        assert_eq!(all(&engine, "p").await, expected);
        let latest = all(&engine, "q").await;
        let newest = expected.last().unwrap();
        assert_eq!(latest, [Row { key: Key::new("q", "latest"), ..newest.clone() }]);
    }
}

pub async fn a_revision_never_returns_after_reopening<P: Place>() {
    let (place, engine) = fresh::<P>().await;
    let mut engine = engine;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let revision = apply(&engine, Operation::put(&key("k"), Expect::Absent, "same")).await;
        assert!(!seen.contains(&revision), "{revision:?} came back: {seen:?}");
        for stale in &seen {
            conflict(&engine, Operation::check(&key("k"), Expect::At(*stale))).await;
        }
        seen.push(revision);
        // Nothing is left in the store when it closes, so only a mark of its own can keep revisions from repeating.
        apply(&engine, Operation::delete(&key("k"), Expect::At(revision))).await;
        drop(engine);
        engine = place.open().await;
    }
}
