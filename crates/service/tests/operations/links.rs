//! Dependencies, parents and children: what can be tied, and in which order it is shown.

use std::time::Duration;

use api::Code;
use serde_json::{Value, json};

use crate::world::World;

async fn put(world: &World, mission: &str, field: &str, value: Value) -> Result<Value, Code> {
    let input = json!({ "mission": mission, field: value });
    let before = world.fleet.position();
    let answer = world.fleet.json(&world.lead, "mission_update", input).await.map_err(|error| error.code);
    assert!(answer.is_ok() || world.fleet.position() == before, "a refusal changed something");
    answer
}

async fn chain(world: &World, length: usize) -> Vec<String> {
    let mut chain: Vec<String> = Vec::new();
    for _ in 0..length {
        let depends_on: Vec<&String> = chain.last().into_iter().collect();
        chain.push(world.fleet.mission(&world.lead, &world.project, json!({ "depends_on": depends_on })).await);
    }
    chain
}

#[tokio::test]
async fn a_dependency_must_exist() {
    let world = World::new().await;
    assert_eq!(put(&world, &world.mission, "depends_on", json!(["m-22222"])).await, Err(Code::DEPENDENCY_UNKNOWN));
    assert_eq!(put(&world, &world.mission, "parent_mission_id", json!("m-22222")).await, Err(Code::DEPENDENCY_UNKNOWN));
    for (name, field) in [("mission_create", "detailed_prompt"), ("create_mission", "prompt")] {
        let input = json!({ "project_id": world.project, "title": "t", field: "p", "depends_on": ["m-22222"] });
        let refused = world.fleet.send(&world.lead, name, input).await.unwrap_err();
        assert_eq!(refused.code, Code::DEPENDENCY_UNKNOWN, "{name}");
    }
}

#[tokio::test]
async fn a_mission_never_waits_for_itself_however_long_the_way_round() {
    let world = World::new().await;
    for length in [1, 2, 3, 12] {
        let chain = chain(&world, length).await;
        let (first, last) = (&chain[0], &chain[length - 1]);
        assert_eq!(put(&world, first, "depends_on", json!([last])).await, Err(Code::DEPENDENCY_CYCLE), "{length}");
    }
}

#[tokio::test]
async fn two_ways_to_the_same_mission_are_no_circle() {
    let world = World::new().await;
    let chain = chain(&world, 3).await;
    let row = put(&world, &chain[2], "depends_on", json!([chain[0], chain[1], chain[0]])).await.unwrap();
    assert_eq!(row["depends_on"], json!([chain[0], chain[1]]).to_string());
    assert_eq!(put(&world, &chain[0], "depends_on", json!([])).await.unwrap()["depends_on"], "[]");
}

#[tokio::test]
async fn a_mission_is_never_made_for_itself() {
    let world = World::new().await;
    let circle = Err(Code::DEPENDENCY_CYCLE);
    assert_eq!(put(&world, &world.mission, "parent_mission_id", json!(world.mission)).await, circle);
    let child = world.fleet.mission(&world.lead, &world.project, json!({ "parent_mission_id": world.mission })).await;
    assert_eq!(put(&world, &world.mission, "parent_mission_id", json!(child)).await, circle);
}

#[tokio::test]
async fn children_come_by_priority_then_oldest_first_and_in_the_detail_oldest_first() {
    let world = World::new().await;
    let parent = world.fleet.mission(&world.lead, &world.project, json!({})).await;
    for (title, priority) in [("a", 0), ("b", 5), ("c", 0), ("d", 5)] {
        world.fleet.clock.advance(Duration::from_secs(1));
        let said = json!({ "title": title, "priority": priority, "parent_mission_id": parent });
        world.fleet.mission(&world.lead, &world.project, said).await;
    }
    let titles = |rows: &Value| -> Vec<String> {
        rows.as_array().unwrap().iter().map(|row| row["title"].as_str().unwrap().to_owned()).collect()
    };
    let input = json!({ "mission": parent });
    let children = world.fleet.json(&world.lead, "mission_children", input.clone()).await.unwrap();
    assert_eq!(titles(&children), ["b", "d", "a", "c"]);
    let detail = world.fleet.json(&world.lead, "mission_get", input).await.unwrap();
    assert_eq!(titles(&detail["children"]), ["a", "b", "c", "d"]);
    let unknown = world.fleet.json(&world.lead, "mission_children", json!({ "mission": "m-22222" })).await;
    assert_eq!(unknown, Ok(json!([])));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_who_tie_missions_to_each_other_at_once_make_no_circle() {
    let world = World::new().await;
    for round in 0..50 {
        let (a, b) = (chain(&world, 1).await.remove(0), chain(&world, 1).await.remove(0));
        let tie = |from: &str, to: &str| {
            let (service, registry) = (world.fleet.service.clone(), world.fleet.registry.clone());
            let input = json!({ "mission": from, "depends_on": [to] });
            let lead = world.lead.clone();
            async move {
                let Value::Object(fields) = input else { return false };
                let entry = registry.find("mission_update").unwrap();
                entry.call(service, lead, fields.into()).await.is_ok()
            }
        };
        let mut both = tokio::task::JoinSet::new();
        both.spawn(tie(&a, &b));
        both.spawn(tie(&b, &a));
        let tied = both.join_all().await;
        assert_eq!(tied.iter().filter(|ok| **ok).count(), 1, "round {round}: {tied:?}");
    }
}
