//! Reports: who may write one, what is kept of it, and who is shown it.

use api::Code;
use serde_json::{Value, json};
use testkit::{fleet, known, owner};
use types::{Role, SessionId};

use crate::world::{SECRET, World};

fn said(done: &str, more: &Value) -> Value {
    let mut said = json!({
        "files_changed": "", "what_done": done, "what_open": "Taxes.", "what_tested": "", "what_untested": "None",
        "next_steps": "- Add taxes.\n- Ship it.", "errors_encountered": "",
    });
    said.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    said
}

#[tokio::test]
async fn an_agent_that_claimed_a_mission_reports_on_it_and_the_second_report_takes_the_place_of_the_first() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let scout = fleet.join("alpha", "scout-1", Role::Worker).await;
    let other = fleet.join("alpha", "scout-2", Role::Worker).await;
    let task = fleet.task(&lead, "scout-1", json!({ "subject": "Find it" })).await;
    let named = json!({ "mission_id": task });
    let early = fleet.json(&scout, "submit_report", said("Found it.", &named)).await.unwrap_err();
    assert_eq!(early.code, Code::MISSION_HELD, "nobody has begun yet");
    fleet.json(&scout, "task_update", json!({ "taskId": task, "status": "in_progress" })).await.unwrap();
    for done in ["Looked for it.", "Found it."] {
        let taken = fleet.json(&scout, "submit_report", said(done, &named)).await.unwrap();
        assert_eq!(taken["mission_id"], json!(task));
    }
    let refused = fleet.json(&other, "submit_report", said("I did it.", &named)).await.unwrap_err();
    assert_eq!(refused.code, Code::MISSION_HELD, "{refused:?}");
    let reports = fleet.json(&lead, "report_list", named.clone()).await.unwrap();
    let told: Vec<_> = reports.as_array().unwrap().iter().map(|row| (&row["what_done"], &row["verdict"])).collect();
    assert_eq!(told, [(&json!("Found it."), &json!("unseen"))], "{reports:#}");
    assert_eq!(reports[0]["session_id"], Value::Null);
    let read = fleet.json(&other, "get_report", named).await.unwrap();
    assert_eq!(read["what_done"], "Found it.");
}

#[tokio::test]
async fn what_a_session_submits_is_its_report_once_it_is_over() {
    let world = World::new().await;
    let mine = json!({});
    world.fleet.json(&world.worker, "submit_report", said("Looked.", &mine)).await.unwrap();
    world.fleet.json(&world.worker, "submit_report", said("Found it.", &mine)).await.unwrap();
    let before = world.fleet.json(&world.lead, "session_get", json!({ "session": world.session })).await.unwrap();
    assert_eq!(before["report"], Value::Null, "its work is not over");
    let id: SessionId = world.session.parse().unwrap();
    let mut live = world.fleet.service.sessions().watch(&id).unwrap();
    world.fleet.json(&world.lead, "worker_dismiss", json!({ "handle": "scout-1" })).await.unwrap();
    let _ = live.wait_for(|live| !live.session.state.is_live()).await;
    let after = world.fleet.json(&world.lead, "session_get", json!({ "session": world.session })).await.unwrap();
    assert_eq!(after["report"]["what_done"], "Found it.", "{after:#}");
    assert_eq!(after["report"]["source"], "submitted");
    let late = world.fleet.json(&world.worker, "submit_report", said("More.", &mine)).await.unwrap_err();
    assert_eq!(late.code, Code::SESSION_NOT_RUNNING, "{late:?}");
}

#[tokio::test]
async fn an_empty_report_is_none() {
    let world = World::new().await;
    let empty = json!({
        "files_changed": "", "what_done": " ", "what_open": "", "what_tested": "", "what_untested": "",
        "next_steps": "", "errors_encountered": "",
    });
    let refused = world.fleet.json(&world.worker, "submit_report", empty).await.unwrap_err();
    assert_eq!(refused.code, Code::FIELDS_INVALID, "{refused:?}");
}

#[tokio::test]
async fn every_door_shows_the_last_report_to_its_team_and_to_nobody_else() {
    let world = World::new().await;
    let (fleet, mission) = (&world.fleet, json!({ "mission": world.mission }));
    let tool = json!({ "mission_id": world.mission });
    let detail = fleet.json(&world.lead, "mission_get", mission.clone()).await.unwrap();
    let report = fleet.json(&world.lead, "mission_report", mission).await.unwrap();
    let context = fleet.json(&world.worker, "get_mission_context", tool.clone()).await.unwrap();
    let past = fleet.json(&world.worker, "read_past_reports", tool.clone()).await.unwrap();
    let waited = json!({ "mission_id": world.mission, "timeout_seconds": 1 });
    let waited = fleet.json(&world.lead, "wait_for_mission", waited).await.unwrap();
    let stats = fleet.json(&world.lead, "dashboard_stats", json!({})).await.unwrap();
    for (door, shown) in [
        ("mission_get", &detail["latest_report"]),
        ("mission_report", &report["report"]),
        ("get_mission_context", &context["latest_report"]),
        ("read_past_reports", &past["reports"][0]),
        ("wait_for_mission", &waited["report"]),
        ("dashboard_stats", &stats["recent_reports"][0]),
    ] {
        assert_eq!(shown["what_done"], SECRET, "{door}: {shown:#}");
    }
    let stranger = known("beta", "spy", Role::TeamLead);
    assert_eq!(fleet.json(&stranger, "report_list", tool.clone()).await.unwrap(), json!([]));
    let refused = fleet.json(&stranger, "report_get", json!({ "report": world.report })).await.unwrap_err();
    assert_eq!(refused.code, Code::REPORT_NOT_FOUND);
    assert_eq!(fleet.json(&owner(), "report_list", tool).await.unwrap().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_next_mission_is_a_draft_made_of_the_last_report() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let project = fleet.project(&lead, "shop").await;
    let first = json!({ "title": "Add a cart", "tags": ["cart"], "priority": 4, "mission_type": "fix" });
    let mission = fleet.mission(&lead, &project, first).await;
    let named = json!({ "mission": mission });
    let missing = fleet.json(&lead, "mission_generate_next", named.clone()).await.unwrap_err();
    assert_eq!(missing.code, Code::REPORT_MISSING);
    fleet.json(&lead, "task_update", json!({ "taskId": mission, "status": "in_progress" })).await.unwrap();
    let words = said("Added a cart.", &json!({ "mission_id": mission }));
    fleet.json(&lead, "submit_report", words).await.unwrap();
    let next = fleet.json(&lead, "mission_generate_next", named).await.unwrap();
    let told = (&next["title"], &next["status"], &next["priority"], &next["tags"], &next["mission_type"]);
    let expected = (&json!("Add taxes."), &json!("draft"), &json!(4), &json!("[\"cart\"]"), &json!("implement"));
    assert_eq!(told, expected, "{next:#}");
    assert_eq!(next["acceptance_criteria"], "Taxes.");
    assert!(next["detailed_prompt"].as_str().unwrap().contains("Added a cart."), "{next:#}");
}
