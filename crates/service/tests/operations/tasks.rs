//! Tasks: given, begun, blocked, resolved.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};

use crate::world::World;

async fn set(world: &World, caller: &Caller, task: &str, status: &str) -> Result<Value, api::Error> {
    world.fleet.json(caller, "task_update", json!({ "taskId": task, "status": status })).await
}

#[tokio::test]
async fn a_task_goes_from_open_through_work_to_resolved() {
    let world = World::new().await;
    let given = world.fleet.json(&world.worker, "task_get", json!({ "taskId": world.task })).await.unwrap();
    assert_eq!((&given["status"], &given["ownerHandle"]), (&json!("open"), &json!("scout-1")));
    for status in ["in_progress", "blocked", "in_progress", "resolved"] {
        world.fleet.clock.advance(std::time::Duration::from_secs(1));
        let task = set(&world, &world.worker, &world.task, status).await.unwrap();
        assert_eq!((&task["status"], &task["createdAt"]), (&json!(status), &given["createdAt"]));
        assert_ne!(task["updatedAt"], given["updatedAt"]);
    }
}

#[tokio::test]
async fn a_task_is_not_resolved_before_those_it_is_blocked_by() {
    let world = World::new().await;
    let other = world.fleet.task(&world.lead, "scout-1", json!({})).await;
    let blocked = world.fleet.task(&world.lead, "scout-1", json!({ "blockedBy": [world.task, other] })).await;
    set(&world, &world.worker, &other, "resolved").await.unwrap();
    let before = world.fleet.position();
    let refused = set(&world, &world.worker, &blocked, "resolved").await.unwrap_err();
    assert_eq!((refused.code, refused.status(api::Dialect::ClaudeFleet)), (Code::DEPENDENCY_UNRESOLVED, 400));
    let body = refused.body(api::Dialect::ClaudeFleet);
    assert_eq!(body["error"], "Cannot resolve task: blocked by unresolved tasks");
    assert_eq!(body["blockedBy"], json!([world.task]));
    assert_eq!(world.fleet.position(), before);
    set(&world, &world.worker, &world.task, "resolved").await.unwrap();
    assert_eq!(set(&world, &world.worker, &blocked, "resolved").await.unwrap()["status"], "resolved");
}

#[tokio::test]
async fn a_blocker_that_was_deleted_blocks_nothing() {
    let world = World::new().await;
    let blocked = world.fleet.task(&world.lead, "scout-1", json!({ "blockedBy": [world.task] })).await;
    world.fleet.send(&world.lead, "mission_delete", json!({ "mission": world.task })).await.unwrap();
    assert_eq!(set(&world, &world.worker, &blocked, "resolved").await.unwrap()["status"], "resolved");
}

#[tokio::test]
async fn the_same_rule_holds_for_a_mission_that_is_put_as_completed() {
    let world = World::new().await;
    let waits = world.fleet.mission(&world.lead, &world.project, json!({ "depends_on": [world.mission] })).await;
    let put = json!({ "mission": waits, "status": "completed", "title": "renamed" });
    let refused = world.fleet.send(&world.lead, "mission_update", put).await.unwrap_err();
    assert_eq!(refused.code, Code::DEPENDENCY_UNRESOLVED);
    let row = world.fleet.json(&world.lead, "mission_get", json!({ "mission": waits })).await.unwrap();
    assert_eq!((&row["title"], &row["status"]), (&json!("A mission"), &json!("draft")));
}

#[tokio::test]
async fn a_status_that_a_task_has_already_changes_nothing() {
    let world = World::new().await;
    for status in ["open", "in_progress", "blocked", "resolved"] {
        let first = set(&world, &world.worker, &world.task, status).await.unwrap();
        let before = world.fleet.position();
        world.fleet.clock.advance(std::time::Duration::from_secs(1));
        assert_eq!(set(&world, &world.worker, &world.task, status).await.unwrap(), first);
        assert_eq!(world.fleet.position(), before, "{status}");
    }
}

#[tokio::test]
async fn a_lead_who_says_that_work_has_begun_speaks_of_whoever_the_task_was_given_to() {
    let world = World::new().await;
    set(&world, &world.lead, &world.task, "in_progress").await.unwrap();
    assert!(set(&world, &world.worker, &world.task, "resolved").await.is_ok());
}

#[tokio::test]
async fn a_team_task_list_can_be_narrowed_to_mine_and_nobodys() {
    let world = World::new().await;
    for (filter, count) in [("all", 3), ("mine", 1), ("unassigned", 2)] {
        let listed = world.fleet.json(&world.worker, "team_tasks", json!({ "filter": filter })).await.unwrap();
        assert_eq!((&listed["filter"], &listed["count"]), (&json!(filter), &json!(count)));
    }
}
