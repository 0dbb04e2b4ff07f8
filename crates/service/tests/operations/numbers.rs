//! Mission numbers: 1, 2, 3… within each project, however many callers state missions at once.

use std::sync::Arc;

use serde_json::json;
use tokio::task::JoinSet;

use crate::world::World;

async fn numbers(world: &World, project: &str) -> Vec<u64> {
    let listed = world.fleet.json(&world.lead, "list_missions", json!({ "project_id": project })).await.unwrap();
    listed["missions"].as_array().unwrap().iter().map(|row| row["mission_number"].as_u64().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_count_up_without_gap_or_repeat_under_concurrency() {
    let world = Arc::new(World::new().await);
    let second = world.fleet.project(&world.lead, "second").await;
    let mut callers = JoinSet::new();
    for at in 0..200_u32 {
        let (world, second) = (Arc::clone(&world), second.clone());
        callers.spawn(async move {
            let project = if at % 4 == 0 { &second } else { &world.project };
            world.fleet.mission(&world.lead, project, json!({})).await
        });
    }
    let ids = callers.join_all().await;
    assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 200);
    assert_eq!(numbers(&world, world.project.as_str()).await, (1..=152).collect::<Vec<_>>());
    assert_eq!(numbers(&world, second.as_str()).await, (1..=50).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn numbers_stay_unique_while_the_project_itself_is_being_changed() {
    let world = Arc::new(World::new().await);
    let mut callers = JoinSet::new();
    for at in 0..120_u32 {
        let world = Arc::clone(&world);
        callers.spawn(async move {
            if at % 3 == 0 {
                let input = json!({ "project": world.project, "description": format!("version {at}") });
                world.fleet.send(&world.lead, "project_update", input).await.unwrap();
            } else {
                world.fleet.mission(&world.lead, &world.project, json!({})).await;
            }
        });
    }
    callers.join_all().await;
    let mut found = numbers(&world, world.project.as_str()).await;
    assert_eq!(found.len(), 82);
    found.dedup();
    assert_eq!(found.len(), 82);
}

#[tokio::test]
async fn a_refused_mission_takes_no_number() {
    let world = World::new().await;
    let input = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p", "depends_on": ["m-22222"] });
    world.fleet.send(&world.lead, "mission_create", input).await.unwrap_err();
    world.fleet.mission(&world.lead, &world.project, json!({})).await;
    assert_eq!(numbers(&world, world.project.as_str()).await, [1, 2, 3]);
}

#[tokio::test]
async fn a_task_has_no_project_and_so_no_number() {
    let world = World::new().await;
    let row = world.fleet.json(&world.lead, "mission_get", json!({ "mission": world.task })).await.unwrap();
    assert_eq!(
        (&row["mission_number"], &row["project_id"], &row["project_name"]),
        (&json!(null), &json!(null), &json!(null))
    );
}
