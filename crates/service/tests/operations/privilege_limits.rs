//! Callers without a leading role cannot grant more than they have: tools, ceilings, addresses.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::known;
use types::{Handle, Role, Session, SessionState};

use crate::world::World;

/// Lets a member be an agent that Fleet runs with these tools.
async fn runs(world: &World, handle: &str, tools: &[&str]) -> Caller {
    let store = world.fleet.service.store();
    let like = store.get::<Session>(&world.session.parse().unwrap()).await.unwrap().unwrap();
    let handle: Handle = handle.parse().unwrap();
    let mut order = like.order.clone();
    order.allowed_tools = Some(tools.iter().map(|tool| (*tool).to_owned()).collect());
    order.agent = "sim".to_owned();
    let state = SessionState::Running { since: like.created_at };
    let session = Session { id: "s-33333".parse().unwrap(), handle: handle.clone(), order, state, ..like };
    world.fleet.insert(&session).await;
    known("alpha", handle.as_str(), Role::Worker)
}

fn create(world: &World, more: Value) -> Value {
    let mut input = json!({ "project_id": world.project, "title": "A mission", "detailed_prompt": "Do it." });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

async fn refused(world: &World, caller: &Caller, name: &str, input: Value) {
    let position = world.fleet.position();
    let answer = world.fleet.json(caller, name, input.clone()).await;
    let Err(error) = answer else { panic!("{name} {input} was answered") };
    assert_eq!(error.code, Code::ROLE_REFUSED, "{name} {input}: {error}");
    assert_eq!(world.fleet.position(), position, "{name} {input} changed something");
}

async fn accepted(world: &World, caller: &Caller, name: &str, input: Value) {
    let answer = world.fleet.json(caller, name, input.clone()).await;
    answer.unwrap_or_else(|error| panic!("{name} {input}: {error}"));
}

#[tokio::test]
async fn a_worker_names_no_tools_that_it_does_not_have_and_a_lead_may() {
    let world = World::new().await;
    let reviewer = runs(&world, "reviewer", &["Read", "Grep", "Bash(git diff *)"]).await;
    for tools in ["implement", "full", "full-access", r#"["Write"]"#, r#"["Bash"]"#, r#"["Bash(git push *)"]"#] {
        let (made, changed) = (
            create(&world, json!({ "allowed_tools": tools })),
            json!({ "mission": world.mission, "allowed_tools": tools }),
        );
        refused(&world, &reviewer, "mission_create", made.clone()).await;
        refused(&world, &reviewer, "mission_update", changed.clone()).await;
        accepted(&world, &world.lead, "mission_create", made).await;
        accepted(&world, &world.lead, "mission_update", changed).await;
    }
    let own = r#"["Read","Bash(git diff *)"]"#;
    accepted(&world, &reviewer, "mission_create", create(&world, json!({ "allowed_tools": own }))).await;
}

#[tokio::test]
async fn a_worker_that_only_reads_starts_nobody_who_writes() {
    let world = World::new().await;
    let reviewer = runs(&world, "reviewer", &["Read", "Grep"]).await;
    // A draft is for a lead to start.
    accepted(&world, &reviewer, "mission_create", create(&world, json!({}))).await;
    refused(&world, &reviewer, "mission_create", create(&world, json!({ "auto_dispatch": true }))).await;
    let tool = json!({ "project_id": world.project, "title": "A", "prompt": "Do it.", "auto_dispatch": true });
    refused(&world, &reviewer, "create_mission", tool).await;
    refused(&world, &reviewer, "mission_update", json!({ "mission": world.mission, "auto_dispatch": true })).await;
    refused(&world, &reviewer, "mission_dispatch", json!({ "mission": world.mission })).await;
    refused(&world, &reviewer, "dispatch_mission", json!({ "mission_id": world.mission })).await;
    let named = json!({ "mission": world.mission, "tool_preset": "full-access" });
    refused(&world, &world.worker, "mission_dispatch", named).await;
    let narrower = json!({ "mission": world.mission, "tool_preset": "review" });
    let told = world.fleet.send(&world.worker, "mission_dispatch", narrower).await.unwrap_err();
    assert_eq!(told.code, Code::WORKSPACE_REFUSED, "it may: all that is missing is a repository");
}

#[tokio::test]
async fn a_worker_raises_no_ceiling_and_may_lower_it() {
    let world = World::new().await;
    let limits = json!({ "max_turns": 10, "max_budget_usd": 1.0, "max_tokens": 1000, "max_minutes": 5 });
    let mission = world.fleet.mission(&world.lead, &world.project, limits).await;
    let with = |more: Value| {
        let mut input = json!({ "mission": mission });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    for raised in [
        json!({ "max_turns": 11 }),
        json!({ "max_budget_usd": 1.5 }),
        json!({ "max_tokens": 1001 }),
        json!({ "max_minutes": 6 }),
    ] {
        refused(&world, &world.worker, "mission_update", with(raised)).await;
    }
    refused(&world, &world.worker, "mission_dispatch", with(json!({ "max_turns": 11 }))).await;
    refused(&world, &world.worker, "mission_dispatch", with(json!({ "max_budget_usd": 1.5 }))).await;
    accepted(&world, &world.worker, "mission_update", with(json!({ "max_turns": 9 }))).await;
    refused(&world, &world.worker, "mission_update", with(json!({ "max_turns": 10 }))).await;
    accepted(&world, &world.lead, "mission_update", with(json!({ "max_turns": 20 }))).await;
}

#[tokio::test]
async fn a_worker_only_narrows_what_agents_reach_and_says_nothing_for_a_project() {
    let world = World::new().await;
    let with = |more: &Value| {
        let mut input = json!({ "mission": world.mission });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        input
    };
    let project = json!({ "project": world.project, "sandbox": "required" });
    refused(&world, &world.worker, "project_update", project.clone()).await;
    accepted(&world, &world.lead, "project_update", project).await;
    for wider in [
        json!({ "sandbox": "off" }),
        json!({ "sandbox": "auto" }),
        json!({ "sandbox_network": "open" }),
        json!({ "sandbox_read": ["~/.ssh"] }),
        json!({ "sandbox_write": ["/srv"] }),
    ] {
        refused(&world, &world.worker, "mission_create", create(&world, wider.clone())).await;
        refused(&world, &world.worker, "mission_update", with(&wider)).await;
        refused(&world, &world.worker, "mission_dispatch", with(&wider)).await;
        accepted(&world, &world.lead, "mission_update", with(&wider)).await;
        let back = json!({
            "sandbox": "inherit", "sandbox_network": "inherit", "sandbox_read": [], "sandbox_write": [],
        });
        accepted(&world, &world.lead, "mission_update", with(&back)).await;
    }
    let narrower = json!({ "sandbox_network": "none", "sandbox_tcp_ports": [443] });
    accepted(&world, &world.worker, "mission_update", with(&narrower)).await;
    refused(&world, &world.worker, "mission_update", with(&json!({ "sandbox_network": "inherit" }))).await;
    let shown = world.fleet.json(&world.lead, "mission_get", json!({ "mission": world.mission })).await.unwrap();
    assert_eq!((&shown["sandbox_network"], &shown["sandbox_tcp_ports"]), (&json!("none"), &json!([443])));
}

#[tokio::test]
async fn what_holds_for_a_worker_holds_for_the_missions_it_states() {
    let world = World::new().await;
    let store = world.fleet.service.store();
    let like = store.get::<Session>(&world.session.parse().unwrap()).await.unwrap().unwrap();
    let handle: Handle = "shut-in".parse().unwrap();
    let mut order = like.order.clone();
    order.sandbox = types::SandboxRules { network: Some(types::NetworkWish::None), ..Default::default() };
    let state = SessionState::Running { since: like.created_at };
    let session = Session { id: "s-44444".parse().unwrap(), handle: handle.clone(), order, state, ..like };
    world.fleet.insert(&session).await;
    let caller = known("alpha", handle.as_str(), Role::Worker);
    let made = world.fleet.json(&caller, "mission_create", create(&world, json!({}))).await.unwrap();
    assert_eq!(made["sandbox_network"], "none", "{made}");
    let made = world.fleet.json(&world.lead, "mission_create", create(&world, json!({}))).await.unwrap();
    assert_eq!(made.get("sandbox_network"), None, "{made}");
}

#[tokio::test]
async fn a_worker_has_the_server_call_nobody_and_nobody_work_in_the_projects_own_folder() {
    let world = World::new().await;
    let url = json!({ "callback_url": "http://127.0.0.1/done" });
    refused(&world, &world.worker, "mission_create", create(&world, url.clone())).await;
    let mut change = url;
    change["mission"] = json!(world.mission);
    refused(&world, &world.worker, "mission_update", change.clone()).await;
    accepted(&world, &world.lead, "mission_update", change).await;
    refused(&world, &world.worker, "mission_dispatch", json!({ "mission": world.mission, "in_place": true })).await;
}

#[tokio::test]
async fn a_worker_reports_on_no_mission_but_its_own() {
    let world = World::new().await;
    let said = |mission: &str| {
        json!({
            "mission_id": mission, "files_changed": "", "what_done": "All of it.", "what_open": "", "what_tested": "",
            "what_untested": "", "next_steps": "", "errors_encountered": "",
        })
    };
    let (own, others) = (world.task.clone(), world.fleet.task(&world.lead, "lead", json!({})).await);
    let held = async |caller: &Caller, task: &str| {
        accepted(&world, caller, "task_update", json!({ "taskId": task, "status": "in_progress" })).await;
    };
    held(&world.worker, &own).await;
    held(&world.lead, &others).await;
    // An agent that Fleet does not run: the session of the world has its name, so another does.
    let stranger = world.fleet.join("alpha", "scout-2", Role::Worker).await;
    for mission in [&own, &others, &world.mission] {
        let position = world.fleet.position();
        let told = world.fleet.json(&stranger, "submit_report", said(mission)).await.unwrap_err();
        assert_eq!(told.code, Code::MISSION_HELD, "{told}");
        assert_eq!(world.fleet.position(), position);
    }
    for mission in [&others, &world.mission] {
        let told = world.fleet.json(&world.worker, "submit_report", said(mission)).await.unwrap_err();
        assert_eq!(told.code, Code::MISSION_HELD, "{told}");
    }
    accepted(&world, &world.worker, "submit_report", said(&own)).await;
    let reports = world.fleet.json(&world.lead, "report_list", json!({ "mission_id": others })).await.unwrap();
    assert_eq!(reports, json!([]));
}
