//! Missions with as many tags and links as a mission may have: whatever is allowed can also be stored and changed.

use serde_json::{Value, json};

use crate::world::World;

/// As many as the contract allows.
const MOST: usize = 16;

async fn others(world: &World) -> Vec<String> {
    let mut ids = Vec::new();
    for _ in 0..MOST {
        ids.push(world.fleet.mission(&world.lead, &world.project, json!({})).await);
    }
    ids
}

fn tags(word: &str) -> Vec<String> {
    (0..MOST).map(|at| format!("{word}-{at}")).collect()
}

#[tokio::test]
async fn a_mission_with_the_most_tags_and_links_can_be_changed_in_every_way() {
    let world = World::new().await;
    let (first, second) = (others(&world).await, others(&world).await);
    for id in first.iter().chain(&second) {
        let done = json!({ "mission": id, "status": "completed" });
        world.fleet.send(&world.lead, "mission_update", done).await.unwrap();
    }
    let said = json!({ "tags": tags("old"), "depends_on": first, "parent_mission_id": world.mission });
    let id = world.fleet.mission(&world.lead, &world.project, said).await;
    for change in [
        json!({ "priority": 5 }),
        json!({ "tags": tags("new") }),
        json!({ "depends_on": second, "status": "queued" }),
        json!({ "tags": tags("newest"), "depends_on": first }),
        json!({ "priority": 7, "status": "completed" }),
        json!({ "priority": 9, "tags": tags("last"), "depends_on": second, "status": "draft", "parent_mission_id": second[0] }),
    ] {
        let mut input: Value = change.clone();
        input["mission"] = json!(id);
        let answer = world.fleet.send(&world.lead, "mission_update", input).await;
        assert!(answer.is_ok(), "{change}: {answer:?}");
    }
    let deleted = world.fleet.send(&world.lead, "mission_delete", json!({ "mission": id })).await;
    assert!(deleted.is_ok(), "{deleted:?}");
}

#[tokio::test]
async fn one_more_than_the_most_is_refused() {
    let world = World::new().await;
    let (mut words, mut links) = (tags("a"), others(&world).await);
    words.push("one more".to_owned());
    links.push(world.task.clone());
    for (field, list) in [("tags", words), ("depends_on", links)] {
        let input = json!({ "mission": world.mission, field: list });
        let refused = world.fleet.send(&world.lead, "mission_update", input).await.unwrap_err();
        assert_eq!(refused.code, api::Code::FIELDS_INVALID, "{field}");
    }
}
