//! Reads beside the writer: they neither wait for a commit under way nor see half of one.

use std::sync::Arc;

use kv::{Commit, Engine, Expect, Key, Operation, Outcome};
use rusqlite::Connection;
use tokio::task::JoinSet;

use crate::{Folder, all, apply};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_go_on_while_a_commit_cannot() {
    let folder = Folder::new();
    let engine = Arc::new(folder.open());
    let key = Key::new("p", "k");
    apply(&engine, Operation::put(&key, Expect::Absent, "before")).await;
    // An operator's tool holds the write lock, so the engine's commit is under way and cannot end.
    let tool = Connection::open(folder.database()).unwrap();
    tool.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut commits = JoinSet::new();
    let (writer, put) = (Arc::clone(&engine), Operation::put(&key, Expect::Anything, "after"));
    commits.spawn(async move { writer.commit(put.into()).await.unwrap() });
    for _ in 0..100 {
        assert_eq!(engine.get(&key).await.unwrap().unwrap().value, "before");
        assert_eq!(all(&engine, "p").await.len(), 1);
    }
    assert!(commits.try_join_next().is_none(), "the commit ended under a lock");
    tool.execute_batch("ROLLBACK").unwrap();
    assert!(matches!(commits.join_all().await[..], [Outcome::Committed(_)]));
    assert_eq!(engine.get(&key).await.unwrap().unwrap().value, "after");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scan_sees_all_of_a_large_commit_or_nothing_of_it() {
    let folder = Folder::new();
    let engine = Arc::new(folder.open());
    let mut commits = JoinSet::new();
    let writer = Arc::clone(&engine);
    commits.spawn(async move {
        for round in 0..5_u8 {
            apply(&writer, large(round)).await;
        }
    });
    let mut scans = 0;
    while commits.try_join_next().is_none() {
        let rows = all(&engine, "p").await;
        assert!(rows.is_empty() || rows.len() == 10, "{} of 10 rows", rows.len());
        let rounds: Vec<u8> = rows.iter().map(|row| row.value[0]).collect();
        assert!(rounds.iter().all(|round| *round == rounds[0]), "rows of several commits: {rounds:?}");
        scans += 1;
    }
    assert!(scans > 1, "the scans waited for the writer");
}

/// Writes ten rows, 3.3 MB together.
fn large(round: u8) -> Commit {
    let put = |number| Operation::put(&Key::new("p", format!("{number}")), Expect::Anything, vec![round; 330_000]);
    (0..10).map(put).collect::<Vec<_>>().into()
}
