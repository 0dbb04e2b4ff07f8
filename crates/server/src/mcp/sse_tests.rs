use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use serde_json::{Value, json};

use super::super::bench::{Answered, Bench};
use super::*;

/// An open stream as a client reads it.
struct Reader {
    body: BodyDataStream,
    text: String,
}

impl Reader {
    async fn open(bench: &Bench, path: &str, token: &str) -> Self {
        let response = bench.send("GET", path, &[("authorization", &format!("Bearer {token}"))], Value::Null).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: Body::into_data_stream(response.into_body()), text: String::new() }
    }

    /// Returns the name and the data of the next event; none, when the stream has ended.
    async fn event(&mut self) -> Option<(String, String)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field =
                    |name| event.lines().find_map(|line| line.strip_prefix(name)).map(|text| text.trim().to_owned());
                let parsed = (field("event:").unwrap_or_default(), field("data:").unwrap_or_default());
                self.text = rest.to_owned();
                return Some(parsed);
            }
            self.text.push_str(std::str::from_utf8(&self.body.next().await?.unwrap()).unwrap());
        }
    }

    async fn message(&mut self) -> Value {
        let (name, data) = self.event().await.unwrap();
        assert_eq!(name, "message");
        serde_json::from_str(&data).unwrap()
    }
}

async fn posted(bench: &Bench, path: &str, token: &str, body: Value) -> Answered {
    bench.ask("POST", path, &[("authorization", &format!("Bearer {token}"))], body).await
}

fn request(id: u64, method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn initialize() -> Value {
    let client = json!({ "name": "test", "version": "0" });
    request(0, "initialize", json!({ "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": client }))
}

/// Opens a stream and shakes hands on it; returns where to post.
async fn connect(bench: &Bench, path: &str, token: &str) -> (Reader, String) {
    let mut reader = Reader::open(bench, path, token).await;
    let (name, endpoint) = reader.event().await.unwrap();
    assert_eq!(name, "endpoint");
    assert!(endpoint.starts_with("/mcp/messages/?session_id="), "{endpoint}");
    assert_eq!(posted(bench, &endpoint, token, initialize()).await.status, 202);
    assert_eq!(reader.message().await["result"]["protocolVersion"], "2024-11-05");
    let done = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(posted(bench, &endpoint, token, done).await.status, 202);
    (reader, endpoint)
}

#[tokio::test]
async fn what_is_posted_is_answered_on_the_stream() {
    let bench = Bench::new().await;
    let token = bench.token("scout");
    let (mut reader, endpoint) = connect(&bench, "/mcp/sse", &token).await;
    let call = request(1, "tools/call", json!({ "name": "team_tasks", "arguments": { "filter": "mine" } }));
    assert_eq!(posted(&bench, &endpoint, &token, call).await.status, 202);
    let answer = reader.message().await;
    assert_eq!((&answer["id"], &answer["result"]["structuredContent"]["filter"]), (&json!(1), &json!("mine")));
}

#[tokio::test]
async fn the_stream_decides_which_tools_are_shown() {
    let bench = Bench::new().await;
    let token = bench.token("scout");
    let (mut reader, endpoint) = connect(&bench, "/mcp/sse?toolset=agent", &token).await;
    posted(&bench, &endpoint, &token, request(1, "tools/list", json!({}))).await;
    let message = reader.message().await;
    let shown: Vec<_> = message["result"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert!(shown.contains(&&json!("team_tasks")) && !shown.contains(&&json!("create_mission")), "{shown:?}");
}

#[tokio::test]
async fn both_requests_need_a_token_and_that_of_the_same_member() {
    let bench = Bench::new().await;
    let token = bench.token("scout");
    let (_reader, endpoint) = connect(&bench, "/mcp/sse", &token).await;
    let list = || request(1, "tools/list", json!({}));
    assert_eq!(bench.ask("GET", "/mcp/sse", &[], Value::Null).await.status, 401);
    assert_eq!(bench.ask("POST", &endpoint, &[], list()).await.status, 401);
    assert_eq!(posted(&bench, &endpoint, "not-a-token", list()).await.status, 403);
    let other = posted(&bench, &endpoint, &bench.token("other"), list()).await;
    assert_eq!(other.status, 403);
    assert!(other.text.contains("ACTOR_MISMATCH"), "{}", other.text);
    let renewed = posted(&bench, &endpoint, &bench.token("scout"), list()).await;
    assert_eq!(renewed.status, 202);
}

#[tokio::test]
async fn a_session_ends_with_its_stream() {
    let bench = Bench::new().await;
    let token = bench.token("scout");
    let (reader, endpoint) = connect(&bench, "/mcp/sse", &token).await;
    drop(reader);
    let answer = posted(&bench, &endpoint, &token, request(1, "tools/list", json!({}))).await;
    assert_eq!(answer.status, 404, "{}", answer.text);
}

#[tokio::test]
async fn what_is_no_message_is_refused_where_it_is_posted() {
    let bench = Bench::new().await;
    let token = bench.token("scout");
    let (_reader, endpoint) = connect(&bench, "/mcp/sse", &token).await;
    for body in [json!({ "hello": 1 }), json!([]), json!("text")] {
        assert_eq!(posted(&bench, &endpoint, &token, body).await.status, 400);
    }
    assert_eq!(posted(&bench, "/mcp/messages/?session_id=guess", &token, initialize()).await.status, 404);
}

#[tokio::test]
async fn a_stream_ends_when_the_server_stops_listening() {
    let bench = Bench::new().await;
    let (mut reader, _) = connect(&bench, "/mcp/sse", &bench.token("scout")).await;
    let report = bench.tree.shutdown(Duration::from_secs(10)).await;
    assert!(report.clean(), "{report:?}");
    assert_eq!(reader.event().await, None);
}

#[tokio::test]
async fn a_stream_takes_a_place_among_all_streams_and_gives_it_back() {
    let bench = Bench::with_streams(1).await;
    let token = bench.token("scout");
    let (reader, _) = connect(&bench, "/mcp/sse", &token).await;
    let second = opened(&bench, &token).await;
    assert_eq!(second.status, 503, "{}", second.text);
    drop(reader);
    connect(&bench, "/mcp/sse", &token).await;
}

async fn opened(bench: &Bench, token: &str) -> Answered {
    bench.ask("GET", "/mcp/sse", &[("authorization", &format!("Bearer {token}"))], Value::Null).await
}
