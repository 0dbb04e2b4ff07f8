//! Kills a process that commits, again and again: what it acknowledged is there, and nothing is there by half.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use fleet_kv_sqlite::SqliteEngine;
use kv::{Engine, Expect, Key, Operation, Outcome};
use rusqlite::Connection;
use tokio::task::JoinSet;

use crate::{Folder, all};

const ROUNDS: u64 = 24;
const COMMITTERS: u64 = 8;
const NAME: &str = "kill::every_acknowledged_commit_survives_a_kill";

/// The variable with the database for the test, run again in a child.
const DATABASE: &str = "KV_SQLITE_KILL_DATABASE";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_commit_survives_a_kill() {
    #[expect(clippy::disallowed_methods, reason = "how the child learns that it is the child")]
    let database = std::env::var_os(DATABASE);
    if let Some(database) = database {
        return commit_until_killed(Path::new(&database)).await;
    }
    let folder = Folder::new();
    let mut acknowledged = BTreeSet::new();
    let mut chance = kv::conformance::seed();
    for round in 0..ROUNDS {
        // The early rounds die while the file is being created, the others after some random number of commits.
        chance = chance.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let patience = if round < 4 { 0 } else { (chance >> 33) % 60 };
        acknowledged.extend(run_and_kill(&folder.database(), patience, chance >> 48));
        let found = pairs(&folder).await;
        let lost: Vec<_> = acknowledged.difference(&found).collect();
        assert!(lost.is_empty(), "round {round} lost {lost:?}");
    }
    assert!(acknowledged.len() > 100, "only {} commits in all rounds", acknowledged.len());
    let database = Connection::open(folder.database()).unwrap();
    let verdict: String = database.query_row("PRAGMA integrity_check", (), |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
}

/// Commits numbered pairs of rows from several tasks at once, and says which are acknowledged, until killed.
async fn commit_until_killed(database: &Path) {
    let engine = Arc::new(SqliteEngine::open(database).unwrap());
    let first = all(&engine, "left").await.len() as u64;
    let mut committers = JoinSet::new();
    for committer in 0..COMMITTERS {
        let engine = Arc::clone(&engine);
        committers.spawn(async move {
            for number in (first + committer..).step_by(COMMITTERS as usize) {
                let put = |side| Operation::put(&Key::new(side, format!("{number:08}")), Expect::Absent, "x");
                // Numbers of the last life may be taken here and there; a pair that is there is there whole.
                if let Outcome::Committed(_) = engine.commit([put("left"), put("right")].into()).await.unwrap() {
                    println!("acknowledged {number}");
                }
            }
        });
    }
    committers.join_all().await;
}

/// Runs the child, kills it once it has acknowledged enough, and returns all it acknowledged.
fn run_and_kill(database: &Path, patience: u64, spins: u64) -> BTreeSet<u64> {
    let mut child = start(database);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged = BTreeSet::new();
    while (acknowledged.len() as u64) < patience {
        acknowledged.extend(next(&mut lines).expect("the child died by itself"));
    }
    // A little work of random length, so that the kill falls anywhere between two acknowledgements.
    for spin in 0..spins * 16 {
        std::hint::black_box(spin);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    while let Some(heard) = next(&mut lines) {
        acknowledged.extend(heard);
    }
    acknowledged
}

#[expect(clippy::disallowed_methods, reason = "the test needs a process that it can kill")]
fn start(database: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", NAME, "--nocapture"])
        .env(DATABASE, database)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads a line: none at the end, else the number acknowledged in it, if any; the kill may cut the last one short.
fn next(lines: &mut std::io::Lines<BufReader<ChildStdout>>) -> Option<Option<u64>> {
    let line = lines.next()?.unwrap();
    Some(line.strip_prefix("acknowledged ").and_then(|number| number.parse().ok()))
}

/// Opens the database after the kill and returns the numbers in it, each of which must be there on both sides.
async fn pairs(folder: &Folder) -> BTreeSet<u64> {
    let engine = folder.open();
    let mut sides = Vec::new();
    for side in ["left", "right"] {
        let rows = all(&engine, side).await;
        sides.push(rows.into_iter().map(|row| (row.key.sort.parse().unwrap(), row.revision)).collect::<Vec<_>>());
    }
    assert_eq!(sides[0], sides[1], "half a commit");
    sides[0].iter().map(|(number, _)| *number).collect()
}
