//! Following sub-missions: the status is true, and an agent that waits blocks no other.

use serde_json::json;
use types::{MissionId, Reason, Report, Verdict};

use crate::at_work::{With, at_work};
use crate::sub_missions::{Scene, keys};

#[tokio::test]
async fn an_agent_that_waits_for_its_sub_missions_lends_one_of_them_its_place_in_a_full_fleet() {
    let scene = Scene::new().await;
    scene.fleet.set(|settings| settings.max_workers = 1);
    let other =
        json!(scene.fleet.mission(&scene.lead, &scene.project, json!({ "auto_dispatch": true, "priority": 9 })).await);
    let made = scene.hand_on(json!({})).await.unwrap();
    assert!(scene.why(&made["id"]).await.contains("slot"), "its parent has the only one");
    let told = scene.status().await;
    assert_eq!(told[0]["why"], "It starts now.", "{told:#}");
    assert_eq!(scene.why(&made["id"]).await, "It starts now.");
    assert!(scene.why(&other).await.contains("slot"), "nobody waits for this one, however urgent it is");

    let (_, child) = at_work(&scene.fleet, made["id"].as_str().unwrap(), With::default()).await;
    let second = scene.hand_on(json!({ "title": "Add discounts" })).await.unwrap();
    scene.status().await;
    // Sessions that others run have a place however many there are, so here both count, and one is still to lend.
    assert_eq!(scene.why(&second["id"]).await, "It starts now.");
    let who = "lead".parse().unwrap();
    scene.fleet.service.sessions().stop(&scene.session, &who).await.unwrap();
    assert!(scene.why(&second["id"]).await.contains("slot"), "the lender is gone");
    scene.fleet.service.sessions().stop(&child, &who).await.unwrap();
    assert_eq!(scene.why(&other).await, "It starts now.");
}

#[tokio::test]
async fn waiting_for_a_sub_mission_lends_it_the_place_too() {
    let scene = Scene::new().await;
    scene.fleet.set(|settings| settings.max_workers = 1);
    let made = scene.hand_on(json!({})).await.unwrap();
    let waits = json!({ "mission_id": made["id"], "timeout_seconds": 600 });
    let waiting = scene.fleet.json(&scene.agent, "wait_for_mission", waits);
    let done = async {
        while scene.why(&made["id"]).await != "It starts now." {
            tokio::task::yield_now().await;
        }
        let end = json!({ "mission": made["id"], "status": "cancelled" });
        scene.fleet.json(&scene.lead, "mission_update", end).await.unwrap();
    };
    let (waited, ()) = tokio::join!(waiting, done);
    assert_eq!(waited.unwrap()["status"], "cancelled");
}

#[tokio::test]
async fn where_a_sub_mission_stands_is_told_by_what_fleet_saw_and_not_by_what_was_said() {
    let scene = Scene::new().await;
    assert_eq!(scene.status().await, json!([]));
    let made = scene.hand_on(json!({})).await.unwrap();
    let id: MissionId = made["id"].as_str().unwrap().parse().unwrap();
    let told = scene.status().await;
    assert_eq!(keys(&told[0]), ["id", "title", "status", "type", "why"]);
    let (at, verdict) = (scene.fleet.clock.now(), Some(Verdict::NotDone(vec![Reason::NothingChanged])));
    scene.fleet.insert(&Report { verdict, ..testkit::report(id.clone(), at) }).await;
    scene.fleet.insert(&testkit::landing(id, at)).await;
    let failed = json!({ "mission": made["id"], "status": "failed" });
    scene.fleet.json(&scene.lead, "mission_update", failed).await.unwrap();
    let told = scene.status().await[0].clone();
    let expected = (&json!("failed"), &json!("not_done"), &json!(["the commits change no file"]), &json!("queued"));
    assert_eq!((&told["status"], &told["verdict"], &told["reasons"], &told["landing"]), expected, "{told:#}");
    assert!(told["why"].as_str().unwrap().contains("gave it up"), "{told:#}");
}
