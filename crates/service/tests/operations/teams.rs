//! Two teams on one server: neither sees or changes anything of the other's, through any operation.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::{known, owner};
use types::Role;

use crate::world::{SECRET, World, asks_too_much};

fn strangers() -> [Caller; 3] {
    [Role::TeamLead, Role::Coordinator, Role::Worker].map(|role| known("beta", role.as_str(), role))
}

/// Whatever was said, as text.
fn said(answer: Result<fleet_service::Answer, api::Error>) -> (bool, String) {
    match answer {
        Ok(answer) => (true, String::from_utf8(answer.body.into()).unwrap()),
        Err(error) => (false, error.body(api::Dialect::ClaudeFleet).to_string()),
    }
}

#[tokio::test]
async fn no_operation_shows_or_changes_anything_of_another_team() {
    let world = World::new().await;
    let before = world.everything_of_alpha().await;
    for binding in testkit::bindings() {
        for stranger in strangers() {
            let input = world.input(binding, &stranger);
            let (_, text) = said(world.fleet.send(&stranger, binding.name, input).await);
            assert!(!text.contains(SECRET), "{} told another team: {text}", binding.name);
            assert_eq!(world.everything_of_alpha().await, before, "{} changed another team", binding.name);
        }
    }
}

#[tokio::test]
async fn lists_hold_no_id_of_another_team_whatever_they_are_filtered_by() {
    let world = World::new().await;
    let stranger = known("beta", "lead", Role::TeamLead);
    let filters = [
        json!({}),
        json!({ "project_id": world.project }),
        json!({ "project_id": world.project, "status": "draft" }),
        json!({ "parent_mission_id": world.mission }),
        json!({ "tag": "hush" }),
        json!({ "status": "draft" }),
    ];
    for filter in filters {
        assert_eq!(world.fleet.json(&stranger, "mission_list", filter.clone()).await, Ok(json!([])), "{filter}");
        assert_ne!(world.fleet.json(&world.worker, "mission_list", filter.clone()).await, Ok(json!([])), "{filter}");
    }
    for (name, field, id) in
        [("mission_children", "mission", &world.mission), ("mission_events", "mission", &world.mission)]
    {
        assert_eq!(world.fleet.json(&stranger, name, json!({ field: id })).await, Ok(json!([])), "{name}");
    }
}

#[tokio::test]
async fn what_is_of_another_team_is_refused_in_the_words_for_what_does_not_exist() {
    let world = World::new().await;
    let stranger = known("beta", "lead", Role::TeamLead);
    for binding in testkit::bindings() {
        let mut absent = world.input(binding, &stranger);
        let theirs = absent.clone();
        for field in ["mission", "project", "taskId", "mission_id", "project_id"] {
            let nothing = if field.starts_with("project") { "p-22222" } else { "m-22222" };
            absent.as_object_mut().unwrap().entry(field).and_modify(|id| *id = nothing.into());
        }
        if absent == theirs {
            continue;
        }
        let (_, of_theirs) = said(world.fleet.send(&stranger, binding.name, theirs).await);
        let (_, of_nothing) = said(world.fleet.send(&stranger, binding.name, absent).await);
        assert_eq!(of_theirs, of_nothing, "{} tells what another team has", binding.name);
    }
}

#[tokio::test]
async fn a_mission_cannot_be_tied_to_one_of_another_team() {
    let world = World::new().await;
    let stranger = world.fleet.join("beta", "lead", Role::TeamLead).await;
    let project = world.fleet.project(&stranger, "ours").await;
    let ours = world.fleet.mission(&stranger, &project, json!({})).await;
    for field in ["depends_on", "parent_mission_id"] {
        let theirs: Value = if field == "depends_on" { json!([world.mission]) } else { json!(world.mission) };
        let refused = world.fleet.send(&stranger, "mission_update", json!({ "mission": ours, field: theirs })).await;
        assert_eq!(refused.unwrap_err().code, Code::DEPENDENCY_UNKNOWN, "{field}");
        let input = json!({ "project_id": project, "title": "t", "detailed_prompt": "p", field: theirs });
        let refused = world.fleet.send(&stranger, "mission_create", input).await;
        assert_eq!(refused.unwrap_err().code, Code::DEPENDENCY_UNKNOWN, "{field}");
    }
    let uid = stranger.member().unwrap().uid();
    let input =
        json!({ "fromUid": uid, "toHandle": "lead", "teamName": "beta", "subject": "task", "blockedBy": [world.task] });
    let refused = world.fleet.send(&stranger, "task_create", input).await.unwrap_err();
    assert_eq!(refused.code, Code::DEPENDENCY_UNKNOWN);
}

#[tokio::test]
async fn a_mission_belongs_to_the_team_of_its_project_whoever_states_it() {
    let world = World::new().await;
    let mission = world.fleet.mission(&owner(), &world.project, json!({ "title": "from the owner" })).await;
    let row = world.fleet.json(&world.worker, "mission_get", json!({ "mission": mission })).await.unwrap();
    assert_eq!(row["title"], "from the owner");
    let task = world.fleet.json(&world.worker, "task_get", json!({ "taskId": mission })).await.unwrap();
    assert_eq!(task["teamName"], "alpha");
}

#[tokio::test]
async fn a_child_that_the_owner_made_for_another_team_is_not_shown_with_its_parent() {
    let world = World::new().await;
    let elsewhere = world.fleet.project(&owner(), "elsewhere").await;
    let said = json!({ "title": "of the owner", "parent_mission_id": world.mission });
    world.fleet.mission(&owner(), &elsewhere, said).await;
    for (name, key) in [("mission_get", "children"), ("mission_children", "")] {
        let answer = world.fleet.json(&world.lead, name, json!({ "mission": world.mission })).await.unwrap();
        let children = if key.is_empty() { &answer } else { &answer[key] };
        assert_eq!(children.as_array().unwrap().len(), 1, "{name}: {children}");
    }
}

#[tokio::test]
async fn the_owner_is_of_every_team() {
    let world = World::new().await;
    for binding in testkit::bindings() {
        let answer = world.fleet.send(&owner(), binding.name, world.input(binding, &owner())).await;
        // What was deleted by an earlier row of the table is gone for the owner too.
        let gone = [
            Code::MISSION_NOT_FOUND,
            Code::PROJECT_NOT_FOUND,
            Code::PROJECT_UNKNOWN,
            Code::ID_NOT_FOUND,
            Code::SERVER_NOT_FOUND,
            Code::REPORT_NOT_FOUND,
            // What was cancelled by an earlier row is neither retried nor cancelled again.
            Code::EXECUTION_STATE,
        ];
        let fine = |error: &api::Error| gone.contains(&error.code) || asks_too_much(error);
        assert!(answer.as_ref().map_or_else(fine, |_| true), "{}: {answer:?}", binding.name);
    }
}
