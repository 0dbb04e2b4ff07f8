//! A server on a memory engine without a socket, for the tests of MCP.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Request, Response};
use runtime::{Clock, Tree};
use serde_json::{Value, json};
use tokens::Member;
use tower::ServiceExt as _;
use types::Role;

use crate::App;

const HOUR: Duration = Duration::from_secs(3600);

/// See the module.
pub(super) struct Bench {
    pub(super) tree: Tree,
    pub(super) clock: Clock,
    router: Router,
    fleet: testkit::Fleet,
}

/// One answer, read to its end.
#[derive(Debug)]
pub(super) struct Answered {
    pub(super) status: u16,
    pub(super) headers: http::HeaderMap,
    pub(super) text: String,
}

impl Bench {
    pub(super) async fn new() -> Self {
        Self::with_streams(16).await
    }

    /// Makes a server with places for so many open streams.
    pub(super) async fn with_streams(streams: usize) -> Self {
        let fleet = testkit::fleet().await;
        let (tree, clock) = (fleet.tree.clone(), fleet.clock.clone());
        let router = crate::router(&App::with_streams(Arc::clone(&fleet.service), tree.clone(), streams));
        Self { tree, clock, router, fleet }
    }

    /// Makes a token for a worker, or for the owner.
    pub(super) fn token(&self, handle: &str) -> String {
        let team = "default".parse().unwrap();
        let member = match handle {
            "owner" => Member::owner(),
            handle => Member { handle: handle.parse().unwrap(), team, role: Role::Worker, session: None },
        };
        self.fleet.keys.issue(&member, self.clock.now(), HOUR).unwrap()
    }

    /// Returns the path of a folder that is there.
    pub(super) fn folder(&self) -> String {
        self.fleet.folder().to_string_lossy().into_owned()
    }

    /// Sends a request and returns once its head is answered.
    pub(super) async fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Value) -> Response<Body> {
        let mut request = Request::builder().method(method).uri(path).header("host", "127.0.0.1:3847");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let text = if body.is_null() { String::new() } else { body.to_string() };
        let request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(Body::from(text));
        self.router.clone().oneshot(request.unwrap()).await.unwrap()
    }

    /// Sends a request and reads its answer to the end.
    pub(super) async fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Value) -> Answered {
        Answered::read(self.send(method, path, headers, body).await).await
    }

    /// Calls a method as a client without a session does.
    pub(super) async fn stateless(&self, path: &str, token: &str, method: &str, params: Value) -> Answered {
        let bearer = format!("Bearer {token}");
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut headers =
            vec![("authorization", bearer.as_str()), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        let mut params = params;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.ask("POST", path, &headers, body).await
    }

    /// Calls a tool as a client without a session does, and returns the result.
    pub(super) async fn call(&self, token: &str, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        self.stateless("/mcp", token, "tools/call", params).await.message()["result"].clone()
    }
}

impl Answered {
    pub(super) async fn read(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Self { status: parts.status.as_u16(), headers: parts.headers, text }
    }

    /// Returns the one JSON-RPC message of the answer, a JSON body or an event.
    pub(super) fn message(&self) -> Value {
        let mut lines = self.text.lines().map(|line| line.strip_prefix("data:").unwrap_or(line).trim());
        let line = lines.find(|line| line.starts_with('{')).unwrap_or_else(|| panic!("no message in {self:?}"));
        serde_json::from_str(line).unwrap()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}
