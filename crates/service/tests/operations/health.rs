//! The server does not say that it is well while it cannot write.

use std::sync::Arc;
use std::time::Duration;

use api::Code;
use kv::{Faulty, MemEngine};
use serde_json::json;
use testkit::{Fleet, anonymous, owner};

#[tokio::test]
async fn a_store_that_answers_and_cannot_be_written_is_not_called_well() {
    let engine = Arc::new(Faulty::new(MemEngine::new(), 1));
    engine.calm();
    let fleet = Fleet::over(engine.clone(), 1).await;
    fleet.send(&anonymous(), "health", json!({})).await.unwrap();
    engine.set_full(true);
    fleet.clock.advance(Duration::from_secs(11));
    for name in ["health", "team_status"] {
        let caller = if name == "health" { anonymous() } else { owner() };
        let error = fleet.send(&caller, name, json!({})).await.unwrap_err();
        assert_eq!(error.code, Code::STORE_UNAVAILABLE, "{name}: {error}");
        assert!(error.message.contains("cannot be written"), "{name}: {error}");
    }
    // Reading goes on.
    fleet.send(&owner(), "mission_list", json!({})).await.unwrap();
    engine.set_full(false);
    fleet.clock.advance(Duration::from_secs(2));
    fleet.send(&anonymous(), "health", json!({})).await.unwrap();
}

#[tokio::test]
async fn asking_often_does_not_write_often() {
    let engine = Arc::new(Faulty::new(MemEngine::new(), 1));
    engine.calm();
    let fleet = Fleet::over(engine.clone(), 1).await;
    fleet.send(&anonymous(), "health", json!({})).await.unwrap();
    engine.set_full(true);
    for _ in 0..1_000 {
        fleet.send(&anonymous(), "health", json!({})).await.unwrap();
    }
}
