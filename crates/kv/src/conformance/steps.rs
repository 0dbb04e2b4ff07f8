//! The words the checks are written in: commit and it must apply, commit and it must conflict, read what is there.

use crate::conformance::Place;
use crate::engine::{Commit, Engine, Outcome, Revision, Row, Scan};
use crate::key::{Key, Partition};

/// Opens the engine on a new place; the place is returned so that it outlives the engine.
pub(super) async fn fresh<P: Place>() -> (P, P::Engine) {
    let place = P::empty().await;
    let engine = place.open().await;
    (place, engine)
}

/// A key of the partition most checks use.
pub(super) fn key(sort: &str) -> Key {
    Key::new("p", sort)
}

/// Commits what must apply, and returns its revision.
pub(super) async fn apply(engine: &impl Engine, commit: impl Into<Commit> + Send) -> Revision {
    match engine.commit(commit.into()).await.unwrap() {
        Outcome::Committed(revision) => revision,
        Outcome::Conflict { key } => panic!("a commit that had to apply met a conflict at {key:?}"),
    }
}

/// Commits what must conflict.
pub(super) async fn conflict(engine: &impl Engine, commit: impl Into<Commit> + Send) {
    let outcome = engine.commit(commit.into()).await.unwrap();
    assert!(matches!(outcome, Outcome::Conflict { .. }), "a commit that had to conflict ended with {outcome:?}");
}

/// Reads one row.
pub(super) async fn read(engine: &impl Engine, key: &Key) -> Option<Row> {
    engine.get(key).await.unwrap()
}

/// Reads the value of one row as text.
pub(super) async fn text(engine: &impl Engine, key: &Key) -> Option<String> {
    read(engine, key).await.map(|row| String::from_utf8(row.value.to_vec()).unwrap())
}

/// Scans, and returns the sort keys found.
pub(super) async fn sorts(engine: &impl Engine, scan: Scan) -> Vec<String> {
    engine.scan(scan).await.unwrap().into_iter().map(|row| row.key.sort).collect()
}

/// Reads all rows of a partition.
pub(super) async fn all(engine: &impl Engine, partition: &str) -> Vec<Row> {
    engine.scan(Scan::all(Partition::new(partition))).await.unwrap()
}
