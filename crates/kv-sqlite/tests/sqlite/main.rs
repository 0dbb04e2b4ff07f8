//! What the SQLite engine promises: the suite of all engines, and what only a file can break.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test speaks by panicking, and its child process by printing"
)]

mod conformance;
mod full;
mod kill;
mod open;
mod readers;

use std::path::PathBuf;

use fleet_kv_sqlite::SqliteEngine;
use kv::{Commit, Engine, Outcome, Revision, Row, Scan};

/// A folder for one database, gone when dropped.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn database(&self) -> PathBuf {
        self.0.path().join("fleet.db")
    }

    fn open(&self) -> SqliteEngine {
        SqliteEngine::open(self.database()).unwrap()
    }
}

async fn apply(engine: &SqliteEngine, commit: impl Into<Commit>) -> Revision {
    match engine.commit(commit.into()).await.unwrap() {
        Outcome::Committed(revision) => revision,
        Outcome::Conflict { key } => panic!("conflict at {key:?}"),
    }
}

async fn all(engine: &SqliteEngine, partition: &str) -> Vec<Row> {
    engine.scan(Scan::all(kv::Partition::new(partition))).await.unwrap()
}
