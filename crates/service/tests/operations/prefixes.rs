//! Finding by the beginning of an id: among what the caller may see, and only there.

use api::Code;
use serde_json::json;
use types::Role;

use crate::world::World;

#[tokio::test]
async fn a_beginning_that_fits_one_finds_it_and_a_whole_id_always_does() {
    let world = World::new().await;
    for id in [&world.mission, &world.project.to_string()] {
        let found = world.fleet.json(&world.worker, "id_resolve", json!({ "prefix": id })).await.unwrap();
        assert_eq!(found["id"], *id);
        let nearly = &id[..id.len() - 1];
        let found = world.fleet.json(&world.worker, "id_resolve", json!({ "prefix": nearly })).await.unwrap();
        assert_eq!(found["id"], *id);
    }
}

#[tokio::test]
async fn what_another_team_has_neither_hides_nor_shows_what_one_has() {
    let world = World::new().await;
    let beta = world.fleet.join("beta", "lead", Role::TeamLead).await;
    let project = world.fleet.project(&beta, "theirs").await;
    let mut ids = Vec::new();
    for _ in 0..400 {
        ids.push(world.fleet.mission(&beta, &project, json!({})).await);
    }
    ids.sort();
    for first in types::ID_ALPHABET.chars() {
        let prefix = format!("m-{first}");
        let ours = world.fleet.json(&world.lead, "mission_list", json!({})).await.unwrap();
        let ours: Vec<_> = ours
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_str().unwrap())
            .filter(|id| id.starts_with(&prefix))
            .map(str::to_owned)
            .collect();
        let found = world.fleet.json(&world.lead, "id_resolve", json!({ "prefix": prefix })).await;
        match (ours.as_slice(), found) {
            ([], Err(error)) => assert_eq!(error.code, Code::ID_NOT_FOUND),
            ([one], Ok(found)) => assert_eq!(found["id"], *one),
            ([_, _, ..], Err(error)) => assert_eq!(error.code, Code::ID_AMBIGUOUS),
            (ours, found) => panic!("{prefix} fits {ours:?} and gave {found:?}"),
        }
    }
}

#[tokio::test]
async fn an_ambiguous_beginning_names_some_of_what_it_fits() {
    let world = World::new().await;
    let refused = world.fleet.send(&world.lead, "id_resolve", json!({ "prefix": "m-" })).await.unwrap_err();
    assert_eq!(refused.code.kind(), api::Kind::NotFound, "a prefix of no character behind the dash is no prefix");
    for _ in 0..100 {
        world.fleet.mission(&world.lead, &world.project, json!({})).await;
    }
    let first = &world.mission[..3];
    let refused = world.fleet.send(&world.lead, "id_resolve", json!({ "prefix": first })).await.unwrap_err();
    assert_eq!(refused.code, Code::ID_AMBIGUOUS);
    assert!(refused.message.matches("m-").count() <= 6, "{refused}");
}

#[tokio::test]
async fn a_project_is_found_by_its_name_and_folder_and_a_mission_by_its_number() {
    let world = World::new().await;
    let other = world.fleet.project(&world.lead, "Kitchen sink").await;
    let find = async |input: serde_json::Value| world.fleet.json(&world.worker, "id_resolve", input).await;
    let row = world.fleet.json(&world.lead, "project_get", json!({ "project": other })).await.unwrap();
    let inside = format!("{}/deep/down", row["path"].as_str().unwrap());
    for text in ["Kitchen sink", "kitchen SINK", inside.as_str(), row["path"].as_str().unwrap()] {
        let found = find(json!({ "prefix": text })).await.unwrap();
        assert_eq!(found["id"], other.as_str(), "{text}");
    }
    let mission = world.fleet.mission(&world.lead, &other, json!({})).await;
    assert_eq!(find(json!({ "prefix": "Kitchen sink#1" })).await.unwrap()["id"], mission);
    assert_eq!(find(json!({ "prefix": "1", "folder": inside })).await.unwrap()["id"], mission);
    assert_eq!(find(json!({ "prefix": "1" })).await.unwrap_err().code, Code::ID_AMBIGUOUS, "both have a first one");
    let unknown = find(json!({ "prefix": "Kichen sink" })).await.unwrap_err();
    assert_eq!(unknown.code, Code::ID_NOT_FOUND);
    assert!(unknown.message.ends_with("did you mean `Kitchen sink`?"), "{}", unknown.message);
    for text in ["Kitchen sink#7", "999", "/nowhere/at/all"] {
        assert_eq!(find(json!({ "prefix": text })).await.unwrap_err().code, Code::ID_NOT_FOUND, "{text}");
    }
}

#[tokio::test]
async fn names_and_numbers_of_another_team_are_not_found() {
    let world = World::new().await;
    let beta = world.fleet.join("beta", "lead", Role::TeamLead).await;
    let project = world.fleet.project(&beta, "theirs").await;
    world.fleet.mission(&beta, &project, json!({})).await;
    for text in ["theirs", "theirs#1"] {
        let refused = world.fleet.json(&world.lead, "id_resolve", json!({ "prefix": text })).await.unwrap_err();
        assert_eq!(refused.code, Code::ID_NOT_FOUND, "{text}");
        assert!(!refused.message.contains("did you mean"), "{}", refused.message);
    }
}
