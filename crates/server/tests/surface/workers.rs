//! Workers over HTTP and on sockets, with one that others run.

use serde_json::{Value, json};
use types::{Role, SessionId};

use crate::support::client::{get, post};
use crate::support::{Server, id, within};

async fn register(server: &Server, token: &str) -> Value {
    let body = json!({ "handle": "scout", "workingDir": "/srv/shop" });
    server.send(post("/orchestrate/workers/register", &body).bearer(token)).await.expect(200)
}

async fn report(server: &Server, token: &str, line: &str) {
    let body = json!({ "event": line });
    server.send(post("/orchestrate/workers/scout/output", &body).bearer(token)).await.expect(200);
}

async fn dismiss(server: &Server, token: &str) -> Value {
    server.send(post("/orchestrate/dismiss/scout", &json!({})).bearer(token)).await.expect(200)
}

#[tokio::test]
async fn a_worker_is_told_from_its_start_over_all_it_says_to_its_end_to_its_team_alone() {
    let server = Server::start().await;
    let lead = server.register("lead", "alpha", Role::TeamLead).await;
    let stranger = server.register("lead", "beta", Role::TeamLead).await;
    let mut team = server.authenticated(&lead).await;
    let mut owner = server.authenticated(&server.owner()).await;
    let mut other = server.authenticated(&stranger).await;

    let worker = register(&server, &lead).await;
    report(&server, &lead, "one").await;
    report(&server, &lead, "two").await;
    dismiss(&server, &lead).await;
    for socket in [&mut team, &mut owner] {
        let spawned = socket.hear().await;
        assert_eq!(spawned["type"], "worker_spawned");
        assert_eq!((&spawned["worker"]["id"], &spawned["worker"]["handle"]), (&worker["id"], &json!("scout")));
        let mut said = String::new();
        let last = loop {
            let told = socket.hear().await;
            if told["type"] != "worker_output" {
                break told;
            }
            assert_eq!((&told["handle"], &told["teamName"]), (&json!("scout"), &json!("alpha")));
            said = format!("{said}{}\n", told["output"].as_str().unwrap());
        };
        assert_eq!(said, "one\ntwo\n");
        let gone = json!({
            "type": "worker_dismissed", "handle": "scout", "teamName": "alpha", "sessionId": worker["id"],
            "reason": "cancelled",
        });
        assert_eq!(last, gone);
    }
    other.hears_nothing().await;
}

#[tokio::test]
async fn what_is_said_before_anybody_listens_is_not_told_later() {
    let server = Server::start().await;
    let lead = server.register("lead", "alpha", Role::TeamLead).await;
    let session = id(&register(&server, &lead).await).parse::<SessionId>().unwrap();
    let mut live = server.service().sessions().watch(&session).unwrap();
    let began = json!({ "type": "system", "subtype": "init", "session_id": "c-1" });
    report(&server, &lead, &began.to_string()).await;
    within(live.wait_for(|live| live.conversation.is_some())).await.unwrap();
    let mut socket = server.authenticated(&lead).await;
    report(&server, &lead, "after").await;
    dismiss(&server, &lead).await;
    assert_eq!(socket.hear().await["output"], "after");
    assert_eq!(socket.hear().await["type"], "worker_dismissed");
}

#[tokio::test]
async fn the_figures_for_prometheus_count_the_workers_there_are() {
    let server = Server::start().await;
    let lead = server.register("lead", "alpha", Role::TeamLead).await;
    register(&server, &lead).await;
    let text = server.send(get("/metrics").bearer(&lead)).await.text();
    for line in [
        "collab_workers_by_state{state=\"ready\"} 1",
        "collab_workers_healthy 1",
        "collab_workers_total 1",
        "collab_worker_restarts_total 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
}
