//! Three who tie missions to each other at once: no order of their steps closes a circle.

use std::sync::{Arc, Mutex};

use kv::{Commit, Engine, Error, Key, Limits, MemEngine, Outcome, Row, Scan};
use serde_json::{Value, json};
use testkit::{Fleet, owner};
use tokio::sync::Notify;

/// An engine on which the next reader of one key waits, with what it read in its hands.
#[derive(Debug, Default)]
struct Held {
    engine: MemEngine,
    key: Mutex<Option<String>>,
    reached: Notify,
    go: Notify,
}

#[async_trait::async_trait]
impl Engine for Held {
    fn limits(&self) -> Limits {
        self.engine.limits()
    }

    async fn get(&self, key: &Key) -> Result<Option<Row>, Error> {
        let row = self.engine.get(key).await;
        let mine = self.key.lock().unwrap().take_if(|held| *held == key.sort).is_some();
        if mine {
            self.reached.notify_one();
            self.go.notified().await;
        }
        row
    }

    async fn scan(&self, scan: Scan) -> Result<Vec<Row>, Error> {
        self.engine.scan(scan).await
    }

    async fn commit(&self, commit: Commit) -> Result<Outcome, Error> {
        self.engine.commit(commit).await
    }
}

async fn tie(fleet: &Fleet, field: &str, from: &str, to: &str) -> bool {
    let to = if field == "depends_on" { json!([to]) } else { json!(to) };
    fleet.send(&owner(), "mission_update", json!({ "mission": from, field: to })).await.is_ok()
}

#[tokio::test]
async fn a_link_made_while_another_is_being_decided_closes_no_circle() {
    for field in ["depends_on", "parent_mission_id"] {
        let engine = Arc::new(Held::default());
        let fleet = Arc::new(Fleet::over(engine.clone(), 1).await);
        let project = fleet.project(&owner(), "shop").await;
        let mut ids = Vec::new();
        for _ in 0..3 {
            ids.push(fleet.mission(&owner(), &project, Value::Object(serde_json::Map::new())).await);
        }
        let [a, b, c] = ids.try_into().unwrap();
        assert!(tie(&fleet, field, &a, &b).await);

        *engine.key.lock().unwrap() = Some(b.clone());
        let mut both = tokio::task::JoinSet::new();
        let (one, two) = (Arc::clone(&fleet), Arc::clone(&fleet));
        let (from, to) = (c.clone(), a.clone());
        both.spawn(async move { tie(&one, field, &from, &to).await });
        engine.reached.notified().await;
        both.spawn(async move { tie(&two, field, &b, &c).await });
        // On one thread, an engine in memory needs no more turns than this to answer all that does not wait.
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        engine.go.notify_one();
        let tied = both.join_all().await;
        assert_eq!(tied.iter().filter(|tied| **tied).count(), 1, "{field}: {tied:?}");
    }
}
