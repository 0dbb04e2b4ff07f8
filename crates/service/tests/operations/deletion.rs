//! Deleting: what is deleted together, and how an interrupted deletion ends.

use std::sync::Arc;

use api::Code;
use kv::{Faulty, MemEngine};
use serde_json::json;
use testkit::{Fleet, owner};

use crate::world::World;

#[tokio::test]
async fn a_deleted_mission_is_gone_from_every_list_and_count() {
    let world = World::new().await;
    let deleted = world.fleet.json(&world.worker, "mission_delete", json!({ "mission": world.mission })).await;
    assert_eq!(deleted, Ok(json!({ "ok": true })));
    let gone = world.fleet.send(&world.lead, "mission_get", json!({ "mission": world.mission })).await.unwrap_err();
    assert_eq!((gone.code, gone.message.as_str()), (Code::MISSION_NOT_FOUND, "Mission not found"));
    let again = world.fleet.send(&world.lead, "mission_delete", json!({ "mission": world.mission })).await;
    assert_eq!(again.unwrap_err().code, Code::MISSION_NOT_FOUND);
    let cards = world.fleet.json(&world.lead, "project_list", json!({})).await.unwrap();
    assert_eq!(cards[0]["mission_count"], 1);
    let left = world.fleet.json(&world.lead, "mission_list", json!({})).await.unwrap();
    assert_eq!(left.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_mission_that_waits_for_a_deleted_one_starts_neither_by_itself_nor_by_hand_and_says_why() {
    let world = World::new().await;
    world.fleet.install("claude");
    let said = json!({ "depends_on": [world.mission], "auto_dispatch": true });
    let waits = world.fleet.mission(&world.lead, &world.project, said).await;
    world.fleet.json(&world.lead, "mission_delete", json!({ "mission": world.mission })).await.unwrap();
    let why = world.fleet.json(&world.lead, "mission_why", json!({ "mission": waits })).await.unwrap();
    assert!(why["why"].as_str().unwrap().contains("there is no such mission any more"), "{why}");
    let in_place = json!({ "mission": waits, "in_place": true });
    let by_hand = async || world.fleet.send(&world.lead, "mission_dispatch", in_place.clone()).await;
    let refused = by_hand().await.unwrap_err();
    assert_eq!(refused.code, Code::DEPENDENCY_UNRESOLVED, "{refused}");
    assert!(format!("{refused:?}").contains("fleet why"), "{refused:?}");
    world.fleet.json(&world.lead, "mission_update", json!({ "mission": waits, "depends_on": [] })).await.unwrap();
    by_hand().await.unwrap();
}

#[tokio::test]
async fn a_deleted_project_takes_its_missions_with_it_and_no_other() {
    let world = World::new().await;
    let other = world.fleet.project(&world.lead, "other").await;
    let kept = world.fleet.mission(&world.lead, &other, json!({})).await;
    for _ in 0..40 {
        world.fleet.mission(&world.lead, &world.project, json!({ "tags": ["x"] })).await;
    }
    world.fleet.send(&world.lead, "project_delete", json!({ "project": world.project })).await.unwrap();
    let rows = world.fleet.json(&world.lead, "mission_list", json!({})).await.unwrap();
    let mut ids: Vec<_> = rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    ids.sort();
    let mut expected = [kept, world.task.clone()];
    expected.sort();
    assert_eq!(ids, expected);
    let metrics = world.fleet.json(&world.lead, "metrics", json!({})).await.unwrap();
    assert_eq!(metrics["tasks"]["total"], 2);
    let gone = world.fleet.send(&world.lead, "project_get", json!({ "project": world.project })).await.unwrap_err();
    assert_eq!(gone.code, Code::PROJECT_NOT_FOUND);
    let create = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p" });
    let refused = world.fleet.send(&world.lead, "mission_create", create).await.unwrap_err();
    assert_eq!((refused.code, refused.status(api::Dialect::DevFleet)), (Code::PROJECT_UNKNOWN, 400));
}

/// Cuts a deletion off by an engine that fails, until one stops half-way with the mark still on the project.
async fn half_deleted() -> (Arc<Faulty<MemEngine>>, Fleet, types::ProjectId) {
    for seed in 0..100 {
        let engine = Arc::new(Faulty::new(MemEngine::new(), seed));
        engine.calm();
        let fleet = Fleet::over(engine.clone(), 1).await;
        let project = fleet.project(&owner(), "doomed").await;
        for _ in 0..20 {
            fleet.mission(&owner(), &project, json!({})).await;
        }
        engine.disturb();
        let cut = fleet.send(&owner(), "project_delete", json!({ "project": project })).await;
        engine.calm();
        let probe = json!({ "project_id": project, "title": "t", "detailed_prompt": "p" });
        let marked = fleet.send(&owner(), "mission_create", probe).await;
        if cut.is_err() && marked.is_err_and(|error| error.code == Code::PROJECT_BUSY) {
            return (engine, fleet, project);
        }
    }
    panic!("no deletion was cut off with the mark still on the project")
}

#[tokio::test]
async fn a_deletion_that_failed_says_that_nothing_was_changed_only_if_nothing_was() {
    for seed in 0..40 {
        let engine = Arc::new(Faulty::new(MemEngine::new(), seed));
        engine.calm();
        let fleet = Fleet::over(engine.clone(), 1).await;
        let project = fleet.project(&owner(), "doomed").await;
        for _ in 0..5 {
            fleet.mission(&owner(), &project, json!({})).await;
        }
        let before = fleet.json(&owner(), "project_get", json!({ "project": project })).await;
        engine.disturb();
        let answer = fleet.send(&owner(), "project_delete", json!({ "project": project })).await;
        engine.calm();
        let after = fleet.json(&owner(), "project_get", json!({ "project": project })).await;
        match answer {
            Ok(_) => assert_eq!(after.unwrap_err().code, Code::PROJECT_NOT_FOUND, "seed {seed}"),
            Err(error) if error.message.contains("nothing was changed") => assert_eq!(after, before, "seed {seed}"),
            Err(error) => assert_eq!(error.code, Code::STORE_UNAVAILABLE, "seed {seed}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_deletion_that_was_cut_off_takes_no_new_mission_and_can_be_repeated() {
    let (engine, fleet, project) = half_deleted().await;
    let create = json!({ "project_id": project, "title": "t", "prompt": "p" });
    let refused = fleet.send(&owner(), "create_mission", create).await.unwrap_err();
    assert_eq!(refused.code, Code::PROJECT_BUSY);
    // A new process on the same records continues where the first stopped.
    drop(fleet);
    let fleet = Fleet::over(engine, 2).await;
    let left = fleet.json(&owner(), "mission_list", json!({})).await.unwrap().as_array().unwrap().len();
    let metrics = fleet.json(&owner(), "metrics", json!({})).await.unwrap();
    assert_eq!(metrics["tasks"]["total"], left, "counters and records disagree");
    fleet.send(&owner(), "project_delete", json!({ "project": project })).await.unwrap();
    for (name, rows) in [("mission_list", 0), ("project_list", 0)] {
        assert_eq!(fleet.json(&owner(), name, json!({})).await.unwrap().as_array().unwrap().len(), rows, "{name}");
    }
    let metrics = fleet.json(&owner(), "metrics", json!({})).await.unwrap();
    assert_eq!(metrics["tasks"]["total"], 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_mission_outlives_its_project_when_both_come_and_go_at_once() {
    for round in 0..10 {
        let world = Arc::new(World::new().await);
        let mut calls = tokio::task::JoinSet::new();
        for at in 0..40 {
            let world = Arc::clone(&world);
            calls.spawn(async move {
                let (name, input) = match at {
                    20 => ("project_delete", json!({ "project": world.project })),
                    _ => {
                        ("mission_create", json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p" }))
                    }
                };
                world.fleet.send(&world.lead, name, input).await.map_err(|error| error.code)
            });
        }
        for answer in calls.join_all().await {
            let refused = answer.err();
            let known = [None, Some(Code::PROJECT_BUSY), Some(Code::PROJECT_UNKNOWN)];
            assert!(known.contains(&refused), "round {round}: {refused:?}");
        }
        let rows = world.fleet.json(&world.lead, "mission_list", json!({})).await.unwrap();
        assert_eq!(rows.as_array().unwrap().len(), 1, "round {round}: only the task has no project");
    }
}
