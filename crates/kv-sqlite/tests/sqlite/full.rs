//! A disk that is full: what was there stays, what does not fit is refused, and room makes it work again.

use std::sync::Arc;

use fleet_kv_sqlite::{Options, SqliteEngine};
use kv::{Engine, Error, Expect, Key, Operation, Outcome};
use rusqlite::Connection;
use tokio::task::JoinSet;

use crate::{Folder, all, apply};

const PAGES: u32 = 100;
const LARGE: usize = 40_000;

/// More than half of what the pages hold.
const HALF: usize = 260_000;

fn cramped(folder: &Folder) -> SqliteEngine {
    SqliteEngine::open_with(folder.database(), Options { pages_max: Some(PAGES) }).unwrap()
}

fn put(sort: &str, bytes: usize) -> Operation {
    Operation::put(&Key::new("p", sort), Expect::Absent, vec![b'x'; bytes])
}

/// Inserts large rows until one is refused, and returns how many fit.
async fn fill(engine: &SqliteEngine) -> usize {
    for count in 0.. {
        match engine.commit(put(&format!("large {count}"), LARGE).into()).await {
            Ok(outcome) => assert!(matches!(outcome, Outcome::Committed(_)), "{outcome:?}"),
            Err(error) => {
                assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
                return count;
            }
        }
    }
    unreachable!("the file has a limit")
}

#[tokio::test]
async fn a_full_disk_keeps_what_was_there_and_recovers_with_room() {
    let folder = Folder::new();
    let engine = cramped(&folder);
    let fitted = fill(&engine).await;
    assert!(fitted > 1, "only {fitted} rows fitted");
    let kept = all(&engine, "p").await;
    assert_eq!(kept.len(), fitted);
    let refused = engine.commit(put("again", LARGE).into()).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    assert_eq!(all(&engine, "p").await, kept);

    apply(&engine, Operation::delete(&kept[0].key, Expect::At(kept[0].revision))).await;
    apply(&engine, put("again", LARGE)).await;
    drop(engine);
    assert_eq!(all(&cramped(&folder), "p").await.len(), fitted);
}

#[tokio::test]
async fn a_commit_that_does_not_fit_leaves_nothing_behind() {
    let folder = Folder::new();
    let engine = cramped(&folder);
    let pieces: Vec<Operation> = (0..20).map(|number| put(&format!("piece {number}"), LARGE)).collect();
    let refused = engine.commit(pieces.into()).await;
    assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
    assert_eq!(all(&engine, "p").await, []);
}

#[tokio::test]
async fn a_commit_that_does_not_fit_does_not_fail_its_neighbours() {
    let folder = Folder::new();
    let engine = Arc::new(cramped(&folder));
    // While another holds the write lock, the commits pile up, so that they share a transaction afterwards.
    let tool = Connection::open(folder.database()).unwrap();
    tool.execute_batch("BEGIN IMMEDIATE").unwrap();
    let sizes = [10, 10, 10, HALF, 10, HALF, 10];
    let mut commits = JoinSet::new();
    for (number, bytes) in sizes.into_iter().enumerate() {
        let engine = Arc::clone(&engine);
        commits.spawn(async move { (bytes, engine.commit(put(&format!("{number}"), bytes).into()).await) });
    }
    tokio::task::yield_now().await;
    tool.execute_batch("ROLLBACK").unwrap();
    let mut refused = Vec::new();
    for (bytes, ended) in commits.join_all().await {
        match ended {
            Ok(outcome) => assert!(matches!(outcome, Outcome::Committed(_)), "{outcome:?}"),
            Err(error) => {
                assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
                refused.push(bytes);
            }
        }
    }
    assert_eq!(refused, [HALF], "one of the large ones fits, the other does not");
    assert_eq!(all(&engine, "p").await.len(), sizes.len() - 1);
}
