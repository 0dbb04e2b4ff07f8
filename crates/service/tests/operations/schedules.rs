//! Schedules as they are set and shown; `recurrence` has the tests of what runs when.

use api::Code;
use serde_json::json;

use crate::site::{Relation, Scene};
use crate::world::World;

#[tokio::test]
async fn a_schedule_is_shown_with_its_next_time_and_switched_off_without_losing_its_expression() {
    let world = World::new().await;
    let said =
        json!({ "mission": world.mission, "cron": "30 2 * * *", "time_zone": "Europe/Berlin", "catch_up": "once" });
    let set = world.fleet.json(&world.lead, "schedule_set", said).await.unwrap();
    // The test's clock shows 03:04 UTC, which is past half past two in Berlin.
    assert_eq!((&set["ok"], &set["next_run_at"]), (&json!(true), &json!("2026-01-03T01:30:00.000Z")));
    world.fleet.json(&world.lead, "schedule_remove", json!({ "mission": world.mission })).await.unwrap();
    let [row] =
        &world.fleet.json(&world.lead, "schedule_list", json!({})).await.unwrap().as_array().unwrap().clone()[..]
    else {
        panic!("not one")
    };
    assert_eq!(
        (&row["schedule_cron"], &row["schedule_enabled"], &row["next_run_at"]),
        (&json!("30 2 * * *"), &json!(0), &json!(null))
    );
    assert_eq!(
        (&row["time_zone"], &row["catch_up"], &row["overlap"]),
        (&json!("Europe/Berlin"), &json!("once"), &json!("skip"))
    );
}

#[tokio::test]
async fn a_time_zone_that_does_not_exist_is_refused() {
    let world = World::new().await;
    let said = json!({ "mission": world.mission, "cron": "30 2 * * *", "time_zone": "Mars/Olympus" });
    let refused = world.fleet.send(&world.lead, "schedule_set", said).await.unwrap_err();
    assert!(refused.message.contains("`Mars/Olympus` is not a time zone"), "{refused}");
}

/// What an agent schedules would run, and spend, for ever. The control is a lead that does the same.
#[tokio::test]
async fn no_agent_schedules_its_mission_or_one_that_it_handed_on() {
    let scene = Scene::new().await;
    for relation in [Relation::Own, Relation::Below] {
        let mission = &scene.site(relation).mission;
        for (name, said) in [
            ("schedule_set", json!({ "mission": mission, "cron": "* * * * *" })),
            ("mission_update", json!({ "mission": mission, "schedule_cron": "* * * * *" })),
        ] {
            let refused = scene.fleet.send(&scene.agent, name, said.clone()).await.unwrap_err();
            assert!([Code::ROLE_REFUSED, Code::NOT_A_MEMBER].contains(&refused.code), "{name}: {refused:?}");
            let row = scene.fleet.json(&scene.lead, "mission_get", json!({ "mission": mission })).await.unwrap();
            assert_eq!(row["schedule_cron"], json!(null), "{name}");
            scene.fleet.send(&scene.lead, name, said).await.unwrap();
            scene
                .fleet
                .send(&scene.lead, "mission_update", json!({ "mission": mission, "schedule_cron": "" }))
                .await
                .unwrap();
        }
    }
}
