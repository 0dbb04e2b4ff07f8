//! MCP servers of projects: who may add one, what it may be, and what is never shown.

use api::Code;
use serde_json::{Value, json};
use testkit::owner;

use crate::world::{SECRET, World};

async fn add(world: &World, fields: Value) -> Result<Value, api::Error> {
    let mut input = json!({ "project": world.project, "server_name": "docs", "config": { "command": "docs" } });
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    world.fleet.json(&world.lead, "mcp_server_add", input).await
}

async fn names(world: &World) -> Vec<String> {
    let listed = world.fleet.json(&world.worker, "mcp_server_list", json!({ "project": world.project })).await.unwrap();
    listed.as_array().unwrap().iter().map(|row| row["server_name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_server_looks_as_devfleet_has_it_and_its_secrets_are_shown_to_nobody() {
    let world = World::new().await;
    let config = json!({ "command": "docs", "args": ["--all"], "env": { "TOKEN": "s3cret-value" } });
    let row = add(&world, json!({ "config": config })).await.unwrap();
    let expected = json!({
        "id": row["id"], "project_id": world.project, "server_name": "docs", "server_type": "stdio", "enabled": 1,
        "created_at": "2026-01-02 03:04:05",
        "config": { "command": "docs", "args": ["--all"], "env": { "TOKEN": "***" } },
    });
    assert_eq!(row, expected);
    for caller in [&owner(), &world.lead, &world.worker] {
        let listed = world.fleet.json(caller, "mcp_server_list", json!({ "project": world.project })).await.unwrap();
        assert!(!listed.to_string().contains("s3cret-value"), "{listed}");
    }
}

#[tokio::test]
async fn a_configuration_is_shown_as_it_was_given_with_an_empty_list_and_its_folder() {
    let world = World::new().await;
    let config = json!({ "command": "docs", "args": [], "cwd": "/srv/docs" });
    let row = add(&world, json!({ "config": config })).await.unwrap();
    assert_eq!(row["config"], config);
    let listed = world.fleet.json(&world.lead, "mcp_server_list", json!({ "project": world.project })).await.unwrap();
    let listed = listed.as_array().unwrap().iter().find(|listed| listed["id"] == row["id"]).unwrap();
    assert_eq!(listed["config"], config);
}

#[tokio::test]
async fn what_was_shown_can_be_sent_back_without_losing_what_was_hidden() {
    let world = World::new().await;
    let sent = json!({ "server": world.server, "config": { "command": "other", "env": { "TOKEN": "***" } } });
    let row = world.fleet.json(&world.lead, "mcp_server_update", sent).await.unwrap();
    assert_eq!(row["config"]["command"], "other");
    let id = world.server.parse().unwrap();
    let stored = world.fleet.service.store().get::<types::ProjectServer>(&id).await.unwrap().unwrap();
    let types::ServerReach::Stdio { env, .. } = stored.reach else { panic!("it is a program") };
    assert_eq!(env["TOKEN"], SECRET);
}

#[tokio::test]
async fn only_those_who_lead_say_which_programs_run() {
    let world = World::new().await;
    let input = json!({ "project": world.project, "server_name": "docs", "config": { "command": "docs" } });
    let server = json!({ "server": world.server });
    for (name, input) in [
        ("mcp_server_add", input),
        ("mcp_server_update", server.clone()),
        ("mcp_server_enable", server.clone()),
        ("mcp_server_disable", server.clone()),
        ("mcp_server_remove", server),
    ] {
        let refused = world.fleet.json(&world.worker, name, input).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{name}");
    }
    assert_eq!(names(&world).await, [SECRET]);
}

#[tokio::test]
async fn a_name_is_that_of_one_server_of_a_project_and_never_fleets() {
    let world = World::new().await;
    add(&world, json!({})).await.unwrap();
    assert_eq!(add(&world, json!({})).await.unwrap_err().code, Code::SERVER_EXISTS);
    let renamed = json!({ "server": world.server, "server_name": "docs" });
    let refused = world.fleet.json(&world.lead, "mcp_server_update", renamed).await.unwrap_err();
    assert_eq!(refused.code, Code::SERVER_EXISTS);
    assert_eq!(add(&world, json!({ "server_name": "fleet" })).await.unwrap_err().code, Code::FIELDS_INVALID);
    assert_eq!(names(&world).await, ["docs", SECRET]);
}

#[tokio::test]
async fn of_two_who_add_the_same_name_at_once_one_is_refused() {
    let world = World::new().await;
    let (one, other) = tokio::join!(add(&world, json!({})), add(&world, json!({})));
    assert_eq!(u8::from(one.is_ok()) + u8::from(other.is_ok()), 1);
    assert_eq!(one.and(other).unwrap_err().code, Code::SERVER_EXISTS);
}

#[tokio::test]
async fn a_server_is_switched_off_and_on_and_goes_with_its_project() {
    let world = World::new().await;
    let server = json!({ "server": world.server });
    let enabled =
        async |name: &str| world.fleet.json(&world.lead, name, server.clone()).await.unwrap()["enabled"].clone();
    assert_eq!(enabled("mcp_server_disable").await, 0);
    assert_eq!(enabled("mcp_server_enable").await, 1);
    world.fleet.json(&owner(), "project_delete", json!({ "project": world.project })).await.unwrap();
    assert_eq!(names(&world).await, Vec::<String>::new());
    let refused = world.fleet.json(&world.lead, "mcp_server_enable", server).await.unwrap_err();
    assert_eq!(refused.code, Code::SERVER_NOT_FOUND);
}

#[tokio::test]
async fn strangers_see_no_server_and_an_unknown_project_has_none() {
    let world = World::new().await;
    let stranger = world.fleet.join("beta", "lead", types::Role::TeamLead).await;
    let listed = world.fleet.json(&stranger, "mcp_server_list", json!({ "project": world.project })).await.unwrap();
    assert_eq!(listed, json!([]));
    let refused =
        world.fleet.json(&stranger, "mcp_server_remove", json!({ "server": world.server })).await.unwrap_err();
    assert_eq!(refused.code, Code::SERVER_NOT_FOUND);
    let listed = world.fleet.json(&world.lead, "mcp_server_list", json!({ "project": "p-22222" })).await.unwrap();
    assert_eq!(listed, json!([]));
}
