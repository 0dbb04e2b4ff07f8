use serde_json::{Value, json};

use super::super::bench::{Answered, Bench};
use super::*;

/// Opens a session as a client of that protocol, and returns its id.
async fn initialize(bench: &Bench, token: &str, version: &str) -> String {
    let bearer = format!("Bearer {token}");
    let client = json!({ "name": "test", "version": "0" });
    let params = json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": client });
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let answer = bench.ask("POST", "/mcp/", &[("authorization", &bearer)], body).await;
    let result = &answer.message()["result"];
    assert_eq!((&result["protocolVersion"], &result["serverInfo"]["name"]), (&json!(version), &json!("fleet")));
    let session = answer.header(SESSION).unwrap().to_owned();
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(in_session(bench, token, &session, "POST", done).await.status, 202);
    session
}

async fn in_session(bench: &Bench, token: &str, session: &str, method: &str, body: Value) -> Answered {
    let bearer = format!("Bearer {token}");
    bench.ask(method, "/mcp", &[("authorization", &bearer), (SESSION, session)], body).await
}

fn list() -> Value {
    json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list" })
}

fn names(message: &Value) -> Vec<&str> {
    message["result"]["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_client_without_a_session_lists_the_tools_with_and_without_the_slash() {
    let bench = Bench::new().await;
    for path in ["/mcp", "/mcp/"] {
        let answer = bench.stateless(path, &bench.token("owner"), "tools/list", json!({})).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(names(&answer.message()).contains(&"create_mission"));
    }
}

#[tokio::test]
async fn a_client_is_shown_the_set_of_tools_that_it_asks_for() {
    let bench = Bench::new().await;
    let token = bench.token("owner");
    let shown = |set: &'static str| {
        let (bench, token) = (&bench, &token);
        async move { bench.stateless(&format!("/mcp?toolset={set}"), token, "tools/list", json!({})).await }
    };
    let has = |answer: &Value, tool: &str| names(answer).contains(&tool);
    let (agent, orchestrator) = (shown("agent").await.message(), shown("orchestrator").await.message());
    for (tool, is_agents) in [("team_tasks", true), ("worktree_commit", true), ("team_spawn", false)] {
        assert_eq!((has(&agent, tool), has(&orchestrator, tool)), (is_agents, !is_agents), "{tool}");
    }
    let refused = shown("everything").await;
    assert_eq!(refused.status, 400);
    assert!(refused.text.contains("agent, orchestrator, workers, standard, all"), "{}", refused.text);
}

#[tokio::test]
async fn what_a_tool_makes_another_tool_shows_in_text_and_structure() {
    let bench = Bench::new().await;
    let token = bench.token("owner");
    let made = bench.call(&token, "create_project", json!({ "name": "shop", "path": bench.folder() })).await;
    assert_eq!(made["isError"], false, "{made}");
    let project = &made["structuredContent"]["id"];
    let text: Value = serde_json::from_str(made["content"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(&text["id"], project);
    let asked = json!({ "project_id": project, "title": "Add a cart", "prompt": "Add it." });
    let mission = bench.call(&token, "create_mission", asked).await["structuredContent"]["id"].clone();
    let listed = bench.call(&token, "list_missions", json!({ "project_id": project })).await;
    assert_eq!(listed["structuredContent"]["missions"][0]["id"], mission);
    let status = bench.call(&token, "get_mission_status", json!({ "mission_id": mission })).await;
    assert_eq!(status["structuredContent"]["status"], "draft");
}

#[tokio::test]
async fn a_refused_call_is_a_result_that_names_the_field() {
    let bench = Bench::new().await;
    let result = bench.call(&bench.token("owner"), "create_project", json!({ "nme": "shop" })).await;
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(result["isError"], true);
    assert!(text.contains("nme") && text.contains("name: is required"), "{text}");
    assert!(text.ends_with("code: FIELDS_INVALID"), "{text}");
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error_that_names_the_closest() {
    let bench = Bench::new().await;
    let params = json!({ "name": "mission_create", "arguments": {} });
    let answer = bench.stateless("/mcp", &bench.token("owner"), "tools/call", params).await;
    let error = &answer.message()["error"];
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("did you mean `create_mission`?"), "{error}");
}

#[tokio::test]
async fn every_request_needs_a_token_of_its_own() {
    let bench = Bench::new().await;
    let worker = bench.token("scout");
    let session = initialize(&bench, &worker, "2025-11-25").await;
    let without = bench.ask("POST", "/mcp", &[(SESSION, &session)], list()).await;
    assert_eq!((without.status, without.header("www-authenticate")), (401, Some("Bearer")));
    assert!(without.text.starts_with("{\"error\":"), "{}", without.text);
    let forged = in_session(&bench, "not-a-token", &session, "POST", list()).await;
    assert_eq!((forged.status, forged.header("www-authenticate")), (403, Some("Bearer error=\"invalid_token\"")));
    bench.clock.advance(Duration::from_secs(3601));
    let expired = in_session(&bench, &worker, &session, "POST", list()).await;
    assert_eq!(expired.status, 401, "{}", expired.text);
}

#[tokio::test]
async fn who_calls_is_told_by_the_token_and_not_by_the_session() {
    let bench = Bench::new().await;
    let (scout, other) = (bench.token("scout"), bench.token("other"));
    let session = initialize(&bench, &scout, "2025-06-18").await;
    assert_eq!(in_session(&bench, &scout, &session, "POST", list()).await.status, 200);
    for method in ["POST", "GET", "DELETE"] {
        let body = if method == "POST" { list() } else { Value::Null };
        assert_eq!(in_session(&bench, &other, &session, method, body).await.status, 404, "{method}");
    }
}

#[tokio::test]
async fn a_session_ends_when_it_is_deleted() {
    let bench = Bench::new().await;
    let token = bench.token("owner");
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let session = initialize(&bench, &token, version).await;
        assert!(in_session(&bench, &token, &session, "POST", list()).await.text.contains("create_mission"));
        assert_eq!(in_session(&bench, &token, &session, "DELETE", Value::Null).await.status, 204);
        assert_eq!(in_session(&bench, &token, &session, "POST", list()).await.status, 404);
        assert_eq!(in_session(&bench, &token, &session, "DELETE", Value::Null).await.status, 404);
    }
    assert_eq!(in_session(&bench, &token, "never-was", "POST", list()).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_was_idle_for_long_goes_on() {
    let bench = Bench::new().await;
    let token = bench.token("owner");
    let session = initialize(&bench, &token, "2025-11-25").await;
    let bearer = format!("Bearer {token}");
    let stream = bench.send("GET", "/mcp", &[("authorization", &bearer), (SESSION, &session)], Value::Null).await;
    tokio::time::advance(SESSION_IDLE + Duration::from_secs(1)).await;
    // Its tasks are gone, and with them the stream.
    Answered::read(stream).await;
    let answer = in_session(&bench, &token, &session, "POST", list()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(names(&answer.message()).contains(&"list_projects"));
}

#[tokio::test]
async fn open_streams_end_when_the_server_stops_listening() {
    let bench = Bench::new().await;
    let token = bench.token("owner");
    let session = initialize(&bench, &token, "2025-11-25").await;
    let bearer = format!("Bearer {token}");
    let stream = bench.send("GET", "/mcp", &[("authorization", &bearer), (SESSION, &session)], Value::Null).await;
    assert_eq!(stream.status(), 200);
    let report = bench.tree.shutdown(Duration::from_secs(10)).await;
    assert!(report.clean(), "{report:?}");
    Answered::read(stream).await;
}
