//! The WebSocket of teams.

use std::time::Duration;

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use types::{Role, Uid};

use crate::support::client::{get, post, request};
use crate::support::ws::Socket;
use crate::support::{Server, member, within};

fn uid(handle: &str) -> Uid {
    member(handle, "alpha", Role::Worker).uid()
}

/// A team of two, and the chat they have.
async fn pair(server: &Server) -> (String, String, String) {
    let lead = server.register("lead", "alpha", Role::TeamLead).await;
    let scout = server.register("scout", "alpha", Role::Worker).await;
    (lead, scout, uid("lead").direct_chat(&uid("scout")))
}

/// Lets the lead give the scout a task, and returns it.
async fn give(server: &Server, lead: &str) -> serde_json::Value {
    let body = json!({ "fromUid": uid("lead"), "toHandle": "scout", "teamName": "alpha", "subject": "Find it" });
    server.send(post("/tasks", &body).bearer(lead)).await.expect(200)
}

async fn resolve(server: &Server, token: &str, task: &serde_json::Value) {
    let path = format!("/tasks/{}", task["id"].as_str().unwrap());
    let moved = request("PATCH", path).bearer(token).body(json!({ "status": "resolved" }).to_string());
    server.send(moved).await.expect(200);
}

async fn stranger(server: &Server) -> Socket {
    server.socket(&[]).await.unwrap_or_else(|status| panic!("refused with {status}"))
}

#[tokio::test]
async fn a_task_is_told_in_the_chat_of_the_two_and_its_moves_to_the_team() {
    let server = Server::start().await;
    let (lead, scout, chat) = pair(&server).await;
    let mut follows = server.authenticated(&scout).await;
    follows.subscribe(&chat).await;
    let mut idles = server.authenticated(&lead).await;

    let task = give(&server, &lead).await;
    assert_eq!(follows.hear().await, json!({ "type": "task_assigned", "task": task, "handle": "lead" }));
    resolve(&server, &lead, &task).await;
    let moved = json!({
        "type": "task_updated", "taskId": task["id"], "status": "resolved", "teamName": "alpha", "ownerHandle": "scout",
    });
    assert_eq!(follows.hear().await, moved);
    // A client that follows no chat gets only the move.
    assert_eq!(idles.hear().await, moved);
}

#[tokio::test]
async fn a_socket_that_has_shown_no_token_is_told_nothing() {
    let server = Server::start().await;
    let (lead, scout, chat) = pair(&server).await;
    let mut nobody = stranger(&server).await;
    let mut witness = server.authenticated(&scout).await;
    let reply = nobody.ask(&json!({ "type": "subscribe", "chatId": chat, "uid": uid("scout") })).await;
    assert!(reply["message"].as_str().unwrap().starts_with("Authentication required."), "{reply}");
    let reply = nobody.ask(&json!({ "type": "auth", "token": server.forged() })).await;
    assert_eq!(reply, json!({ "type": "error", "message": "Invalid token" }));

    let task = give(&server, &lead).await;
    resolve(&server, &lead, &task).await;
    assert_eq!(witness.hear().await["type"], "task_updated");
    nobody.hears_nothing().await;
    nobody.hears_nothing().await;
}

#[tokio::test]
async fn a_member_is_told_of_its_own_team_alone_and_the_owner_of_all() {
    let server = Server::start().await;
    let (lead, _, chat) = pair(&server).await;
    let mut spy = server.authenticated(&server.register("spy", "beta", Role::TeamLead).await).await;
    let mut owner = server.authenticated(&server.owner()).await;
    let reply = spy.ask(&json!({ "type": "subscribe", "chatId": chat })).await;
    assert_eq!(reply, json!({ "type": "error", "message": "Not a participant of this chat" }));
    let reply = spy.ask(&json!({ "type": "subscribe", "chatId": chat, "uid": uid("scout") })).await;
    assert_eq!(reply["type"], "error");

    let task = give(&server, &lead).await;
    resolve(&server, &lead, &task).await;
    assert_eq!(owner.hear().await["type"], "task_updated");
    spy.hears_nothing().await;
    spy.hears_nothing().await;
}

#[tokio::test]
async fn a_member_can_follow_its_chat_with_the_owner() {
    let server = Server::start().await;
    let (_, scout, _) = pair(&server).await;
    let from = Uid::of(&"alpha".parse().unwrap(), &"owner".parse().unwrap());
    let mut socket = server.authenticated(&scout).await;
    socket.subscribe(&from.direct_chat(&uid("scout"))).await;
    let owner = tokens::Member::owner().uid();
    let body = json!({ "fromUid": owner, "toHandle": "scout", "teamName": "alpha", "subject": "Find it" });
    let task = server.send(post("/tasks", &body).bearer(&server.owner())).await.expect(200);
    assert_eq!(socket.hear().await, json!({ "type": "task_assigned", "task": task, "handle": "owner" }));
}

#[tokio::test]
async fn a_chat_that_is_left_is_silent() {
    let server = Server::start().await;
    let (lead, scout, chat) = pair(&server).await;
    let mut socket = server.authenticated(&scout).await;
    socket.subscribe(&chat).await;
    socket.say(json!({ "type": "unsubscribe", "chatId": chat }).to_string()).await;
    socket.hears_nothing().await;
    let task = give(&server, &lead).await;
    resolve(&server, &lead, &task).await;
    assert_eq!(socket.hear().await["type"], "task_updated");
}

#[tokio::test]
async fn the_header_and_the_session_of_a_browser_authenticate_too() {
    let server = Server::start().await;
    let scout = server.token("scout", "alpha", Role::Worker);
    let known = json!({ "type": "authenticated", "uid": uid("scout") });
    let (bearer, cookie) = (format!("Bearer {scout}"), format!("fleet_session={scout}"));
    for header in [("authorization", bearer.as_str()), ("cookie", cookie.as_str())] {
        let mut socket = server.socket(&[header]).await.unwrap_or_else(|status| panic!("{status}"));
        assert_eq!(socket.hear().await, known);
    }
    // A cookie of old only leaves the browser a stranger, who can still show a token.
    let old = format!("fleet_session={}", server.expired());
    let mut socket = server.socket(&[("cookie", old.as_str())]).await.unwrap_or_else(|status| panic!("{status}"));
    assert_eq!(socket.ask(&json!({ "type": "auth", "token": scout })).await, known);
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_socket_goes_on() {
    let server = Server::start().await;
    let mut socket = stranger(&server).await;
    for text in ["{", "[1]", "{\"type\":\"dance\"}", "{\"type\":\"auth\"}", ""] {
        socket.say(text).await;
        let reply = socket.hear().await;
        assert_eq!(reply["type"], "error", "{text}: {reply}");
    }
    socket.hears_nothing().await;
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_socket() {
    let server = Server::start().await;
    let mut socket = stranger(&server).await;
    socket.say(" ".repeat(60_000)).await;
    assert_eq!(socket.hear().await["type"], "error");
    socket.say(" ".repeat(70_000)).await;
    let Message::Close(Some(close)) = socket.frame().await else { panic!("not closed") };
    assert_eq!(close.code, CloseCode::Size);
}

#[tokio::test]
async fn a_foreign_page_and_a_foreign_host_get_no_socket() {
    let server = Server::start().await;
    assert_eq!(server.socket(&[("origin", "http://evil.example")]).await.err(), Some(403));
    assert_eq!(server.socket(&[("host", "evil.example")]).await.err(), Some(421));
    let refused = server.send(get("/ws")).await.expect(426);
    assert_eq!(refused["code"], "UPGRADE_REQUIRED");
}

#[tokio::test]
async fn whoever_answers_no_ping_is_dropped() {
    let server = Server::start().await;
    let token = server.token("scout", "alpha", Role::Worker);
    let mut silent = server.authenticated(&token).await;
    let mut lively = server.authenticated(&token).await;
    server.clock.advance(Duration::from_secs(30));
    assert!(matches!(silent.frame().await, Message::Ping(_)));
    lively.hears_nothing().await;
    lively.hears_nothing().await;
    server.clock.advance(Duration::from_secs(30));
    silent.cut_off().await;
    lively.hears_nothing().await;
}

#[tokio::test]
async fn whoever_does_not_say_who_it_is_within_ten_seconds_is_sent_away() {
    let server = Server::start().await;
    let mut idle = stranger(&server).await;
    let mut guesses = stranger(&server).await;
    let mut known = server.authenticated(&server.token("scout", "alpha", Role::Worker)).await;
    idle.hears_nothing().await;
    server.clock.advance(Duration::from_secs(9));
    guesses.ask(&json!({ "type": "auth", "token": "guess" })).await;
    idle.hears_nothing().await;
    server.clock.advance(Duration::from_secs(1));
    for mut socket in [idle, guesses] {
        let Message::Close(Some(close)) = socket.frame().await else { panic!("not closed") };
        assert_eq!(close.code, CloseCode::Policy);
    }
    known.hears_nothing().await;
}

#[tokio::test]
async fn sockets_of_strangers_do_not_keep_the_owner_or_a_member_out() {
    let server = Server::with_streams(64).await;
    let first = stranger(&server).await;
    assert_eq!(server.socket(&[]).await.err(), Some(503), "strangers have one place of 64");
    let scout = format!("Bearer {}", server.token("scout", "alpha", Role::Worker));
    let mut members = Vec::new();
    while let Ok(socket) = server.socket(&[("authorization", scout.as_str())]).await {
        members.push(socket);
    }
    assert_eq!(members.len(), 8, "a member has an eighth");
    let owner = format!("Bearer {}", server.owner());
    let mut owners = Vec::new();
    while let Ok(socket) = server.socket(&[("authorization", owner.as_str())]).await {
        owners.push(socket);
    }
    assert_eq!(owners.len(), 64 - 8 - 1);
    drop(first);
}

#[tokio::test]
async fn a_token_whose_time_is_over_makes_a_stranger() {
    let server = Server::start().await;
    let mut socket = server.authenticated(&server.token("scout", "alpha", Role::Worker)).await;
    server.clock.advance(Duration::from_secs(3600));
    assert_eq!(socket.hear().await, json!({ "type": "error", "message": "Token expired" }));
    let reply = socket.ask(&json!({ "type": "subscribe", "chatId": "c" })).await;
    assert!(reply["message"].as_str().unwrap().starts_with("Authentication required."), "{reply}");
}

#[tokio::test]
async fn what_costs_something_counts_as_a_request() {
    let server = Server::start().await;
    server.set(|settings| settings.rate_limit_per_minute = 3);
    let mut socket = stranger(&server).await;
    let auth = json!({ "type": "auth", "token": "guess" });
    let mut last = json!(null);
    for _ in 0..4 {
        last = socket.ask(&auth).await;
    }
    assert_eq!(last["message"], "Too many requests. Try again later.");
}

#[tokio::test]
async fn a_socket_is_told_when_the_server_goes_away() {
    let server = Server::start().await;
    let mut socket = stranger(&server).await;
    socket.hears_nothing().await;
    let report = within(server.tree.shutdown(Duration::from_secs(5))).await;
    assert!(report.clean(), "{report:?}");
    let Message::Close(Some(close)) = socket.frame().await else { panic!("not closed") };
    assert_eq!(close.code, CloseCode::Away);
}
