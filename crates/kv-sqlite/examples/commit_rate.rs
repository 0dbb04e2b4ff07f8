//! Measures durable commits per second beside what plain SQLite does on the same disk, and what a read costs.
//!
//! Prints one JSON object. `floor` (the baseline) is one transaction per commit from one thread, `limit` one
//! transaction per 64 rows; the engine should be near the baseline with one committer and near the limit with many.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot run has nothing else to do")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fleet_kv_sqlite::SqliteEngine;
use kv::{Engine, Expect, Key, Operation, Partition, Scan};
use rusqlite::{Connection, params};
use tokio::task::JoinSet;

const DOCUMENT: [u8; 500] = [b'x'; 500];
const GETS: usize = 5_000;

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir_in(".").unwrap();
    let floor = plain(&folder.path().join("floor.db"), 1, 2_000);
    let limit = plain(&folder.path().join("limit.db"), 64, 400);
    let path = folder.path().join("engine.db");
    let engine = Arc::new(SqliteEngine::open(&path).unwrap());
    let rates = [(1, 2_000), (16, 1_000), (256, 100)]
        .map(|(committers, commits)| (committers, runtime.block_on(commits_per_second(&engine, committers, commits))));
    let [p50, p99] = runtime.block_on(get_micros(&engine));
    let scan = runtime.block_on(scan_micros(&engine));
    drop(engine);
    let opening = Instant::now();
    drop(SqliteEngine::open(&path).unwrap());
    let open_and_close = opening.elapsed().as_secs_f64() * 1e3;
    let [one, sixteen, many] = rates.map(|(_, rate)| rate);
    println!(
        "{{\"document_bytes\":{},\"plain\":{{\"floor\":{floor:.0},\"limit\":{limit:.0}}},\
         \"commits_per_second\":{{\"1\":{one:.0},\"16\":{sixteen:.0},\"256\":{many:.0}}},\
         \"ratio\":{{\"1_to_floor\":{:.2},\"16_to_floor\":{:.2},\"256_to_limit\":{:.2}}},\
         \"get_us\":{{\"p50\":{p50:.1},\"p99\":{p99:.1}}},\"scan_1000_us\":{scan:.0},\
         \"open_and_close_ms\":{open_and_close:.2}}}",
        DOCUMENT.len(),
        one / floor,
        sixteen / floor,
        many / limit,
    );
}

/// Rows per second of plain SQLite with the engine's own settings, so many rows to a transaction.
fn plain(path: &Path, batch: usize, transactions: usize) -> f64 {
    drop(SqliteEngine::open(path).unwrap());
    let mut connection = Connection::open(path).unwrap();
    connection.execute_batch("PRAGMA synchronous = full; PRAGMA cache_size = -2048").unwrap();
    let started = Instant::now();
    for transaction in 0..transactions {
        let open = connection.transaction().unwrap();
        for row in 0..batch {
            let sort = format!("{:08}", transaction * batch + row);
            let mut insert = open.prepare_cached("INSERT INTO rows VALUES ('p', ?1, ?2, ?3)").unwrap();
            insert.execute(params![sort, row as i64, &DOCUMENT[..]]).unwrap();
        }
        open.commit().unwrap();
    }
    per_second(transactions * batch, started.elapsed())
}

async fn commits_per_second(engine: &Arc<SqliteEngine>, committers: usize, commits: usize) -> f64 {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for committer in 0..committers {
        let engine = Arc::clone(engine);
        tasks.spawn(async move {
            for number in 0..commits {
                let key = Key::new(format!("{committers}"), format!("{number:08}/{committer:03}"));
                engine.commit(Operation::put(&key, Expect::Absent, &DOCUMENT[..]).into()).await.unwrap();
            }
        });
    }
    tasks.join_all().await;
    per_second(committers * commits, started.elapsed())
}

fn per_second(count: usize, elapsed: Duration) -> f64 {
    count as f64 / elapsed.as_secs_f64()
}

/// Microseconds of one get from a task, at the 50th and the 99th percentile.
async fn get_micros(engine: &Arc<SqliteEngine>) -> [f64; 2] {
    let engine = Arc::clone(engine);
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut micros = Vec::with_capacity(GETS);
        for number in 0..GETS {
            let key = Key::new("16", format!("{:08}/{:03}", number % 1_000, number % 16));
            let started = Instant::now();
            assert!(engine.get(&key).await.unwrap().is_some());
            micros.push(started.elapsed().as_secs_f64() * 1e6);
        }
        micros.sort_by(f64::total_cmp);
        [micros[GETS / 2], micros[GETS * 99 / 100]]
    });
    task.join_all().await[0]
}

/// Microseconds of a scan of 1,000 documents, the median of several.
async fn scan_micros(engine: &SqliteEngine) -> f64 {
    let mut micros = Vec::new();
    for _ in 0..51 {
        let started = Instant::now();
        let rows = engine.scan(Scan { limit: 1_000, ..Scan::all(Partition::new("16")) }).await.unwrap();
        assert_eq!(rows.len(), 1_000);
        micros.push(started.elapsed().as_secs_f64() * 1e6);
    }
    micros.sort_by(f64::total_cmp);
    micros[micros.len() / 2]
}
