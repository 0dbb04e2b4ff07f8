//! What is taken as input: unknown fields, nulls, texts for numbers, and numbers that are none.

use api::{Code, UnknownFields};
use fleet_service::{Binding, Contract, Given};
use serde_json::{Value, json};

use crate::world::{World, asks_too_much};

async fn world() -> World {
    let world = World::new().await;
    world.fleet.set(|settings| settings.open_registration = true);
    world
}

fn contract<'a>(world: &'a World, name: &str) -> &'a Contract {
    world.fleet.registry.find(name).unwrap().contract().unwrap()
}

fn is_required(contract: &Contract, field: &str) -> bool {
    contract.schema["required"].as_array().is_some_and(|required| required.iter().any(|name| name == field))
}

#[tokio::test]
async fn an_unknown_field_of_a_body_is_refused_by_name_or_dropped_with_a_warning_as_the_row_says() {
    for binding in testkit::bindings() {
        let world = world().await;
        let before = world.fleet.position();
        let mut input = world.input(binding, &testkit::owner());
        input["no_such_field"] = json!({ "at": "all" });
        input["nor_this"] = json!(7);
        let answer = world.fleet.send(&testkit::owner(), binding.name, input).await;
        match binding.unknown_fields {
            UnknownFields::Drop if answer.as_ref().is_err_and(asks_too_much) => {}
            UnknownFields::Drop => {
                let was = "was dropped";
                let warnings =
                    [format!("unknown field `no_such_field` {was}"), format!("unknown field `nor_this` {was}")];
                assert_eq!(answer.unwrap().warnings, warnings, "{}", binding.name)
            }
            UnknownFields::Refuse | UnknownFields::ReadBack => {
                let refused = answer.unwrap_err();
                assert_eq!(refused.code, Code::FIELDS_INVALID, "{}", binding.name);
                let is = "is not a field of this operation";
                assert_eq!(refused.message, format!("no_such_field: {is}; nor_this: {is}"), "{}", binding.name);
                assert_eq!(world.fleet.position(), before, "{}", binding.name);
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_query_parameter_is_refused_by_name_whatever_the_contract() {
    let world = world().await;
    for binding in testkit::bindings() {
        let fields = world.input(binding, &testkit::owner()).as_object().cloned().unwrap();
        let given = Given { fields, texts: vec![("no_such_field".to_owned(), "1".to_owned())], ..Given::default() };
        let refused = world.fleet.give(&testkit::owner(), binding.name, given).await.unwrap_err();
        let named = refused.fields.iter().any(|problem| problem.path == ["no_such_field"]);
        assert!(refused.code == Code::FIELDS_INVALID && named, "{}: {refused:?}", binding.name);
    }
}

#[tokio::test]
async fn a_field_that_is_nearly_known_is_refused_with_the_one_that_was_meant() {
    let world = world().await;
    let before = world.fleet.position();
    let body = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p" });
    for (typed, meant) in
        [("max_budget", "max_budget_usd"), ("depends", "depends_on"), ("Auto-Dispatch", "auto_dispatch")]
    {
        let mut input = body.clone();
        input[typed] = json!(1);
        let refused = world.fleet.send(&world.lead, "mission_create", input).await.unwrap_err();
        let words = format!("{typed}: is not a field of this operation; did you mean `{meant}`?");
        assert_eq!(refused.message, words);
    }
    assert_eq!(world.fleet.position(), before);
}

#[tokio::test]
async fn a_hostile_number_of_long_unknown_names_costs_no_comparisons() {
    let world = world().await;
    let mut input = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p" });
    for at in 0..2_000 {
        input[format!("depends_o{at}")] = json!(1);
    }
    input["x".repeat(500_000)] = json!(1);
    let refused = world.fleet.send(&world.lead, "mission_create", input).await.unwrap_err();
    let hinted = refused.fields.iter().filter(|problem| problem.message.contains("did you mean")).count();
    assert!((1..=10).contains(&hinted), "{hinted}");
}

#[tokio::test]
async fn an_id_of_a_foreign_form_is_refused_in_the_words_for_one_that_is_unknown() {
    let (world, owner) = (world().await, testkit::owner());
    let foreign = "3f2b8c1e-9d4a-4f6b-8e7c-2a1b0c9d8e7f";
    for binding in testkit::bindings() {
        let input = world.input(binding, &owner);
        for target in binding.spec.targets {
            let Some(own) = target.field().filter(|_| !matches!(target, api::Target::Team(_) | api::Target::Worker(_)))
            else {
                continue;
            };
            let fields = input.as_object().unwrap();
            let Some(field) =
                fields.keys().find(|name| binding.tool.map_or(name.as_str(), |tool| tool.own_field(name)) == own)
            else {
                continue;
            };
            let Some(known) = fields[field].as_str() else { continue };
            let unknown = format!("{}-zzzzzzz", known.split('-').next().unwrap());
            let refused = async |id: &str| {
                let mut input = input.clone();
                input[field] = json!(id);
                world.fleet.send(&owner, binding.name, input).await.map(drop)
            };
            let (of_foreign, of_unknown) = (refused(foreign).await, refused(&unknown).await);
            let words =
                |answer: Result<(), api::Error>| answer.map_err(|error| error.message.replace(foreign, &unknown));
            assert_eq!(words(of_foreign), words(of_unknown), "{}.{field}", binding.name);
        }
    }
}

#[tokio::test]
async fn a_list_that_is_narrowed_by_what_nothing_has_is_empty_under_api() {
    let (world, owner) = (world().await, testkit::owner());
    for (name, field, value) in [
        ("mission_list", "status", "banana"),
        ("mission_list", "project_id", "3f2b8c1e-9d4a-4f6b-8e7c-2a1b0c9d8e7f"),
        ("mission_list", "parent_mission_id", "none"),
        ("mission_children", "mission", "none"),
        ("mission_events", "mission", "none"),
        ("session_list", "status", "banana"),
        ("session_list", "mission_id", "none"),
        ("report_list", "mission_id", "none"),
        ("landing_list", "project_id", "none"),
        ("mcp_server_list", "project", "none"),
    ] {
        assert_eq!(world.fleet.json(&owner, name, json!({ field: value })).await, Ok(json!([])), "{name} {field}");
    }
    for (field, value) in [("limit", "many"), ("order", "banana"), ("errors", "perhaps")] {
        let refused = world.fleet.give(&owner, "mission_list", texts(&[(field, value)])).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{field}");
    }
}

/// Tells whether an input without the field is right, or one with null in it where null is looked at.
fn takes_null(contract: &Contract, binding: &Binding, field: &str) -> bool {
    let schema = &contract.schema["properties"][field];
    match binding.unknown_fields {
        UnknownFields::Drop | UnknownFields::ReadBack => !is_required(contract, field),
        // What is below it may be null for all that.
        UnknownFields::Refuse => {
            let own = json!([schema["type"], schema["anyOf"], schema["oneOf"]]);
            schema["properties"].is_null() && own.to_string().contains(r#""null""#)
        }
    }
}

#[tokio::test]
async fn null_means_absent_where_unknown_fields_are_dropped_and_what_the_schema_says_elsewhere() {
    for binding in testkit::bindings() {
        let first = World::new().await;
        let properties = contract(&first, binding.name).schema["properties"].as_object();
        let names: Vec<String> = properties.into_iter().flat_map(|fields| fields.keys().cloned()).collect();
        for name in names {
            let world = world().await;
            let mut input = world.input(binding, &testkit::owner());
            input[&name] = Value::Null;
            let answer = world.fleet.send(&testkit::owner(), binding.name, input).await;
            let expected = takes_null(contract(&world, binding.name), binding, &name);
            let taken = answer.as_ref().map_or_else(asks_too_much, |_| true);
            assert_eq!(taken, expected, "{}.{name}: {answer:?}", binding.name);
        }
    }
}

#[tokio::test]
async fn every_missing_and_every_wrong_field_is_named_at_once() {
    let world = world().await;
    let input = json!({ "title": "", "priority": "high", "tags": ["", 7] });
    let refused = world.fleet.send(&world.lead, "mission_create", input).await.unwrap_err();
    let mut named: Vec<String> = refused.fields.iter().map(|problem| problem.path.join(".")).collect();
    named.sort();
    named.dedup();
    assert_eq!(named, ["detailed_prompt", "priority", "project_id", "tags.0", "tags.1", "title"]);
}

#[tokio::test]
async fn a_row_that_was_read_can_be_sent_back_as_it_is() {
    let world = world().await;
    let World { fleet, lead, .. } = &world;
    let gone = fleet.mission(lead, &world.project, json!({})).await;
    let said = json!({
        "tags": ["a", "b"], "depends_on": [world.mission, gone], "model": "opus", "max_turns": 3, "max_budget_usd": 0.5,
        "allowed_tools": "full", "auto_dispatch": true, "parent_mission_id": world.mission,
    });
    let id = fleet.mission(lead, &world.project, said).await;
    fleet.send(lead, "mission_delete", json!({ "mission": gone })).await.unwrap();
    fleet.clock.advance(std::time::Duration::from_secs(60));
    let before = fleet.position();
    let mut row = fleet.json(lead, "mission_update", json!({ "mission": id })).await.unwrap();
    let read = row.clone();
    row["mission"] = json!(id);
    assert_eq!(fleet.json(lead, "mission_update", row).await, Ok(read));
    assert_eq!(fleet.position(), before);
}

fn texts(pairs: &[(&str, &str)]) -> Given {
    let texts = pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    Given { texts, ..Given::default() }
}

#[tokio::test]
async fn texts_of_path_and_query_are_read_as_what_the_field_holds() {
    let world = world().await;
    let given = texts(&[
        ("mission", &world.mission),
        ("priority", "-7"),
        ("max_budget_usd", "1.25"),
        ("auto_dispatch", "true"),
        ("auto_retry", "0"),
        ("tags", r#"["a","b"]"#),
        ("max_retries", "0"),
        ("title", "7"),
    ]);
    let answer = world.fleet.give(&world.lead, "mission_update", given).await.unwrap();
    let row: Value = serde_json::from_slice(&answer.body).unwrap();
    let keys = ["priority", "max_budget_usd", "auto_dispatch", "auto_retry", "tags", "max_retries", "title"];
    assert_eq!(json!(keys.map(|key| &row[key])), json!([-7, 1.25, 1, 0, r#"["a","b"]"#, 0, "7"]));
}

#[tokio::test]
async fn a_ceiling_that_is_no_number_is_refused_and_not_taken_for_none() {
    let world = world().await;
    for budget in ["NaN", "inf", "-inf", "1e999", "infinity", "-1", "much"] {
        let given = texts(&[("mission", &world.mission), ("max_budget_usd", budget)]);
        let refused = world.fleet.give(&world.lead, "mission_update", given).await;
        assert_eq!(refused.map_err(|error| error.code), Err(Code::FIELDS_INVALID), "{budget}");
    }
}

#[tokio::test]
async fn what_is_too_large_to_store_is_refused_as_such() {
    let world = world().await;
    let input = json!({ "mission": world.mission, "detailed_prompt": "\u{1F680}".repeat(100_000) });
    let refused = world.fleet.send(&world.lead, "mission_update", input).await.unwrap_err();
    assert_eq!(refused.code, Code::TOO_LARGE_TO_STORE);
    let input = json!({ "mission": world.mission, "detailed_prompt": "x".repeat(100_001) });
    let refused = world.fleet.send(&world.lead, "mission_update", input).await.unwrap_err();
    assert_eq!(refused.code, Code::FIELDS_INVALID);
}

#[tokio::test]
async fn an_id_in_the_path_that_is_none_names_nothing() {
    let world = world().await;
    for (name, field) in [("mission_get", "mission"), ("project_get", "project"), ("task_get", "taskId")] {
        for id in ["", "m-", "../../etc", "m-x7k2m/..", "banana", &world.mission.to_uppercase()] {
            let refused = world.fleet.send(&world.lead, name, json!({ field: id })).await.unwrap_err();
            assert_eq!(refused.code.kind(), api::Kind::NotFound, "{name} {id}");
        }
    }
}

/// The values that the schema of a field lists.
fn listed(schema: &Value) -> Vec<String> {
    let forms = ["oneOf", "anyOf"].into_iter().filter_map(|key| schema[key].as_array()).flatten().flat_map(listed);
    let own = schema["enum"].as_array().into_iter().flatten().chain(schema.get("const"));
    let own: Vec<String> = own.filter_map(|value| Some(value.as_str()?.to_owned())).collect();
    forms.chain(own).collect()
}

#[tokio::test]
async fn a_value_that_is_none_of_a_choice_is_refused_with_those_there_are_and_the_one_that_was_meant() {
    let world = world().await;
    let mut seen = 0;
    for binding in testkit::bindings() {
        let contract = contract(&world, binding.name);
        let fields = contract.schema["properties"].as_object().cloned().unwrap_or_default();
        for (name, schema) in &fields {
            let choices = listed(schema);
            let Some(first) = choices.first() else { continue };
            let given = json!({ name: format!("{first}q") }).as_object().cloned().unwrap();
            // A list that is narrowed by what nothing has is empty, and not refused.
            let Err(refused) = contract.check(Given::from(given)) else { continue };
            let Some(problem) = refused.fields.iter().find(|problem| problem.path == [name.clone()]) else { continue };
            let (shown, message) = (choices.len().min(10), &problem.message);
            let all = choices.iter().take(shown).all(|choice| message.contains(&format!("`{choice}`")));
            assert!(all && message.contains("did you mean `"), "{} {name}: {message}", binding.name);
            assert!(message.len() < 400, "{} {name}: {message}", binding.name);
            seen += 1;
        }
    }
    assert!(seen >= 20, "only {seen} choices were met");
    let body = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p", "callback_url": 7 });
    let refused = world.fleet.send(&world.lead, "mission_create", body).await.unwrap_err();
    assert!(!refused.message.contains("anyOf"), "{refused}");
}
