//! Changing a mission: what a PUT leaves alone, what it toggles, and what it never does.

use std::time::Duration;

use api::Code;
use serde_json::{Value, json};

use crate::world::World;

async fn put(world: &World, more: Value) -> Result<Value, api::Error> {
    let mut input = json!({ "mission": world.mission });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    world.fleet.json(&world.lead, "mission_update", input).await
}

async fn row(world: &World) -> Value {
    put(world, json!({})).await.unwrap()
}

#[tokio::test]
async fn an_empty_put_a_null_and_a_value_that_is_there_change_nothing_not_even_the_time() {
    let world = World::new().await;
    put(&world, json!({ "max_turns": 4, "model": "opus" })).await.unwrap();
    let (before, position) = (row(&world).await, world.fleet.position());
    world.fleet.clock.advance(Duration::from_secs(60));
    for same in [
        json!({}),
        json!({ "max_turns": null, "model": null, "title": null, "status": null, "tags": null }),
        json!({ "max_turns": 4, "model": "opus", "tags": ["hush", "hush"], "status": "draft", "auto_dispatch": false }),
    ] {
        assert_eq!(put(&world, same.clone()).await, Ok(before.clone()), "{same}");
    }
    assert_eq!(world.fleet.position(), position);
}

#[tokio::test]
async fn a_put_changes_the_fields_it_names_and_the_time_and_nothing_else() {
    let world = World::new().await;
    let changes = [
        ("title", json!("New"), json!("New")),
        ("detailed_prompt", json!("Otherwise."), json!("Otherwise.")),
        ("acceptance_criteria", json!("Green."), json!("Green.")),
        ("priority", json!(-5), json!(-5)),
        ("tags", json!(["x", "y"]), json!(r#"["x","y"]"#)),
        ("model", json!("sonnet"), json!("sonnet")),
        ("max_turns", json!(9), json!(9)),
        ("max_budget_usd", json!(0.25), json!(0.25)),
        ("allowed_tools", json!("review"), json!("review")),
        ("mission_type", json!("review"), json!("review")),
        ("callback_url", json!("http://127.0.0.1"), json!("http://127.0.0.1")),
        ("max_retries", json!(7), json!(7)),
        ("auto_retry", json!(false), json!(0)),
    ];
    for (field, given, shown) in changes {
        let mut expected = row(&world).await;
        world.fleet.clock.advance(Duration::from_secs(1));
        let after = put(&world, json!({ field: given })).await.unwrap();
        expected[field] = shown;
        if field == "model" {
            expected["model_source"] = json!("mission");
        }
        expected["updated_at"] = after["updated_at"].clone();
        assert_eq!(after, expected, "{field}");
        let now = world.fleet.clock.now().strftime("%Y-%m-%d %H:%M:%S").to_string();
        assert_eq!(after["updated_at"], now, "{field}");
    }
}

#[tokio::test]
async fn switching_the_automatic_start_on_queues_a_draft_and_off_makes_it_one_again() {
    let world = World::new().await;
    for (on, flag, status) in [(true, 1, "queued"), (true, 1, "queued"), (false, 0, "draft")] {
        let row = put(&world, json!({ "auto_dispatch": on })).await.unwrap();
        assert_eq!((&row["auto_dispatch"], &row["status"]), (&json!(flag), &json!(status)));
    }
}

#[tokio::test]
async fn switching_the_automatic_start_does_not_bring_back_what_has_ended() {
    let world = World::new().await;
    for ended in ["completed", "failed", "cancelled"] {
        put(&world, json!({ "status": ended })).await.unwrap();
        for on in [true, false] {
            let row = put(&world, json!({ "auto_dispatch": on })).await.unwrap();
            assert_eq!(row["status"], ended, "{on}");
        }
    }
}

#[tokio::test]
async fn every_status_but_running_can_be_set_and_no_other_word_is_one() {
    let world = World::new().await;
    for status in ["queued", "draft", "completed", "failed", "cancelled", "draft"] {
        assert_eq!(put(&world, json!({ "status": status })).await.unwrap()["status"], status);
    }
    let before = world.fleet.position();
    let running = put(&world, json!({ "status": "running" })).await.unwrap_err();
    assert_eq!(running.code, Code::MISSION_STATE_REFUSED);
    for word in ["banana", "", "Draft", "in_progress", "held"] {
        assert_eq!(put(&world, json!({ "status": word })).await.unwrap_err().code, Code::FIELDS_INVALID, "{word}");
    }
    assert_eq!(world.fleet.position(), before);
}

#[tokio::test]
async fn a_refused_status_leaves_the_other_fields_of_the_same_put_alone_too() {
    let world = World::new().await;
    let before = row(&world).await;
    put(&world, json!({ "title": "New", "priority": 9, "status": "running" })).await.unwrap_err();
    assert_eq!(row(&world).await, before);
}

#[tokio::test]
async fn a_schedule_that_would_never_run_is_refused() {
    let world = World::new().await;
    for cron in ["* * * *", "61 * * * *", "0 0 30 2 *", "tomorrow"] {
        let refused = put(&world, json!({ "schedule_cron": cron })).await.unwrap_err();
        assert_eq!(refused.code, Code::FIELDS_INVALID, "{refused:?}");
        assert!(refused.message.starts_with("schedule_cron: "), "{refused:?}");
    }
    let row = put(&world, json!({ "schedule_cron": "0 3 * * *" })).await.unwrap();
    assert_eq!((&row["schedule_cron"], &row["schedule_enabled"]), (&json!("0 3 * * *"), &json!(1)));
    let row = put(&world, json!({ "schedule_cron": "", "schedule_enabled": true })).await.unwrap();
    assert_eq!((&row["schedule_cron"], &row["schedule_enabled"]), (&json!(null), &json!(0)));
}

#[tokio::test]
async fn a_mistyped_kind_or_preset_is_refused_with_the_one_that_was_meant() {
    let world = World::new().await;
    for (given, meant) in [
        (json!({ "mission_type": "reveiw" }), "`reveiw` does not exist; did you mean `review`?"),
        (json!({ "allowed_tools": "explor" }), "did you mean `explore`?"),
    ] {
        let refused = put(&world, given.clone()).await.unwrap_err();
        assert!(refused.message.contains(meant), "{given}: {refused:?}");
        let new = json!({ "project_id": world.project, "title": "A", "detailed_prompt": "Do it." });
        let new: serde_json::Map<_, _> =
            new.as_object().unwrap().clone().into_iter().chain(given.as_object().unwrap().clone()).collect();
        let refused = world.fleet.json(&world.lead, "mission_create", new.into()).await.unwrap_err();
        assert!(refused.message.contains(meant), "{given}: {refused:?}");
    }
}

#[tokio::test]
async fn a_mission_tells_what_happened_to_it_newest_first() {
    let world = World::new().await;
    world.fleet.clock.advance(Duration::from_secs(1));
    put(&world, json!({ "title": "New", "status": "queued" })).await.unwrap();
    put(&world, json!({ "status": "failed" })).await.unwrap();
    let events = world.fleet.json(&world.lead, "mission_events", json!({ "mission": world.mission })).await.unwrap();
    let events = events.as_array().unwrap();
    let told: Vec<_> =
        events.iter().map(|event| (event["event_type"].as_str().unwrap(), event["data"].as_str().unwrap())).collect();
    let expected = [
        ("moved", r#"{"from":"ready","to":"failed"}"#),
        ("moved", r#"{"from":"draft","to":"ready"}"#),
        ("updated", "{}"),
        ("created", "{}"),
    ];
    assert_eq!(told, expected);
    let keys: Vec<_> = events[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["id", "mission_id", "event_type", "source_mission_id", "data", "created_at"]);
    let limited = json!({ "mission": world.mission, "limit": 2 });
    assert_eq!(world.fleet.json(&world.lead, "mission_events", limited).await.unwrap(), json!(events[..2]));
    assert_eq!(world.fleet.json(&world.lead, "mission_events", json!({ "mission": "m-22222" })).await, Ok(json!([])));
}
