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
    let mut expected: Vec<&str> =
        api::specs().iter().filter(|spec| spec.rest.is_some()).map(|spec| spec.name).collect();
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
    for line in ["# TYPE http_requests counter", "collab_agents 0", "operation=\"mission_list\""] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[tokio::test]
async fn the_front_door_leads_to_the_page() {
    let server = Server::start().await;
    let reply = server.send(get("/")).await;
    assert_eq!((reply.status, reply.header("location")), (303, Some("/docs")));
}
