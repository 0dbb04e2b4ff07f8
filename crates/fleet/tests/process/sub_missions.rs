//! The real Claude Code hands work on and waits for it, in a fleet with a place for one agent alone.

use api::devfleet::{GetMission, MissionStatus};
use serde_json::{Value, json};
use testkit::model::{Answer, Hold, Script, Turn, When};
use testkit::{PATIENCE, Server};
use types::MissionId;

use crate::claude::{Scene, frames, write_a_greeting};

const STATUS: &str = "mcp__fleet__get_sub_mission_status";

fn parent(answer: Answer) -> Turn {
    Turn::from(answer).when(When::said("Split the work."))
}

fn child(turn: Turn) -> Turn {
    turn.when(When::said("Write a greeting into hello.txt."))
}

/// Waits until a mission is done.
async fn done(server: &Server, mission: &MissionId) {
    let owner = server.owner();
    let wait = async {
        loop {
            let wait = api::devfleet::WaitForMission { mission: mission.clone(), timeout_seconds: 60 };
            let found = owner.call(wait).await.unwrap().output;
            match found.mission.status {
                MissionStatus::Completed => return,
                MissionStatus::Draft | MissionStatus::Queued | MissionStatus::Running => {}
                MissionStatus::Failed | MissionStatus::Cancelled => panic!("{found:#?}"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.expect("it does not get done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_waits_for_its_sub_mission_does_not_keep_it_from_the_only_place_there_is() {
    let hold = Hold::new();
    let handed = json!({ "title": "Greet", "detailed_prompt": "Write a greeting into hello.txt." });
    let script = Script::new()
        .then(parent(Answer::new().call_as("toolu_hand", "mcp__fleet__create_sub_mission", handed.clone())))
        // As after an answer that was lost.
        .then(parent(Answer::new().call_as("toolu_again", "mcp__fleet__create_sub_mission", handed)))
        .then(parent(Answer::new().call_as("toolu_early", STATUS, json!({}))))
        .then(parent(Answer::new().call_as("toolu_late", STATUS, json!({})).held(&hold)))
        .then(parent(Answer::new().text("All of it is done.")))
        .then(child(write_a_greeting()))
        .then(child(Answer::new().text("I greeted.").into()));
    let (scene, server) = Scene::with(script, &[("MAX_WORKERS", "1")]).await;
    let (mission, session) = scene.dispatch(&server, "Split the work.").await;

    hold.reached().await;
    let stated = server.owner().call(GetMission { mission: mission.clone() }).await.unwrap().output;
    assert_eq!(stated.children.len(), 1, "{:#?}", stated.children);
    let sub_mission = stated.children[0].id.clone();
    // Its parent sits in its place still, and waits for an answer of the model.
    done(&server, &sub_mission).await;
    let held = server.owner().call(GetMission { mission: mission.clone() }).await.unwrap().output;
    assert_eq!(held.mission.status, MissionStatus::Running);
    hold.release();
    frames(&server, &session).await;

    let last = scene.model().requests().pop().unwrap();
    let told = |call: &str| -> Value {
        let text = last.results().get(call).unwrap_or_else(|| panic!("{call} was not answered: {:#?}", last.results()));
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{call}: {error}: {text}"))
    };
    assert_eq!(told("toolu_hand")["id"], json!(sub_mission));
    assert_eq!(told("toolu_again")["id"], json!(sub_mission));
    let (early, late) = (told("toolu_early"), told("toolu_late"));
    assert_ne!(early["sub_missions"][0]["status"], "completed", "{early:#}");
    let stands = &late["sub_missions"][0];
    assert_eq!((&stands["status"], &stands["verdict"]), (&json!("completed"), &json!("done")), "{late:#}");
    scene.model().assert_done();
    let shown = server.owner().call(GetMission { mission: sub_mission }).await.unwrap().output;
    assert_eq!(shown.mission.parent_mission_id, Some(mission));
    let branch = shown.sessions[0].branch.clone().unwrap();
    assert_eq!(scene.git(&["show", &format!("{branch}:hello.txt")]), "hello\n");
}
