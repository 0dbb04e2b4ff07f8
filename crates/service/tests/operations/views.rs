//! The exact bytes of each view, for one example: keys in the contract's order, the own id first, compact.

use serde_json::json;
use testkit::{Fleet, fleet};
use types::Role;

/// Compares an answer with a text in which `@path`, `@p` and `@m1`… stand for what differs from run to run.
async fn assert_answer(
    fleet: &Fleet,
    call: (&fleet_service::Caller, &str, serde_json::Value),
    names: &[(&str, &str)],
    expected: &str,
) {
    let (caller, name, input) = call;
    let answer = fleet.send(caller, name, input).await.unwrap();
    let folder = fleet.folder();
    let mut expected = expected.replace("@path", folder.to_str().unwrap());
    for (stand_in, text) in names {
        expected = expected.replace(stand_in, text);
    }
    assert_eq!(std::str::from_utf8(&answer.body).unwrap(), expected, "{name}");
}

const PROJECT: &str = r#""id":"@p","name":"shop","path":"@path","description":"","system_prompt":"","state":"active","owner":"","start_date":"","target_end_date":"","parent_team":"","teams_channel_id":"","teams_channel_name":"","checks":[],"target_branch":null,"land":"auto","check_timeout_secs":null,"push":null,"pr":false,"created_at":"2026-01-02 03:04:05""#;

const PLAIN: &str = r#""id":"@m1","project_id":"@p","title":"Add a cart","detailed_prompt":"Add it.","acceptance_criteria":"","status":"draft","state":"draft","priority":0,"created_at":"2026-01-02 03:04:05","updated_at":"2026-01-02 03:04:05","tags":"[]","model":"default","model_source":"agent","max_turns":null,"max_budget_usd":null,"allowed_tools":"","mission_type":"implement","parent_mission_id":null,"depends_on":"[]","auto_dispatch":0,"schedule_cron":null,"schedule_enabled":0,"last_scheduled_at":null,"mission_number":1,"callback_url":"","max_retries":3,"auto_retry":1,"agent":"claude","agent_source":"config","project_name":"shop""#;

const FULL: &str = r#""id":"@m2","project_id":"@p","title":"Test the cart","detailed_prompt":"Test it.","acceptance_criteria":"It is tested.","status":"queued","state":"ready","priority":5,"created_at":"2026-01-02 03:04:15","updated_at":"2026-01-02 03:04:15","tags":"[\"cart\",\"test\"]","model":"claude-haiku-4-5-20251001","model_source":"mission","max_turns":30,"max_budget_usd":2.5,"allowed_tools":"test","mission_type":"test","parent_mission_id":"@m1","depends_on":"[\"@m1\"]","auto_dispatch":1,"schedule_cron":null,"schedule_enabled":0,"last_scheduled_at":null,"mission_number":2,"callback_url":"http://127.0.0.1/done","max_retries":0,"auto_retry":0,"agent":"claude","agent_source":"config","project_name":"shop""#;

/// Says everything that can be said about a mission.
fn full(project: &types::ProjectId, parent: &str) -> serde_json::Value {
    json!({
        "project_id": project, "title": "Test the cart", "detailed_prompt": "Test it.",
        "acceptance_criteria": "It is tested.", "priority": 5, "tags": ["cart", "test", "cart"],
        "model": "claude-haiku-4-5-20251001", "max_turns": 30, "max_budget_usd": 2.5, "allowed_tools": "test",
        "mission_type": "test", "parent_mission_id": parent, "depends_on": [parent], "auto_dispatch": true,
        "callback_url": "http://127.0.0.1/done", "max_retries": 0, "auto_retry": false,
    })
}

#[tokio::test]
async fn projects_and_missions_look_as_devfleet_has_them() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    let said = json!({ "name": "shop", "path": fleet.folder() });
    let said = fleet.json(&lead, "project_create", said).await.unwrap();
    let project: types::ProjectId = said["id"].as_str().unwrap().parse().unwrap();
    let said = json!({ "title": "Add a cart", "detailed_prompt": "Add it." });
    let plain = fleet.mission(&lead, &project, said).await;
    fleet.clock.advance(std::time::Duration::from_secs(10));
    let second = fleet.json(&lead, "mission_create", full(&project, &plain)).await.unwrap();
    let second = second["id"].as_str().unwrap();
    let names = [("@p", project.as_str()), ("@m1", plain.as_str()), ("@m2", second)];

    let mission = |id: &str| json!({ "mission": id });
    let child = r#"{"id":"@m2","title":"Test the cart","status":"queued","mission_type":"test"}"#;
    let around = r#""project_path":"@path","sessions":[],"latest_report":null"#;
    let expected = [
        (
            "project_list",
            json!({}),
            format!(r#"[{{{PROJECT},"mission_count":2,"running_count":0,"completed_count":0}}]"#),
        ),
        (
            "project_get",
            json!({ "project": project }),
            format!(r#"{{{PROJECT},"trusted":false,"missions":[{{{FULL}}},{{{PLAIN}}}]}}"#),
        ),
        ("project_update", json!({ "project": project }), format!("{{{PROJECT}}}")),
        ("mission_list", json!({}), format!("[{{{FULL}}},{{{PLAIN}}}]")),
        ("mission_get", mission(&plain), format!(r#"{{{PLAIN},{around},"children":[{child}]}}"#)),
        ("mission_get", mission(second), format!(r#"{{{FULL},{around},"children":[]}}"#)),
        ("mission_children", mission(&plain), format!("[{{{FULL}}}]")),
        ("mission_update", mission(second), format!("{{{FULL}}}")),
        ("mission_delete", mission(second), r#"{"ok":true}"#.to_owned()),
    ];
    for (name, input, expected) in expected {
        assert_answer(&fleet, (&lead, name, input), &names, &expected).await;
    }
}

#[tokio::test]
async fn tasks_and_agents_look_as_claude_fleet_has_them() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    fleet.join("alpha", "scout-1", Role::Worker).await;
    fleet.clock.advance(std::time::Duration::from_millis(1500));
    let first = fleet.task(&lead, "scout-1", json!({ "subject": "Find it" })).await;
    let task = fleet.task(&lead, "scout-1", json!({ "description": "All of it.", "blockedBy": [first] })).await;
    let names = [("@m1", first.as_str()), ("@m2", task.as_str())];
    let expected = r#"{"id":"@m2","teamName":"alpha","subject":"A task","description":"All of it.","ownerHandle":"scout-1","ownerUid":"17f0c74c5cc4254f255b4a92","createdByHandle":"lead","createdByUid":"2ca673d56ae6de09bdcdc4c9","status":"open","blockedBy":["@m1"],"createdAt":"2026-01-02T03:04:06.500Z","updatedAt":"2026-01-02T03:04:06.500Z"}"#;
    assert_answer(&fleet, (&lead, "task_get", json!({ "taskId": task })), &names, expected).await;
    let agents = r#"[{"uid":"2ca673d56ae6de09bdcdc4c9","handle":"lead","teamName":"alpha","agentType":"team-lead","createdAt":"2026-01-02T03:04:05.000Z","lastSeen":"2026-01-02T03:04:05.000Z"},{"uid":"17f0c74c5cc4254f255b4a92","handle":"scout-1","teamName":"alpha","agentType":"worker","createdAt":"2026-01-02T03:04:05.000Z","lastSeen":"2026-01-02T03:04:05.000Z"}]"#;
    assert_answer(&fleet, (&lead, "team_agents", json!({ "teamName": "alpha" })), &[], agents).await;
}

#[tokio::test]
async fn the_server_speaks_of_itself_as_claude_fleet_does() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    fleet.task(&lead, "lead", json!({})).await;
    fleet.clock.advance(std::time::Duration::from_secs(2));
    let health = r#"{"status":"ok","version":"1.2.3","persistence":"memory","dbPath":"fleet.db","agents":1,"chats":0,"messages":0,"workers":0}"#;
    assert_answer(&fleet, (&testkit::anonymous(), "health", json!({})), &[], health).await;
    let metrics = r#"{"uptime":2000,"workers":{"total":0,"healthy":0,"degraded":0,"unhealthy":0,"byState":{"starting":0,"ready":0,"working":0,"stopping":0,"stopped":0}},"tasks":{"total":1,"byStatus":{"open":1,"in_progress":0,"resolved":0,"blocked":0}},"agents":1,"chats":0,"messages":0,"restarts":{"total":0,"lastHour":0}}"#;
    assert_answer(&fleet, (&lead, "metrics", json!({})), &[], metrics).await;
    let status = r#"{"running_agents":0,"max_agents":5,"engine":"cli","mission_watcher":{"active":false,"poll_interval":5},"scheduler":{"active":false,"check_interval":60},"watcher_active":false,"scheduler_active":false,"scheduled_missions":0}"#;
    assert_answer(&fleet, (&lead, "system_status", json!({})), &[], status).await;
}

#[tokio::test]
async fn the_catalogue_is_word_for_word_that_of_devfleet() {
    let fleet = fleet().await;
    let lead = fleet.join("alpha", "lead", Role::TeamLead).await;
    for (name, expected) in [
        ("config_models", r#"["claude-opus-4-6","claude-sonnet-4-6","claude-haiku-4-5-20251001"]"#),
        ("config_mission_types", r#"["full","implement","review","test","explore","fix"]"#),
        ("config_engine", r#"{"engine":"cli","sdk_available":false}"#),
        ("system_features", r#"{"remote_control":false}"#),
    ] {
        assert_answer(&fleet, (&lead, name, json!({})), &[], expected).await;
    }
}
