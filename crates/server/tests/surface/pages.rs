//! The pages and files that a browser or a scraper reads.

use serde_json::Value;

use crate::support::Server;
use crate::support::client::get;

#[tokio::test]
async fn the_page_of_the_interface_may_run_its_own_script_and_call_this_server_alone() {
    let server = Server::start().await;
    let reply = server.send(get("/docs")).await;
    assert_eq!(reply.status, 200);
    assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = reply.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "script-src 'sha256-",
        "style-src 'sha256-",
        "connect-src 'self'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn the_description_names_every_operation_once_and_every_reference_in_it_leads_somewhere() {
    let server = Server::start().await;
    let document = server.send(get("/openapi.json")).await.expect(200);
    let paths = document["paths"].as_object().unwrap();
    let mut named: Vec<&str> = paths
        .values()
        .flat_map(|methods| methods.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    let streams = ["event_stream", "session_stream", "socket"];
    let operations = api::specs().into_iter().filter(|spec| spec.rest.is_some()).map(|spec| spec.name);
    let mut expected: Vec<&str> = operations.chain(streams).collect();
    named.sort_unstable();
    expected.sort_unstable();
    assert_eq!(named, expected);
    check_references(&document, &document);
}

fn check_references(document: &Value, value: &Value) {
    match value {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let pointer = reference.strip_prefix('#').unwrap_or_else(|| panic!("{reference}"));
                assert!(document.pointer(pointer).is_some(), "{reference}");
            }
            members.values().for_each(|member| check_references(document, member));
        }
        Value::Array(items) => items.iter().for_each(|item| check_references(document, item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn figures_are_in_the_text_format_of_prometheus() {
    let server = Server::start().await;
    server.read("/api/missions", &server.owner()).await;
    let reply = server.send(get("/metrics")).await;
    assert!(reply.header("content-type").unwrap().starts_with("text/plain"));
    let text = reply.text();
    for line in [
        "# TYPE http_requests_total counter",
        "http_requests_total{method=\"GET\",path=\"/api/missions\",status=\"200\"} 1",
        "# TYPE collab_agents_total gauge",
        "collab_agents_total 0",
        "collab_tasks_total 0",
        "collab_tasks_by_status{status=\"in_progress\"} 0",
        "collab_workers_total 0",
        "collab_workers_healthy 0",
        "collab_workers_by_state{state=\"ready\"} 0",
        "# TYPE collab_worker_spawns_total counter",
        "# TYPE collab_worker_dismissals_total counter",
        "# TYPE fleet_cost_dollars_total counter",
        "# TYPE fleet_tokens_total counter",
        "fleet_landings{state=\"landed\"} 0",
        "fleet_approvals_waiting 0",
        "fleet_questions_waiting 0",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    check_samples(&text);
}

/// Reads the text as stock clients do: the samples behind a `# TYPE` line have the name that it declares, and no sample
/// is written without one.
fn check_samples(text: &str) {
    let (mut name, mut kind) = ("", "");
    for line in text.lines() {
        if let Some(declared) = line.strip_prefix("# TYPE ") {
            (name, kind) = declared.split_once(' ').unwrap();
        } else if !line.starts_with('#') {
            let sample = line.split(['{', ' ']).next().unwrap();
            let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(suffixes.iter().any(|suffix| sample == format!("{name}{suffix}")), "{line} is no {name}");
            assert!(line.rsplit(' ').next().unwrap().parse::<f64>().is_ok(), "{line}");
        }
    }
}

#[tokio::test]
async fn every_stream_is_described_with_the_schema_of_its_frames() {
    let server = Server::start().await;
    let document = server.send(get("/openapi.json")).await.expect(200);
    let frame = |path: &str| {
        let content = &document["paths"][path]["get"]["responses"]["200"]["content"]["text/event-stream"];
        let name = content["itemSchema"]["$ref"].as_str().unwrap().trim_start_matches('#').to_owned();
        document.pointer(&name).unwrap().clone()
    };
    assert_eq!(frame("/api/events")["properties"]["events"]["items"]["$ref"], "#/components/schemas/Event");
    let kinds = frame("/api/sessions/{session}/stream").to_string();
    for kind in ["config", "text", "tool", "tool_result", "usage", "retry", "so_far", "done"] {
        assert!(kinds.contains(&format!(r#""const":"{kind}""#)), "{kind}: {kinds}");
    }
    let socket = &document["paths"]["/ws"]["get"];
    for side in ["send", "receive"] {
        assert!(socket["x-messages"][side]["$ref"].is_string(), "{socket}");
    }
}

#[tokio::test]
async fn a_slash_behind_a_path_changes_nothing() {
    let server = Server::start().await;
    let owner = server.owner();
    for path in ["/api/projects", "/health", "/orchestrate/workers", "/api/system/status", "/metrics", "/docs"] {
        let [plain, slashed] = [path.to_owned(), format!("{path}/")].map(|path| get(path).bearer(&owner));
        let (plain, slashed) = (server.send(plain).await, server.send(slashed).await);
        assert_eq!((plain.status, slashed.status), (200, 200), "{path}");
    }
    assert_eq!(
        server.send(get("/api/missions/m-zzzzz/").bearer(&owner)).await.expect(404)["detail"],
        "Mission not found"
    );
    assert_eq!(server.send(get("/api/no-such-path/").bearer(&owner)).await.status, 404);
}

#[tokio::test]
async fn the_front_door_leads_to_the_page() {
    let server = Server::start().await;
    let reply = server.send(get("/")).await;
    assert_eq!((reply.status, reply.header("location")), (303, Some("/docs")));
}
