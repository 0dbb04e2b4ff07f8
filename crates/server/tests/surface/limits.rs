//! Methods, rates, sign-in links, and the list of routes that are not operations.

use serde_json::json;
use types::Role;

use crate::support::Server;
use crate::support::client::{get, post, request};

#[tokio::test]
async fn a_worker_is_held_to_its_rate_and_the_owner_is_not() {
    let server = Server::start().await;
    server.set(|settings| settings.rate_limit_per_minute = 3);
    let (owner, scout) = (server.owner(), server.token("scout", "alpha", Role::Worker));
    for _ in 0..3 {
        server.read("/api/missions", &scout).await;
    }
    let refused = server.send(get("/api/missions").bearer(&scout)).await.expect(429);
    assert_eq!(refused["detail"], "Too many requests. Try again later.");
    let refused = server.send(get("/teams/alpha/tasks").bearer(&scout)).await.expect(429);
    assert_eq!(refused["error"], "Too many requests. Try again later.");
    assert_eq!(server.send(get("/api/events").bearer(&scout)).await.status, 429);
    for _ in 0..20 {
        server.read("/api/missions", &owner).await;
    }
    let other = server.token("other", "alpha", Role::Worker);
    server.read("/api/missions", &other).await;
}

#[tokio::test]
async fn tokens_that_are_not_believed_are_counted_by_address_and_keep_no_good_one_out() {
    let server = Server::start().await;
    let (owner, scout) = (server.owner(), server.token("scout", "alpha", Role::Worker));
    let statuses = async |token: &str| server.send(get("/api/missions").bearer(token)).await.status;
    for _ in 0..60 {
        assert_eq!(statuses(&server.forged()).await, 403);
    }
    assert_eq!(statuses(&server.forged()).await, 429);
    assert_eq!(statuses("another.guess").await, 429, "whichever token it is");
    assert_eq!((statuses(&owner).await, statuses(&scout).await), (200, 200));
    assert_eq!(server.send(get("/health")).await.status, 200, "a caller without a token does not guess one");
    server.clock.advance(std::time::Duration::from_secs(60));
    assert_eq!(statuses(&server.forged()).await, 403);
}

#[tokio::test]
async fn the_server_proves_that_it_has_its_key_for_the_address_that_was_called_and_counts_no_challenge() {
    let server = Server::start().await;
    server.set(|settings| settings.rate_limit_per_minute = 1);
    let challenge = "c".repeat(43);
    for _ in 0..20 {
        let told = server.send(get(format!("/identity?challenge={challenge}"))).await.expect(200);
        let proof = told["proof"].as_str().unwrap();
        let keys = server.service().keys();
        assert!(keys.is_proven(&challenge, server.address, proof));
        let elsewhere = std::net::SocketAddr::new(server.address.ip(), 1);
        assert!(!keys.is_proven(&challenge, elsewhere, proof) && !keys.is_proven("d", server.address, proof));
    }
    for challenge in ["", "short", &"c".repeat(87), &format!("{}%0A", "c".repeat(43))] {
        assert_eq!(server.send(get(format!("/identity?challenge={challenge}"))).await.status, 400, "{challenge}");
    }
}

#[tokio::test]
async fn head_tells_what_get_would_without_the_body() {
    let server = Server::start().await;
    for path in ["/health", "/docs", "/openapi.json", "/api/missions"] {
        let got = server.send(get(path).bearer(&server.owner())).await;
        let head = server.send(request("HEAD", path).bearer(&server.owner())).await;
        assert_eq!((head.status, head.body.len()), (200, 0), "{path}");
        assert_eq!(head.header("content-type"), got.header("content-type"), "{path}");
        assert_eq!(head.header("content-length"), got.header("content-length"), "{path}");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_have_is_refused_with_those_it_has() {
    let server = Server::start().await;
    let owner = server.owner();
    let cases = [
        ("DELETE", "/api/missions", "GET, POST"),
        ("OPTIONS", "/api/missions", "GET, POST"),
        ("POST", "/api/missions/m-x7k2m", "GET, PUT, DELETE"),
        ("PUT", "/tasks", "POST"),
        ("TRACE", "/health", "GET"),
    ];
    for (method, path, allowed) in cases {
        let reply = server.send(request(method, path).bearer(&owner)).await;
        assert_eq!(reply.expect(405)["code"], "METHOD_NOT_ALLOWED", "{method} {path}");
        assert_eq!(reply.header("allow"), Some(allowed), "{method} {path}");
    }
    for path in ["/docs", "/openapi.json", "/metrics", "/api/events", "/ws", "/login"] {
        let reply = server.send(request("POST", path).bearer(&owner)).await;
        assert_eq!(reply.expect(405)["code"], "METHOD_NOT_ALLOWED", "{path}");
        assert_eq!(reply.header("allow"), Some("GET,HEAD"), "{path}");
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn a_path_that_is_not_there_is_told_in_its_dialect() {
    let server = Server::start().await;
    assert_eq!(server.send(get("/api/nowhere")).await.expect(404)["detail"], "Not Found");
    assert_eq!(server.send(get("/nowhere")).await.expect(404)["code"], "ROUTE_NOT_FOUND");
}

#[tokio::test]
async fn a_sign_in_link_opens_once_and_its_cookie_is_the_owners() {
    let server = Server::start().await;
    let link = server.send(post("/login-links", &json!({})).bearer(&server.owner())).await.expect(200);
    let path = link["path"].as_str().unwrap();

    let opened = server.send(get(path)).await;
    assert_eq!((opened.status, opened.header("location")), (303, Some("/docs")));
    let cookie = opened.header("set-cookie").unwrap();
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let session = cookie.split(';').next().unwrap();
    let reply = server.send(post("/login-links", &json!({})).header("Cookie", session)).await;
    assert_eq!(reply.status, 200);

    let again = server.send(get(path)).await;
    assert_eq!(again.expect(401)["code"], "LOGIN_LINK_SPENT");
    assert_eq!(again.header("set-cookie"), None);
}

#[tokio::test]
async fn a_sign_in_link_is_for_the_owner_alone_and_grows_old() {
    let server = Server::start().await;
    let lead = server.token("lead", "alpha", Role::TeamLead);
    assert_eq!(server.send(post("/login-links", &json!({})).bearer(&lead)).await.status, 403);

    let link = server.send(post("/login-links", &json!({})).bearer(&server.owner())).await.expect(200);
    server.clock.advance(std::time::Duration::from_secs(301));
    assert_eq!(server.send(get(link["path"].as_str().unwrap())).await.status, 401);
    assert_eq!(server.send(get("/login?code=a&code=b")).await.expect(400)["code"], "FIELDS_INVALID");
    for code in ["", "?code=", "?code=guess"] {
        assert_eq!(server.send(get(format!("/login{code}"))).await.status, 401, "{code}");
    }
}

/// Reads the paths off a source that adds routes one by one.
fn routes(source: &str) -> Vec<&str> {
    source.split(".route(\"").skip(1).map(|rest| rest.split_once('"').unwrap().0).collect()
}

#[test]
fn the_routes_that_are_no_operations_are_these() {
    let source = include_str!("../../src/raw.rs");
    let listed: Vec<&str> = source
        .lines()
        .filter_map(|line| line.trim().strip_prefix('(')?.split_once(", get("))
        .map(|(path, _)| path)
        .collect();
    let streams = ["events::PATH", "transcript::PATH", "ws::PATH"];
    let pages = [r#""/docs""#, r#""/openapi.json""#, r#""/metrics""#, r#""/login""#, r#""/identity""#];
    assert_eq!(listed, pages.into_iter().chain(streams).collect::<Vec<_>>());
    assert_eq!(routes(source), ["/"]);
    assert_eq!(source.matches(".merge(").count(), 1, "only MCP adds routes of its own");
    let mcp = ["/tools/{tool}", "/mcp", "/mcp/", "/mcp/sse", "/mcp/sse/", "/mcp/messages", "/mcp/messages/"];
    assert_eq!(routes(include_str!("../../src/mcp.rs")), mcp);
}
