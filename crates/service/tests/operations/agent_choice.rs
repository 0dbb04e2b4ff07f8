//! Which agent and which model a mission gets, by which words it is said, and who is shown to have said it.

use api::Code;
use serde_json::{Value, json};

use crate::world::World;

async fn update(world: &World, fields: Value) -> Result<Value, api::Error> {
    let mut input = json!({ "mission": world.mission });
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    world.fleet.json(&world.lead, "mission_update", input).await
}

async fn project(world: &World, fields: Value) -> Result<Value, api::Error> {
    let mut input = json!({ "project": world.project });
    input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    world.fleet.json(&world.lead, "project_update", input).await
}

async fn shown(world: &World) -> [String; 4] {
    let detail = world.fleet.json(&world.lead, "mission_get", json!({ "mission": world.mission })).await.unwrap();
    ["agent", "agent_source", "model", "model_source"].map(|field| detail[field].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_mission_shows_what_it_gets_and_from_whom() {
    let world = World::new().await;
    assert_eq!(shown(&world).await, ["claude", "config", "default", "agent"]);
    world.fleet.set(|settings| settings.model = Some("sonnet".to_owned()));
    assert_eq!(shown(&world).await, ["claude", "config", "sonnet", "config"]);
    project(&world, json!({ "coder": "sim", "model": "quick" })).await.unwrap();
    assert_eq!(shown(&world).await, ["sim", "project", "quick", "project"]);
    update(&world, json!({ "executor": "claude", "model": "opus" })).await.unwrap();
    assert_eq!(shown(&world).await, ["claude", "mission", "opus", "mission"]);
    update(&world, json!({ "model": "" })).await.unwrap();
    assert_eq!(shown(&world).await, ["claude", "mission", "sonnet", "config"], "the project's is for another agent");
    update(&world, json!({ "agent": "" })).await.unwrap();
    assert_eq!(shown(&world).await, ["sim", "project", "quick", "project"]);
}

#[tokio::test]
async fn an_agent_that_there_is_not_is_refused_with_those_there_are() {
    let world = World::new().await;
    let asked = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p", "coder": "nobody" });
    let mut refused = vec![update(&world, json!({ "agent": "nobody" })).await.unwrap_err()];
    refused.push(project(&world, json!({ "executor": "nobody" })).await.unwrap_err());
    refused.push(world.fleet.json(&world.lead, "mission_create", asked).await.unwrap_err());
    let asked = json!({ "mission": world.mission, "agent": "nobody" });
    refused.push(world.fleet.json(&world.lead, "mission_dispatch", asked).await.unwrap_err());
    for error in refused {
        assert_eq!(error.code, Code::AGENT_UNKNOWN);
        assert!(error.hints[0].contains("claude, "), "{:?}", error.hints);
    }
    assert_eq!(shown(&world).await[1], "config");
    let near = update(&world, json!({ "agent": "cluade" })).await.unwrap_err();
    assert!(near.message.ends_with("did you mean `claude`?"), "{}", near.message);
}

#[tokio::test]
async fn a_model_that_an_agent_is_known_not_to_have_is_refused_with_the_nearest() {
    let world = World::new().await;
    let new = |more: Value| {
        let mut input = json!({ "project_id": world.project, "title": "t", "detailed_prompt": "p" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let mut refused = vec![update(&world, json!({ "model": "opsu" })).await.unwrap_err()];
    refused.push(project(&world, json!({ "model": "opsu" })).await.unwrap_err());
    refused.push(world.fleet.json(&world.lead, "mission_create", new(json!({ "model": "opsu" }))).await.unwrap_err());
    let asked = json!({ "mission": world.mission, "model": "opsu" });
    refused.push(world.fleet.json(&world.lead, "mission_dispatch", asked).await.unwrap_err());
    for error in refused {
        assert_eq!(error.code, Code::FIELDS_INVALID);
        assert!(error.message.ends_with("did you mean `opus`?"), "{}", error.message);
    }
    for more in [
        json!({ "model": "claude-next-9" }),
        json!({ "model": "anything", "agent": "codex" }),
        json!({ "model": "anything", "agent": "sim" }),
    ] {
        world.fleet.json(&world.lead, "mission_create", new(more)).await.unwrap();
    }
}

#[tokio::test]
async fn a_budget_in_dollars_for_an_agent_without_prices_is_refused_when_it_is_dispatched() {
    let world = World::new().await;
    let priced = |prices| {
        let setup = agents::Setup { prices, ..agents::Setup::default() };
        move |settings: &mut config::Settings| {
            settings.agents = std::sync::Arc::new([("codex".to_owned(), setup)].into());
        }
    };
    let asked = json!({ "mission": world.mission, "agent": "codex", "max_budget_usd": 1.0 });
    let refused = world.fleet.json(&world.lead, "mission_dispatch", asked.clone()).await.unwrap_err();
    assert_eq!(refused.code, Code::AGENT_INCAPABLE, "{refused:?}");
    assert!(refused.hints[0].contains("agents.codex.prices.*.input=DOLLARS"), "{:?}", refused.hints);
    let price = agents::Price { input: 1.0, output: 2.0, cache_read: None, cache_write: None };
    world.fleet.set(priced([("*".to_owned(), price)].into()));
    let other = world.fleet.json(&world.lead, "mission_dispatch", asked).await.unwrap_err();
    assert_ne!(other.code, Code::AGENT_INCAPABLE, "with prices it gets as far as the folder: {other:?}");
}

#[tokio::test]
async fn words_that_name_two_agents_are_refused_wherever_they_stand() {
    let world = World::new().await;
    let two = |rest: Value| {
        let mut input = json!({ "agent": "claude", "coder": "sim" });
        input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        input
    };
    for (name, rest) in [
        ("mission_update", json!({ "mission": world.mission })),
        ("mission_dispatch", json!({ "mission": world.mission })),
        ("project_update", json!({ "project": world.project })),
        ("create_mission", json!({ "project_id": world.project, "title": "t", "prompt": "p" })),
        ("dispatch_mission", json!({ "mission_id": world.mission })),
        ("worker_spawn", json!({ "handle": "scout-2" })),
        ("team_spawn", json!({ "handle": "scout-2" })),
        ("lineage_create", json!({ "handle": "scout-2" })),
    ] {
        let refused = world.fleet.json(&world.lead, name, two(rest)).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{name}: {refused:?}");
        assert!(refused.message.contains("`agent` and `coder`"), "{name}: {}", refused.message);
    }
}

#[tokio::test]
async fn a_dispatch_does_not_overrule_the_agent_that_a_mission_names() {
    let world = World::new().await;
    update(&world, json!({ "agent": "claude" })).await.unwrap();
    let asked = json!({ "mission": world.mission, "agent": "sim" });
    let refused = world.fleet.json(&world.lead, "mission_dispatch", asked).await.unwrap_err();
    assert_eq!(refused.code, Code::FIELDS_INVALID);
    assert!(refused.hints.concat().contains("fleet mission update"));
}

#[tokio::test]
async fn models_and_short_names_of_the_settings_are_listed_after_those_that_clients_know() {
    let world = World::new().await;
    let setup = agents::Setup {
        model: Some("gpt-5.5".to_owned()),
        aliases: [("quick".to_owned(), "gpt-5.5-mini".to_owned())].into(),
        ..agents::Setup::default()
    };
    world.fleet.set(move |settings| settings.agents = std::sync::Arc::new([("codex".to_owned(), setup)].into()));
    let models = world.fleet.json(&world.lead, "config_models", json!({})).await.unwrap();
    let models: Vec<&str> = models.as_array().unwrap().iter().map(|model| model.as_str().unwrap()).collect();
    assert_eq!(models[3..], ["gpt-5.5", "gpt-5.5-mini", "quick"]);
    assert_eq!(models[0], "claude-opus-4-6");
}

#[tokio::test]
async fn the_context_mode_is_refused_while_its_program_is_not_there() {
    let world = World::new().await;
    let asked = json!({ "mission": world.mission, "context_mode": true });
    let refused = world.fleet.json(&world.lead, "mission_dispatch", asked).await.unwrap_err();
    assert_eq!(refused.code, Code::FIELDS_INVALID);
    assert!(refused.message.contains("no program `context-mode`"), "{}", refused.message);
}
