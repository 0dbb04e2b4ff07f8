//! One mission, three interfaces: whichever created it, all of them show it, each in its own words.

use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::Fleet;
use types::ProjectId;

use crate::world::World;

/// Creates the same mission through one of the interfaces.
async fn through(world: &World, door: &str, title: &str) -> String {
    let input = match door {
        "mission_create" => json!({ "project_id": world.project, "title": title, "detailed_prompt": "Do it." }),
        "create_mission" => json!({ "project_id": world.project, "title": title, "prompt": "Do it." }),
        _ => {
            return world
                .fleet
                .task(&world.lead, "scout-1", json!({ "subject": title, "description": "Do it." }))
                .await;
        }
    };
    let answer = world.fleet.json(&world.lead, door, input).await.unwrap();
    answer["id"].as_str().unwrap().to_owned()
}

/// Reads title, text and status of a mission through every interface.
async fn shown(fleet: &Fleet, caller: &Caller, id: &str) -> [[Value; 3]; 3] {
    let read = async |name: &str, field: &str| fleet.json(caller, name, json!({ field: id })).await.unwrap();
    let row = read("mission_get", "mission").await;
    let task = read("task_get", "taskId").await;
    let report = read("get_mission_status", "mission_id").await;
    [
        [row["title"].clone(), row["detailed_prompt"].clone(), row["status"].clone()],
        [task["subject"].clone(), task["description"].clone(), task["status"].clone()],
        [report["title"].clone(), Value::Null, report["status"].clone()],
    ]
}

#[tokio::test]
async fn a_mission_is_seen_through_every_door_whichever_it_came_in_by() {
    let world = World::new().await;
    for (door, status) in [("mission_create", "draft"), ("task_create", "queued"), ("create_mission", "draft")] {
        let id = through(&world, door, "Sweep").await;
        let expected = json!([["Sweep", "Do it.", status], ["Sweep", "Do it.", "open"], ["Sweep", null, status]]);
        assert_eq!(json!(shown(&world.fleet, &world.worker, &id).await), expected, "{door}");
        let listed = |list: Value, key: &str| {
            let rows = if key.is_empty() { list } else { list[key].clone() };
            rows.as_array().unwrap().iter().filter(|row| row["id"] == id.as_str()).count()
        };
        let team = world.fleet.json(&world.worker, "task_list", json!({ "teamName": "alpha" })).await.unwrap();
        let tool = world.fleet.json(&world.worker, "team_tasks", json!({})).await.unwrap();
        let rows = world.fleet.json(&world.worker, "mission_list", json!({})).await.unwrap();
        assert_eq!((listed(team, ""), listed(tool, "tasks"), listed(rows, "")), (1, 1, 1), "{door}");
    }
}

#[tokio::test]
async fn each_door_has_its_own_word_for_every_state() {
    let world = World::new().await;
    let id = through(&world, "mission_create", "Sweep").await;
    let put = |status: &str| ("mission_update", json!({ "mission": id, "status": status }));
    let patch = |status: &str| ("task_update", json!({ "taskId": id, "status": status }));
    let words = [
        (put("queued"), "queued", "open"),
        (put("draft"), "draft", "open"),
        (patch("in_progress"), "running", "in_progress"),
        (patch("blocked"), "queued", "blocked"),
        (put("failed"), "failed", "blocked"),
        (put("cancelled"), "cancelled", "resolved"),
        (patch("open"), "queued", "open"),
        (patch("resolved"), "completed", "resolved"),
    ];
    for ((name, input), mission, task) in words {
        world.fleet.send(&world.lead, name, input.clone()).await.unwrap();
        let [row, view, report] = shown(&world.fleet, &world.lead, &id).await;
        assert_eq!((&row[2], &view[2], &report[2]), (&json!(mission), &json!(task), &json!(mission)), "{input}");
    }
}

#[tokio::test]
async fn the_tools_answer_with_real_lists_and_booleans() {
    let world = World::new().await;
    let World { fleet, lead, project, .. } = &world;
    let first = through(&world, "mission_create", "First").await;
    let input = json!({ "project_id": project, "title": "Second", "prompt": "Do it.", "depends_on": [first], "auto_dispatch": true, "priority": 3 });
    let made = fleet.json(lead, "create_mission", input).await.unwrap();
    let id = &made["id"];
    let expected = json!({ "id": id, "mission_number": 4, "title": "Second", "project_id": project, "auto_dispatch": true, "depends_on": [first] });
    assert_eq!(made.to_string(), expected.to_string());
    let status = fleet.json(lead, "get_mission_status", json!({ "mission_id": id })).await.unwrap();
    let expected = json!({ "id": id, "title": "Second", "status": "queued", "mission_number": 4, "depends_on": [first], "auto_dispatch": true });
    assert_eq!(status.to_string(), expected.to_string());
    assert_eq!(numbers(fleet, lead, project, json!({})).await, [1, 2, 3, 4]);
    assert_eq!(numbers(fleet, lead, project, json!({ "status": "queued" })).await, [4]);
}

async fn numbers(fleet: &Fleet, caller: &Caller, project: &ProjectId, more: Value) -> Vec<u64> {
    let mut input = json!({ "project_id": project });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let listed = fleet.json(caller, "list_missions", input).await.unwrap();
    let rows = listed["missions"].as_array().unwrap();
    assert_eq!(listed["count"], rows.len());
    rows.iter().map(|row| row["mission_number"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn a_tool_finds_what_it_is_asked_for_behind_a_thousand_others() {
    let world = World::new().await;
    let World { fleet, lead, worker, project, .. } = &world;
    for _ in 0..1100 {
        fleet.mission(lead, project, json!({})).await;
    }
    let last = fleet.mission(lead, project, json!({ "auto_dispatch": true })).await;
    let found = fleet.json(lead, "list_missions", json!({ "project_id": project, "status": "queued" })).await.unwrap();
    assert_eq!((&found["count"], &found["missions"][0]["id"]), (&json!(1), &json!(last)));
    let mine = fleet.json(worker, "team_tasks", json!({ "filter": "mine" })).await.unwrap();
    assert_eq!((&mine["count"], &mine["tasks"][0]["id"]), (&json!(1), &json!(world.task)));
}
