//! A start takes as long with many missions as with few: counters come from their snapshot and not from a recount.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use api::claude_fleet::GetMetrics;
use kv_sqlite::SqliteEngine;
use missions::Statement;
use runtime::Clock;
use store::{Stamp, Store};
use testkit::{Launch, PATIENCE};
use tokens::Member;
use tokio::task::JoinSet;
use types::{Handle, MissionId, TeamName};

use crate::FLEET;

const MANY: usize = 20_000;
const FEW: usize = 10;

/// Missions in one commit, which takes a hundred rows.
const AT_ONCE: usize = 10;

/// What a start costs on a loaded machine without any record, and so what the ratio is not about.
const SLACK: Duration = Duration::from_millis(150);

fn statement() -> Statement {
    Statement::new(TeamName::default_team(), "One of many".to_owned(), "Do it.".to_owned())
}

/// Writes missions as the server would, many commits at a time.
async fn fill(database: &Path, count: usize) {
    let engine = Arc::new(SqliteEngine::open(database).unwrap());
    let store = Store::open(engine, store::Options { writer: "local".to_owned(), seed: 1 }).await.unwrap();
    let mut batches = JoinSet::new();
    for batch in 0..count / AT_ONCE {
        let store = store.clone();
        batches.spawn(async move { insert(&store, batch * AT_ONCE).await });
        if batches.len() >= 64 {
            batches.join_next().await.unwrap().unwrap();
        }
    }
    batches.join_all().await;
    store.close().await.unwrap();
}

async fn insert(store: &Store, first: usize) {
    let now = Clock::system().now();
    let by = Stamp { at: now, handle: Handle::owner(), team: Member::owner().team };
    let decide = |tx: store::Transaction| async move {
        for at in first..first + AT_ONCE {
            tx.insert(&missions::create(id(at), statement(), Handle::owner(), now))?;
        }
        Ok::<_, store::Error>(())
    };
    store.transact(&by, decide).await.unwrap();
}

/// Writes a number in the alphabet of ids.
fn id(mut number: usize) -> MissionId {
    let alphabet: Vec<char> = types::ID_ALPHABET.chars().collect();
    let mut code = String::new();
    for _ in 0..8 {
        code.push(alphabet[number % alphabet.len()]);
        number /= alphabet.len();
    }
    MissionId::from_code(&code).unwrap()
}

/// Returns the shortest of a few starts, from the process to its first answer.
async fn start(launch: &Launch, count: usize) -> Duration {
    let mut shortest = PATIENCE;
    for _ in 0..3 {
        let clock = Clock::system();
        let server = launch.clone().up().await;
        shortest = shortest.min(clock.monotonic());
        let counted = server.owner().call(GetMetrics {}).await.unwrap().output.tasks.total;
        assert_eq!(counted, count as u64);
        server.kill().await;
    }
    shortest
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_with_many_missions_takes_about_as_long_as_one_with_few() {
    let (few, many) = (Launch::new(FLEET), Launch::new(FLEET));
    for (launch, count) in [(&few, FEW), (&many, MANY)] {
        let database = launch.database();
        std::fs::create_dir_all(database.parent().unwrap()).unwrap();
        fill(&database, count).await;
    }
    let (few, many) = (start(&few, FEW).await, start(&many, MANY).await);
    assert!(many < few * 3 + SLACK, "{many:?} with {MANY} missions, {few:?} with {FEW}");
}
