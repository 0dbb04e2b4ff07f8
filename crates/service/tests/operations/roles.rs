//! Every operation, called by everybody: who may is what the table says, and a refusal changes nothing.

use api::{Access, Code, Effect};
use fleet_service::Caller;
use serde_json::json;
use testkit::anonymous;

use crate::world::{World, asks_too_much, everyone};

fn role(caller: &Caller) -> &'static str {
    caller.member().map_or("nobody", |member| member.role.as_str())
}

/// Open registration has rules of its own, told in `registration`; here everybody may.
async fn open_world() -> World {
    let world = World::new().await;
    world.fleet.set(|settings| settings.open_registration = true);
    world
}

#[tokio::test]
async fn an_operation_answers_exactly_those_roles_that_its_row_admits() {
    let mut world = open_world().await;
    let mut whole = world.fleet.position();
    for binding in testkit::bindings() {
        for caller in everyone("alpha").into_iter().chain([anonymous()]) {
            // What was carried out may have taken away what the next call needs.
            if world.fleet.position() != whole || binding.spec.effect != Effect::Read {
                world = open_world().await;
                whole = world.fleet.position();
            }
            let before = world.fleet.position();
            let answer = world.fleet.send(&caller, binding.name, world.input(binding, &caller)).await;
            let admitted = match &caller {
                Caller::Anonymous => binding.spec.access == Access::Public,
                Caller::Known(member) => {
                    binding.spec.access == Access::Public || binding.spec.access.roles().contains(&member.role)
                }
            };
            let place = format!("{} by {}", binding.name, role(&caller));
            let refusal = if role(&caller) == "nobody" { Code::AUTHENTICATION_REQUIRED } else { Code::ROLE_REFUSED };
            match answer {
                Ok(_) => assert!(admitted, "{place} was answered"),
                Err(error) if asks_too_much(&error) => assert!(admitted, "{place} was answered"),
                Err(error) => {
                    assert!(!admitted, "{place} was refused: {error}");
                    assert_eq!(error.code, refusal, "{place}");
                    assert_eq!(world.fleet.position(), before, "{place} was refused and changed something");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_refused_role_is_told_which_roles_may_and_which_it_has() {
    let world = World::new().await;
    let input = serde_json::json!({ "project": world.project });
    let refused = world.fleet.send(&world.worker, "project_delete", input).await.unwrap_err();
    assert_eq!(
        refused.body(api::Dialect::ClaudeFleet).to_string(),
        r#"{"error":"Insufficient permissions","code":"ROLE_REFUSED","hint":"Call with a token of one of these roles: owner, team-lead, coordinator.","required":["owner","team-lead","coordinator"],"current":"worker"}"#
    );
}

#[tokio::test]
async fn reading_changes_nothing_whoever_reads_whatever() {
    let world = open_world().await;
    for binding in testkit::bindings().filter(|binding| binding.spec.access == Access::Read) {
        for caller in everyone("alpha") {
            let before = world.fleet.position();
            let answer = world.fleet.send(&caller, binding.name, world.input(binding, &caller)).await;
            assert!(answer.as_ref().map_or_else(asks_too_much, |_| true), "{}: {answer:?}", binding.name);
            assert_eq!(world.fleet.position(), before, "{} changed something", binding.name);
        }
    }
}

#[tokio::test]
async fn a_refused_input_changes_nothing() {
    for binding in testkit::bindings() {
        let world = open_world().await;
        let before = world.fleet.position();
        let mut input = world.input(binding, &world.lead);
        for (_, value) in input.as_object_mut().unwrap() {
            *value = serde_json::json!({ "not": "right" });
        }
        let answer = world.fleet.send(&world.lead, binding.name, input.clone()).await;
        assert_eq!(
            answer.as_ref().map_or_else(asks_too_much, |_| true),
            input.as_object().unwrap().is_empty() && binding.name != "login_link_create",
            "{}",
            binding.name
        );
        if answer.is_err() {
            assert_eq!(world.fleet.position(), before, "{}", binding.name);
        }
    }
}

#[tokio::test]
async fn a_worker_says_neither_what_runs_as_a_check_nor_what_lands_unseen() {
    let world = World::new().await;
    let (project, mission) = (&world.project, &world.mission);
    let rules = [
        ("project_update", serde_json::json!({ "project": project, "checks": ["touch owned"] })),
        ("project_update", serde_json::json!({ "project": project, "land": "auto" })),
        ("project_update", serde_json::json!({ "project": project, "target_branch": "main" })),
        ("mission_update", serde_json::json!({ "mission": mission, "land": "auto" })),
    ];
    for (name, input) in rules {
        let refused = world.fleet.send(&world.worker, name, input.clone()).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{name} {input}");
        world.fleet.send(&world.lead, name, input).await.unwrap();
    }
}

#[tokio::test]
async fn only_those_who_lead_say_what_may_be_spent() {
    let world = World::new().await;
    for field in ["budget_usd", "budget_tokens", "budget_turns", "daily_budget_minutes"] {
        let input = json!({ "project": world.project, field: 5 });
        let refused = world.fleet.json(&world.worker, "project_update", input.clone()).await.unwrap_err();
        assert_eq!(refused.code, Code::ROLE_REFUSED, "{field}");
        world.fleet.json(&world.lead, "project_update", input).await.unwrap();
    }
    let path = world.fleet.folder();
    let input = json!({ "name": "mine", "path": path, "budget_usd": 1_000 });
    let refused = world.fleet.json(&world.worker, "project_create", input).await.unwrap_err();
    assert_eq!(refused.code, Code::ROLE_REFUSED);
}
