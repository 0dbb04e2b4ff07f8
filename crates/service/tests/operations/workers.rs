//! Workers by name: how they are shown, who may start, tell and end them, and what is refused before anything happens.

use api::Code;
use fleet_service::Caller;
use serde_json::{Value, json};
use testkit::{Fleet, fleet, known, owner};
use types::{Role, SessionId};

fn lead() -> Caller {
    known("alpha", "lead", Role::TeamLead)
}

/// Adds a worker that others run: it needs no process.
async fn register(fleet: &Fleet, caller: &Caller, handle: &str) -> Value {
    fleet.json(caller, "worker_register", json!({ "handle": handle })).await.unwrap()
}

async fn report(fleet: &Fleet, events: Value) {
    let input = json!({ "handle": "scout", "events": events });
    fleet.json(&lead(), "worker_report", input).await.unwrap();
}

fn result(input: u64, output: u64, dollars: f64) -> Value {
    json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "All done.", "session_id": "c-1",
        "total_cost_usd": dollars, "num_turns": 1, "usage": { "input_tokens": input, "output_tokens": output },
        "modelUsage": { "m": {
            "inputTokens": input, "outputTokens": output, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0,
            "costUSD": dollars,
        } },
    })
}

async fn code(fleet: &Fleet, caller: &Caller, name: &str, input: Value) -> Code {
    fleet.json(caller, name, input).await.unwrap_err().code
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_worker_that_others_run_is_shown_as_clients_know_it() {
    let fleet = fleet().await;
    let spawned = register(&fleet, &lead(), "scout").await;
    assert_eq!((&spawned["state"], &spawned["spawnMode"]), (&json!("ready"), &json!("external")));
    assert_eq!(spawned["teamName"], "alpha");
    assert_eq!(spawned["spawnedAt"], testkit::START.as_millisecond());
    assert_eq!(register(&fleet, &lead(), "scout").await["id"], spawned["id"]);

    let workers = fleet.json(&lead(), "worker_list", json!({})).await.unwrap();
    let contract = [
        "id",
        "handle",
        "teamName",
        "state",
        "health",
        "workingDir",
        "sessionId",
        "spawnedAt",
        "currentTaskId",
        "restartCount",
        "spawnMode",
        "swarmId",
        "depthLevel",
    ];
    assert_eq!(keys(&workers[0])[..contract.len()], contract);
    assert_eq!((&workers[0]["id"], &workers[0]["health"]), (&spawned["id"], &json!("healthy")));
    assert_eq!(workers.as_array().unwrap().len(), 1);
    assert_eq!(workers[0]["depthLevel"], 1, "the lead is above it");
}

#[tokio::test]
async fn what_is_reported_is_shown_in_order_and_also_after_the_end() {
    let fleet = fleet().await;
    let session = register(&fleet, &lead(), "scout").await["id"].clone();
    let lines: Vec<Value> = (0..150).map(|number| json!({ "type": "progress", "number": number })).collect();
    report(&fleet, json!(lines)).await;
    let one = json!({ "handle": "scout", "event": { "type": "last" } });
    let taken = fleet.json(&lead(), "worker_report", one).await.unwrap();
    assert_eq!(taken, json!({ "success": true, "count": 1 }));

    let shown = fleet.json(&lead(), "worker_output", json!({ "handle": "scout" })).await.unwrap();
    let expected: Vec<String> = (51..150)
        .map(|number| json!({ "type": "progress", "number": number }).to_string())
        .chain([json!({ "type": "last" }).to_string()])
        .collect();
    assert_eq!(shown["output"], json!(expected));
    assert_eq!((&shown["handle"], &shown["state"]), (&json!("scout"), &json!("ready")));

    let done = fleet.json(&lead(), "worker_dismiss", json!({ "handle": "scout" })).await.unwrap();
    assert_eq!(done, json!({ "success": true, "handle": "scout" }));
    assert_eq!(fleet.json(&lead(), "worker_list", json!({})).await.unwrap(), json!([]));
    let after = fleet.json(&lead(), "worker_output", json!({ "handle": "scout" })).await.unwrap();
    assert_eq!((&after["output"], &after["state"]), (&shown["output"], &json!("stopped")));
    assert_eq!(after["session"], session);
}

#[tokio::test]
async fn a_name_is_free_again_when_its_worker_is_gone() {
    let fleet = fleet().await;
    let first = register(&fleet, &lead(), "scout").await;
    fleet.json(&lead(), "worker_dismiss", json!({ "handle": "scout" })).await.unwrap();
    let second = register(&fleet, &lead(), "scout").await;
    assert_ne!(first["id"], second["id"]);
    let sessions = fleet.json(&lead(), "lineage_worker", json!({ "handle": "scout" })).await.unwrap();
    assert_eq!(sessions.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn what_is_not_there_is_said_so() {
    let fleet = fleet().await;
    let nobody = json!({ "handle": "nobody" });
    for name in ["worker_output", "worker_dismiss", "worker_worktree_status", "worker_worktree_push"] {
        assert_eq!(code(&fleet, &lead(), name, nobody.clone()).await, Code::WORKER_NOT_FOUND, "{name}");
    }
    let told = fleet.json(&lead(), "worker_send", json!({ "handle": "nobody", "message": "hi" })).await.unwrap_err();
    assert_eq!(told.message, "Worker 'nobody' not found or stopped");
    let event = json!({ "handle": "nobody", "event": {} });
    assert_eq!(code(&fleet, &lead(), "worker_report", event).await, Code::WORKER_NOT_FOUND);
    register(&fleet, &lead(), "scout").await;
    let nothing = fleet.json(&lead(), "worker_report", json!({ "handle": "scout" })).await.unwrap_err();
    assert_eq!((nothing.code, nothing.message.as_str()), (Code::FIELDS_INVALID, "event or events is required"));
}

#[tokio::test]
async fn a_message_to_a_worker_that_cannot_be_told_anything_is_no_success() {
    let fleet = fleet().await;
    register(&fleet, &lead(), "scout").await;
    let input = json!({ "handle": "scout", "message": "hi" });
    assert_eq!(code(&fleet, &lead(), "worker_send", input).await, Code::AGENT_INCAPABLE);
}

#[tokio::test]
async fn a_worker_that_cannot_be_kept_apart_is_refused_before_anything_is_stored() {
    let fleet = fleet().await;
    let before = fleet.position();
    let refused = fleet.json(&lead(), "worker_spawn", json!({ "handle": "scout" })).await.unwrap_err();
    assert_eq!((refused.code, refused.status(api::Dialect::ClaudeFleet)), (Code::WORKSPACE_REFUSED, 400));
    assert!(refused.hints[0].contains("inPlace"), "{:?}", refused.hints);
    for (more, expected) in [
        (json!({ "workingDir": "relative" }), Code::WORKSPACE_REFUSED),
        (json!({ "inPlace": true, "workingDir": "/no/such/folder" }), Code::WORKSPACE_REFUSED),
        (json!({ "inPlace": true, "agent": "nobody" }), Code::AGENT_UNKNOWN),
        (json!({ "inPlace": true, "agent": "external" }), Code::AGENT_UNKNOWN),
        (json!({ "inPlace": true, "preset": "nothing" }), Code::FIELDS_INVALID),
        (json!({ "inPlace": true, "depthLevel": 11 }), Code::FIELDS_INVALID),
        (json!({ "inPlace": true, "spawnMode": "magic" }), Code::FIELDS_INVALID),
        (json!({ "inPlace": true, "teamName": "beta" }), Code::NOT_A_MEMBER),
    ] {
        let mut input = json!({ "handle": "scout" });
        input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(code(&fleet, &lead(), "worker_spawn", input).await, expected, "{more}");
    }
    assert_eq!(fleet.position(), before);
}

#[tokio::test]
async fn workers_of_others_take_places_and_are_never_refused_one() {
    let fleet = fleet().await;
    fleet.set(|settings| settings.max_workers = 1);
    register(&fleet, &lead(), "one").await;
    register(&fleet, &lead(), "two").await;
    fleet.install("claude");
    let input = json!({ "handle": "three", "agent": "claude", "inPlace": true });
    let refused = fleet.json(&lead(), "worker_spawn", input).await.unwrap_err();
    assert_eq!((refused.code, refused.status(api::Dialect::ClaudeFleet)), (Code::FLEET_FULL, 400));
}

#[tokio::test]
async fn teams_have_workers_of_their_own_and_the_owner_reaches_all() {
    let fleet = fleet().await;
    let other = known("beta", "lead", Role::TeamLead);
    let ours = register(&fleet, &lead(), "scout").await;
    let theirs = register(&fleet, &other, "scout").await;
    assert_ne!(ours["id"], theirs["id"]);
    let listed = fleet.json(&other, "worker_list", json!({})).await.unwrap();
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["id"]), (1, &theirs["id"]));
    let node = json!({ "id": ours["id"] });
    assert_eq!(code(&fleet, &other, "lineage_session", node.clone()).await, Code::SESSION_NOT_FOUND);

    let listed = fleet.json(&owner(), "worker_list", json!({})).await.unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    let both = code(&fleet, &owner(), "worker_dismiss", json!({ "handle": "scout" })).await;
    assert_eq!(both, Code::ID_AMBIGUOUS);
    fleet.json(&lead(), "worker_dismiss", json!({ "handle": "scout" })).await.unwrap();
    fleet.json(&owner(), "worker_dismiss", json!({ "handle": "scout" })).await.unwrap();
    assert_eq!(fleet.json(&owner(), "worker_list", json!({})).await.unwrap(), json!([]));
}

#[tokio::test]
async fn those_who_work_do_not_start_or_end_others_and_push_nothing() {
    let fleet = fleet().await;
    register(&fleet, &lead(), "scout").await;
    let worker = known("alpha", "digger", Role::Worker);
    for (name, input) in [
        ("worker_spawn", json!({ "handle": "x" })),
        ("worker_dismiss", json!({ "handle": "scout" })),
        ("worker_register", json!({ "handle": "x" })),
        ("team_spawn", json!({ "handle": "x" })),
        ("worker_worktree_push", json!({ "handle": "scout" })),
        ("worktree_push", json!({})),
    ] {
        assert_eq!(code(&fleet, &worker, name, input).await, Code::ROLE_REFUSED, "{name}");
    }
    let monitor = known("alpha", "eye", Role::Monitor);
    assert_eq!(fleet.json(&monitor, "team_workers", json!({})).await.unwrap()["count"], 1);
}

#[tokio::test]
async fn a_worker_without_a_worktree_has_none_to_show_or_to_commit() {
    let fleet = fleet().await;
    register(&fleet, &lead(), "scout").await;
    let status = fleet.json(&lead(), "worker_worktree_status", json!({ "handle": "scout" })).await.unwrap();
    let expected = json!({
        "exists": false, "branch": null, "hasChanges": false, "aheadBehind": { "ahead": 0, "behind": 0 },
        "handle": "scout", "path": null, "unpushed": 0,
    });
    assert_eq!(status, expected);
    let input = json!({ "handle": "scout", "message": "m" });
    assert_eq!(code(&fleet, &lead(), "worker_worktree_commit", input).await, Code::WORKSPACE_REFUSED);
}

#[tokio::test]
async fn what_a_session_took_and_cost_is_told_with_it_and_with_its_lineage() {
    let fleet = fleet().await;
    let id = register(&fleet, &lead(), "scout").await["id"].clone();
    let session: SessionId = id.as_str().unwrap().parse().unwrap();
    let mut live = fleet.service.sessions().watch(&session).unwrap();
    report(&fleet, json!([result(10, 2, 0.5)])).await;
    let heard = live.wait_for(|live| live.conversation.is_some());
    tokio::time::timeout(testkit::PATIENCE, heard).await.expect("nobody hears it").unwrap();

    let node = fleet.json(&lead(), "lineage_session", json!({ "id": id })).await.unwrap();
    let tokens = json!({ "input": 10, "output": 2, "cacheRead": 0, "cacheWrite": 0, "total": 12 });
    assert_eq!((&node["tokens"], &node["costUsd"]), (&tokens, &json!(0.5)));
    assert_eq!((&node["workerHandle"], &node["origin"]), (&json!("scout"), &json!("new")));
    assert_eq!(node["claudeSessionId"], "c-1");
    let lineage = fleet.json(&lead(), "lineage", json!({ "id": id })).await.unwrap();
    assert_eq!((&lineage["chain"], &lineage["descendants"]), (&json!([node]), &json!([])));
    assert_eq!((&lineage["totalTokens"], &lineage["totalCostUsd"]), (&json!(12), &json!(0.5)));
    let workers = fleet.json(&lead(), "worker_list", json!({})).await.unwrap();
    assert_eq!((&workers[0]["sessionId"], &workers[0]["totalTokens"]), (&json!("c-1"), &json!(12)));
    let forked = json!({ "id": id, "prompt": "Go on." });
    assert_eq!(code(&fleet, &lead(), "lineage_fork", forked).await, Code::AGENT_INCAPABLE);
}

#[tokio::test]
async fn sessions_are_found_by_name_and_by_what_they_said_and_by_nobody_else() {
    let fleet = fleet().await;
    register(&fleet, &lead(), "scout").await;
    report(&fleet, json!([{ "note": "The Slow Query is in the cart" }])).await;
    register(&fleet, &known("beta", "lead", Role::TeamLead), "slow-query").await;
    let found = fleet.json(&lead(), "lineage_search", json!({ "query": "slow query" })).await.unwrap();
    assert_eq!((&found["count"], &found["complete"], &found["searched"]), (&json!(1), &json!(true), &json!(1)));
    assert_eq!(
        (&found["results"][0]["field"], &found["results"][0]["workerHandle"]),
        (&json!("output"), &json!("scout"))
    );
    assert!(found["results"][0]["snippet"].as_str().unwrap().contains("Slow Query"));
    let by_name = fleet.json(&lead(), "search_sessions", json!({ "query": "SCOU" })).await.unwrap();
    assert_eq!(by_name["results"][0]["field"], "handle");
    let nothing = fleet.json(&lead(), "lineage_search", json!({ "query": "fast" })).await.unwrap();
    assert_eq!((&nothing["results"], &nothing["outputsSearched"]), (&json!([]), &json!(1)));
}

#[tokio::test]
async fn live_workers_are_counted_and_shown_wherever_the_server_speaks_of_itself() {
    let fleet = fleet().await;
    register(&fleet, &lead(), "one").await;
    register(&fleet, &lead(), "two").await;
    register(&fleet, &known("beta", "lead", Role::TeamLead), "three").await;
    let metrics = fleet.json(&lead(), "metrics", json!({})).await.unwrap();
    let by_state = json!({ "starting": 0, "ready": 3, "working": 0, "stopping": 0, "stopped": 0 });
    let workers = json!({ "total": 3, "healthy": 3, "degraded": 0, "unhealthy": 0, "byState": by_state });
    assert_eq!(metrics["workers"], workers);
    assert_eq!(metrics["restarts"], json!({ "total": 0, "lastHour": 0 }));
    assert_eq!(fleet.json(&lead(), "health", json!({})).await.unwrap()["workers"], 3);
    let debug = fleet.json(&lead(), "debug", json!({})).await.unwrap();
    let mut handles: Vec<_> = debug["workers"].as_array().unwrap().iter().map(|worker| &worker["handle"]).collect();
    handles.sort_by_key(|handle| handle.to_string());
    assert_eq!(handles, [&json!("one"), &json!("two")]);
}
