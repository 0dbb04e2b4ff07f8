//! A mission with a holder: who may move it, edit it, or take it away.

use api::Code;
use serde_json::json;
use types::Role;

use crate::world::World;

async fn held() -> World {
    let world = World::new().await;
    let claim = json!({ "taskId": world.mission, "status": "in_progress" });
    world.fleet.send(&world.worker, "task_update", claim).await.unwrap();
    world
}

#[tokio::test]
async fn a_held_mission_is_running_and_counted_so_everywhere() {
    let world = held().await;
    let row = world.fleet.json(&world.lead, "mission_get", json!({ "mission": world.mission })).await.unwrap();
    assert_eq!(row["status"], "running");
    let cards = world.fleet.json(&world.lead, "project_list", json!({})).await.unwrap();
    let counts = ["mission_count", "running_count", "completed_count"].map(|key| cards[0][key].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 0]);
    let metrics = world.fleet.json(&world.lead, "metrics", json!({})).await.unwrap();
    assert_eq!(metrics["tasks"]["byStatus"], json!({ "open": 2, "in_progress": 1, "resolved": 0, "blocked": 0 }));
    let status = world.fleet.json(&world.lead, "system_status", json!({})).await.unwrap();
    assert_eq!(status["running_agents"], 1);
}

#[tokio::test]
async fn a_held_mission_moves_for_its_holder_and_for_those_who_lead_and_for_nobody_else() {
    for (handle, role, moves) in [
        ("scout-1", Role::Worker, true),
        ("scout-2", Role::Worker, false),
        ("merger", Role::Merger, false),
        ("lead", Role::TeamLead, true),
        ("coordinator", Role::Coordinator, true),
    ] {
        for status in ["open", "resolved", "blocked"] {
            let world = held().await;
            let caller = world.fleet.join("alpha", handle, role).await;
            let before = world.fleet.position();
            let answer =
                world.fleet.send(&caller, "task_update", json!({ "taskId": world.mission, "status": status })).await;
            assert_eq!(answer.is_ok(), moves, "{handle} {status}");
            if let Err(refused) = answer {
                assert_eq!(refused.code, Code::MISSION_HELD, "{handle} {status}");
                assert_eq!(world.fleet.position(), before);
            }
        }
    }
}

#[tokio::test]
async fn nobody_claims_what_another_holds() {
    let world = held().await;
    let other = world.fleet.join("alpha", "scout-2", Role::Worker).await;
    let claim = json!({ "taskId": world.mission, "status": "in_progress" });
    assert_eq!(world.fleet.send(&other, "task_update", claim.clone()).await.unwrap_err().code, Code::MISSION_HELD);
    let before = world.fleet.position();
    assert!(world.fleet.send(&world.worker, "task_update", claim).await.is_ok());
    assert_eq!(world.fleet.position(), before, "claiming again changed something");
}

#[tokio::test]
async fn a_held_mission_cannot_be_deleted_nor_its_project() {
    let world = held().await;
    let before = world.fleet.position();
    let refused =
        world.fleet.send(&world.lead, "mission_delete", json!({ "mission": world.mission })).await.unwrap_err();
    assert_eq!((refused.code, refused.status(api::Dialect::DevFleet)), (Code::MISSION_HELD, 400));
    let refused =
        world.fleet.send(&world.lead, "project_delete", json!({ "project": world.project })).await.unwrap_err();
    assert_eq!(refused.code, Code::PROJECT_BUSY);
    assert_eq!(world.fleet.position(), before);
    let release = json!({ "taskId": world.mission, "status": "open" });
    world.fleet.send(&world.worker, "task_update", release).await.unwrap();
    world.fleet.send(&world.lead, "project_delete", json!({ "project": world.project })).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_claim_at_once_one_holds_the_mission() {
    let world = World::new().await;
    let mut claims = tokio::task::JoinSet::new();
    for at in 0..16 {
        let caller = world.fleet.join("alpha", &format!("w{at}"), Role::Worker).await;
        let (service, registry) = (world.fleet.service.clone(), world.fleet.registry.clone());
        let fields = serde_json::Map::from_iter([
            ("taskId".to_owned(), json!(world.mission)),
            ("status".to_owned(), json!("in_progress")),
        ]);
        claims.spawn(async move {
            let entry = registry.find("task_update").unwrap();
            entry.call(service, caller, fields.into()).await.map_err(|error| error.code)
        });
    }
    let answers = claims.join_all().await;
    let refused = answers.iter().filter(|answer| matches!(answer, Err(Code::MISSION_HELD))).count();
    assert_eq!((answers.iter().filter(|answer| answer.is_ok()).count(), refused), (1, 15));
}
