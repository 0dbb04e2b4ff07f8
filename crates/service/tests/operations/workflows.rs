//! Workflows and executions as they are made, steered and refused; `workflow` has the tests of what follows when.

use api::Code;
use serde_json::{Value, json};

use crate::site::{RELATIONS, Relation, Scene};
use crate::world::World;

fn definition() -> Value {
    let ask = json!({ "key": "ask", "type": "checkpoint", "config": { "goal": "Go on with {{inputs.task}}?" } });
    json!({ "inputs": { "task": { "type": "string", "required": true } }, "steps": [ask] })
}

#[tokio::test]
async fn a_definition_that_cannot_end_is_refused_with_the_place_of_every_problem_and_nothing_is_stored() {
    let world = World::new().await;
    let steps = json!([
        { "key": "a", "type": "spawn", "dependsOn": ["b"], "config": { "task": "{{inputs.none}}" } },
        { "key": "b", "type": "spawn", "dependsOn": ["a"], "config": { "task": "x" } },
    ]);
    for (name, field) in [("workflow_create", "name"), ("execution_create", "name")] {
        let said = json!({ field: "circle", "definition": { "steps": steps } });
        let before = world.fleet.position();
        let refused = world.fleet.send(&world.lead, name, said).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{name}");
        let mut places: Vec<String> = refused.fields.iter().map(|problem| problem.path.join(".")).collect();
        places.sort();
        assert_eq!(places, ["definition.steps.0.config.task", "definition.steps.0.dependsOn"], "{name}: {refused}");
        assert_eq!(world.fleet.position(), before, "{name}");
    }
}

#[tokio::test]
async fn a_workflow_is_started_with_what_it_is_given_and_a_change_of_it_counts_up() {
    let world = World::new().await;
    let (fleet, lead) = (&world.fleet, &world.lead);
    let said = json!({ "name": "ask", "definition": definition() });
    let made = fleet.json(lead, "workflow_create", said.clone()).await.unwrap();
    assert_eq!(fleet.send(lead, "workflow_create", said).await.unwrap_err().code, Code::RECORD_EXISTS);
    let id = &made["id"];
    let missing = fleet.send(lead, "workflow_start", json!({ "id": id })).await.unwrap_err();
    assert!(missing.message.contains("Missing required input: task"), "{missing}");
    let begun = fleet.json(lead, "workflow_start", json!({ "id": id, "inputs": { "task": "x" } })).await.unwrap();
    assert_eq!((&begun["status"], &begun["workflowId"]), (&json!("running"), id));
    let changed = fleet.json(lead, "workflow_update", json!({ "id": id, "description": "Asks" })).await.unwrap();
    assert_eq!(changed["version"], 2);
    fleet.json(lead, "workflow_delete", json!({ "id": id })).await.unwrap();
    let shown = fleet.json(lead, "execution_get", json!({ "id": begun["id"] })).await.unwrap();
    assert_eq!(shown["status"], "running", "an execution outlives its workflow");
}

#[tokio::test]
async fn a_step_that_waits_for_a_person_is_in_the_inbox_with_the_command_that_completes_it() {
    let world = World::new().await;
    let items = world.fleet.json(&world.lead, "inbox_list", json!({})).await.unwrap();
    let item = items.as_array().unwrap().iter().find(|item| item["kind"] == "step").unwrap().clone();
    assert_eq!(
        (&item["subject"], &item["next"]),
        (&json!("e-x7k2m.decide"), &json!("fleet workflow complete e-x7k2m.decide"))
    );
    world.fleet.json(&world.lead, "step_complete", json!({ "id": "e-x7k2m.decide" })).await.unwrap();
    let items = world.fleet.json(&world.lead, "inbox_list", json!({})).await.unwrap();
    assert!(items.as_array().unwrap().iter().all(|item| item["kind"] != "step"));
}

/// An agent that could complete a step would wave its own work through. The control is a lead that does the same.
#[tokio::test]
async fn no_agent_decides_in_a_workflow_starts_one_or_ends_one() {
    let scene = Scene::new().await;
    for relation in RELATIONS {
        let site = scene.site(relation);
        let id = site.ids().into_iter().find(|id| id.starts_with("e-")).unwrap();
        for (name, said) in [
            ("step_complete", json!({ "id": format!("{id}.decide"), "output": { "accepted": true } })),
            ("step_retry", json!({ "id": format!("{id}.make") })),
            ("execution_pause", json!({ "id": id })),
            ("execution_cancel", json!({ "id": id })),
            ("execution_create", json!({ "name": "mine", "definition": definition(), "inputs": { "task": "x" } })),
            ("workflow_create", json!({ "name": "mine", "definition": definition() })),
        ] {
            let before = scene.fleet.position();
            scene.fleet.send(&scene.agent, name, said).await.unwrap_err();
            assert_eq!(scene.fleet.position(), before, "{name} on {relation:?}");
        }
    }
    let own = scene.site(Relation::Own).ids().into_iter().find(|id| id.starts_with("e-")).unwrap();
    let said = json!({ "id": format!("{own}.decide"), "output": { "accepted": true } });
    scene.fleet.send(&scene.lead, "step_complete", said).await.unwrap();
}
