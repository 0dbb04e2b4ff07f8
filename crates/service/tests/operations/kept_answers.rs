//! Answers that are kept: never older than what was acknowledged, never with a secret, and kept where nothing changed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use config::Secret;
use fleet_service::Caller;
use kv::{Commit, Engine, Error, Key, Limits, MemEngine, Outcome, Row, Scan};
use serde_json::{Value, json};
use testkit::{Fleet, owner};
use types::Role;

/// An engine in memory that is not shared; counts scans.
#[derive(Debug, Clone, Default)]
struct Alone(MemEngine, Arc<AtomicU64>);

#[async_trait]
impl Engine for Alone {
    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn sole_writer(&self) -> bool {
        true
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        self.0.get(key).await
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        self.0.commit(commit).await
    }
}

struct Listed {
    fleet: Fleet,
    engine: Alone,
    worker: Caller,
    other: Caller,
}

impl Listed {
    async fn new() -> Self {
        let engine = Alone::default();
        let fleet = Fleet::over(Arc::new(engine.clone()), 1).await;
        let worker = fleet.join("alpha", "scout", Role::Worker).await;
        let other = fleet.join("beta", "scout", Role::Worker).await;
        Self { fleet, engine, worker, other }
    }

    /// Long enough that a list of it is worth keeping.
    async fn task(&self, giver: &Caller, description: &str) -> String {
        let description = format!("{description} {}", "x".repeat(6000));
        self.fleet.task(giver, "scout", json!({ "description": description })).await
    }

    async fn list(&self, caller: &Caller, team: &str) -> Value {
        self.fleet.json(caller, "task_list", json!({ "teamName": team })).await.unwrap()
    }

    fn scans(&self) -> u64 {
        self.engine.1.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_list_is_read_once_until_a_task_of_its_team_changes() {
    let listed = Listed::new().await;
    let task = listed.task(&listed.worker, "").await;
    let first = listed.list(&listed.worker, "alpha").await;
    listed.task(&listed.other, "").await;
    let before = listed.scans();
    assert_eq!(listed.list(&listed.worker, "alpha").await, first);
    assert_eq!(listed.scans(), before);

    let update = json!({ "taskId": task, "status": "in_progress" });
    listed.fleet.json(&listed.worker, "task_update", update).await.unwrap();
    assert_eq!(listed.list(&listed.worker, "alpha").await[0]["status"], "in_progress");
    let second = listed.task(&listed.worker, "").await;
    let ids = |list: &Value| list.as_array().unwrap().iter().map(|task| task["id"].clone()).collect::<Vec<_>>();
    let both = ids(&listed.list(&listed.worker, "alpha").await);
    assert!(both.len() == 2 && both.contains(&json!(second)), "{both:?}");
    listed.fleet.send(&owner(), "mission_delete", json!({ "mission": second })).await.unwrap();
    assert_eq!(ids(&listed.list(&listed.worker, "alpha").await), [json!(task)]);
}

#[tokio::test]
async fn pages_and_teams_are_kept_apart() {
    let listed = Listed::new().await;
    let tasks = [listed.task(&listed.worker, "").await, listed.task(&listed.worker, "").await];
    listed.task(&listed.other, "").await;
    for _ in 0..2 {
        let input = json!({ "teamName": "alpha", "limit": 1 });
        let pages = listed.fleet.pages(&listed.worker, "task_list", input).await;
        let mut shown: Vec<&str> = pages.iter().flatten().map(|task| task["id"].as_str().unwrap()).collect();
        shown.sort_unstable();
        let mut tasks = [tasks[0].as_str(), tasks[1].as_str()];
        tasks.sort_unstable();
        assert_eq!(shown, tasks);
        assert_eq!(listed.list(&listed.other, "beta").await.as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn no_kept_answer_shows_a_secret_to_others_than_the_owner() {
    let listed = Listed::new().await;
    let key = format!("ghp_{}", "a1B2c3D4".repeat(4));
    listed.task(&listed.worker, &format!("Use {key} and hunter2-hunter2.")).await;
    let shows = |list: &Value, text: &str| list[0]["description"].as_str().unwrap().contains(text);
    for _ in 0..2 {
        let (own, others) = (listed.list(&owner(), "alpha").await, listed.list(&listed.worker, "alpha").await);
        assert!(shows(&own, &key) && !shows(&others, &key));
        assert!(shows(&others, "hunter2-hunter2"));
    }
    // A value becomes a secret while the answer that shows it is kept.
    listed.fleet.set(|settings| settings.callback_secret = Some(Secret::new("hunter2-hunter2")));
    for _ in 0..2 {
        assert!(!shows(&listed.list(&listed.worker, "alpha").await, "hunter2-hunter2"));
        assert!(shows(&listed.list(&owner(), "alpha").await, "hunter2-hunter2"));
    }
}

#[tokio::test]
async fn a_kept_answer_is_refused_to_whoever_may_not_ask() {
    let listed = Listed::new().await;
    listed.task(&listed.worker, "").await;
    listed.list(&listed.worker, "alpha").await;
    let asked = listed.fleet.json(&listed.other, "task_list", json!({ "teamName": "alpha" })).await;
    assert_eq!(asked.unwrap_err().code, api::Code::NOT_A_MEMBER);
}
