//! What every request passes first: the host, the origin, the token.

use api::{Access, Dialect, Rest, Spec};
use serde_json::Value;
use types::Role;

use crate::support::Server;
use crate::support::client::{Reply, Request, get, post, request};

/// Routes that are no operations and need a token or a handshake.
const STREAMS: [&str; 2] = ["/api/events", "/ws"];

/// Every route, asked for with something that could be an id.
fn everywhere() -> Vec<Request> {
    let operations = reachable().into_iter().map(|(spec, rest)| request(rest.verb.as_str(), path_of(&spec, rest)));
    let raw = ["/", "/docs", "/openapi.json", "/metrics", "/login"].into_iter().chain(STREAMS).map(get);
    operations.chain(raw).collect()
}

/// Every operation that has a path.
fn reachable() -> Vec<(Spec, Rest)> {
    api::specs().into_iter().filter_map(|spec| Some((spec, spec.rest?))).collect()
}

fn path_of(spec: &Spec, rest: Rest) -> String {
    let example: Value = serde_json::from_str(spec.example).unwrap();
    spec.path_fields().fold(rest.path.to_owned(), |path, field| {
        path.replace(&format!("{{{field}}}"), example[field].as_str().unwrap())
    })
}

#[tokio::test]
async fn an_empty_token_is_none_and_a_wrong_one_is_refused() {
    let server = Server::start().await;
    for path in ["/api/projects", "/orchestrate/workers", "/api/events"] {
        for empty in ["Bearer", "Bearer ", "bearer  ", ""] {
            let reply = server.send(get(path).header("Authorization", empty)).await;
            assert_eq!(reply.status, 401, "{path} `{empty}`");
        }
        assert_eq!(server.send(get(path).header("Authorization", "Bearer x")).await.status, 403, "{path}");
    }
}

/// Checks an error in the words of the dialect its path speaks.
#[track_caller]
fn assert_refused(reply: &Reply, path: &str, status: u16, code: &str) {
    let body = reply.expect(status);
    assert_eq!(body["code"], code, "{path}: {body}");
    let member = if Dialect::of_path(path) == Dialect::DevFleet { "detail" } else { "error" };
    assert!(body[member].is_string(), "{path}: {body}");
    assert_eq!(body.as_object().unwrap().keys().next().unwrap(), member, "{path}: {body}");
}

#[tokio::test]
async fn a_request_for_another_host_is_refused_everywhere() {
    let server = Server::start().await;
    for request in everywhere() {
        for host in ["evil.example", "127.0.0.1.evil.example:3847", ""] {
            let reply = server.send(request.clone().header("Host", host).bearer(&server.owner())).await;
            assert_eq!(reply.expect(421)["code"], "HOST_REFUSED", "{request:?}");
        }
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn a_request_from_a_page_of_another_origin_is_refused_everywhere() {
    let server = Server::start().await;
    for request in everywhere() {
        for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
            let reply = server.send(request.clone().header("Origin", origin).bearer(&server.owner())).await;
            assert_eq!(reply.expect(403)["code"], "ORIGIN_REFUSED", "{request:?}");
            assert_eq!(reply.header("access-control-allow-origin"), None);
        }
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn refusals_before_the_routes_speak_the_dialect_of_the_path() {
    let server = Server::start().await;
    for path in ["/api/missions", "/api/events", "/api/nowhere", "/tasks", "/ws", "/nowhere"] {
        let foreign = server.send(get(path).header("Host", "evil.example")).await;
        assert_refused(&foreign, path, 421, "HOST_REFUSED");
        let page = server.send(get(path).header("Origin", "http://evil.example")).await;
        assert_refused(&page, path, 403, "ORIGIN_REFUSED");
    }
}

#[tokio::test]
async fn a_page_of_this_server_and_a_listed_origin_may_call() {
    let server = Server::start().await;
    let own = format!("http://{}", server.address);
    let reply = server.send(get("/health").header("Origin", &own)).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, None));

    let listed = "https://tools.example";
    server.set(|settings| settings.cors_origins = vec![listed.to_owned()]);
    let reply = server.send(get("/health").header("Origin", listed)).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, Some(listed)));
    let preflight = request("OPTIONS", "/api/missions").header("Origin", listed);
    let reply = server.send(preflight.header("Access-Control-Request-Method", "POST")).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (204, Some(listed)));
}

#[tokio::test]
async fn every_operation_that_is_not_public_is_refused_without_a_token() {
    let server = Server::start().await;
    for (spec, rest) in reachable().into_iter().filter(|(spec, _)| spec.access != Access::Public) {
        let path = path_of(&spec, rest);
        let reply = server.send(request(rest.verb.as_str(), path.clone())).await;
        assert_refused(&reply, &path, 401, "AUTHENTICATION_REQUIRED");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"), "{path}");
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn expired_and_forged_tokens_change_nothing() {
    let server = Server::start().await;
    let none = server.token("scout", "alpha", Role::Worker).replace('.', "_");
    let cases = [
        (server.expired(), 401, "TOKEN_EXPIRED"),
        (server.forged(), 403, "TOKEN_INVALID"),
        (none, 403, "TOKEN_INVALID"),
    ];
    for (token, status, code) in cases {
        for (spec, rest) in reachable().into_iter().filter(|(spec, _)| spec.access != Access::Public) {
            let path = path_of(&spec, rest);
            let call = request(rest.verb.as_str(), path.clone()).bearer(&token).body(spec.example);
            assert_refused(&server.send(call).await, &path, status, code);
            // Slowly enough not to count as guessing.
            server.clock.advance(std::time::Duration::from_secs(1));
        }
        let reply = server.send(get("/api/events").bearer(&token)).await;
        assert_refused(&reply, "/api/events", status, code);
        let header = format!("Bearer {token}");
        assert_eq!(server.socket(&[("authorization", header.as_str())]).await.err(), Some(status));
    }
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn a_role_that_may_not_is_told_which_may() {
    let server = Server::start().await;
    let monitor = server.token("eye", "alpha", Role::Monitor);
    let body = serde_json::json!({ "project_id": "p-x7k2m", "title": "t", "detailed_prompt": "p" });
    let reply = server.send(post("/api/missions", &body).bearer(&monitor)).await;
    assert_refused(&reply, "/api/missions", 403, "ROLE_REFUSED");
    assert_eq!(reply.json()["current"], "monitor");
    assert_eq!(reply.json()["required"][0], "owner");
    assert_eq!(server.position(), 0);
}

#[tokio::test]
async fn a_stream_of_events_needs_a_token() {
    let server = Server::start().await;
    let reply = server.send(get("/api/events")).await;
    assert_refused(&reply, "/api/events", 401, "AUTHENTICATION_REQUIRED");
}
