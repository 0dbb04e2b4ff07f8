//! The change feed as server-sent events.

use std::time::Duration;

use serde_json::json;
use types::Role;

use crate::support::client::{get, post};
use crate::support::{Server, within};

#[tokio::test]
async fn a_change_is_shown_with_its_place_who_made_it_and_what_happened() {
    let server = Server::start().await;
    let owner = server.owner();
    let mut events = server.events(get("/api/events").bearer(&owner)).await;
    let headers = [("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no")];
    for (name, value) in headers {
        assert_eq!(events.headers[name], value);
    }
    let project = server.project(&owner).await;
    let (position, change) = events.change().await;
    let expected = json!({
        "position": 1, "at": "2026-01-02T03:04:05.000Z", "by": "owner", "team": "default",
        "events": [{ "type": "project_created", "project": project }],
    });
    assert_eq!((position.as_str(), change), ("1", expected));
}

#[tokio::test]
async fn a_client_that_comes_back_sees_each_change_exactly_once() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    for at in 0..4 {
        server.mission(&owner, &project, &format!("{at}")).await;
    }
    let mut first = server.events(get("/api/events?after=0").bearer(&owner)).await;
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(first.change().await);
    }
    drop(first);
    for at in 4..8 {
        server.mission(&owner, &project, &format!("{at}")).await;
    }
    // The header is what a browser sends by itself, so it wins over the address it was opened with.
    let last = seen.last().unwrap().0.clone();
    let again = get("/api/events?after=0").header("Last-Event-ID", &last).bearer(&owner);
    let mut second = server.events(again).await;
    while seen.len() < 9 {
        seen.push(second.change().await);
    }
    let positions: Vec<u64> = seen.iter().map(|(_, change)| change["position"].as_u64().unwrap()).collect();
    assert_eq!(positions, (1..=9).collect::<Vec<_>>());
    let ids: Vec<u64> = seen.iter().map(|(id, _)| id.parse().unwrap()).collect();
    assert_eq!(ids, positions);
}

#[tokio::test]
async fn without_a_position_only_what_comes_is_shown_and_the_place_is_told_at_once() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let mut events = server.events(get("/api/events").bearer(&owner)).await;
    assert!(events.frame().await.unwrap().ends_with("id: 1"));
    server.mission(&owner, &project, "new").await;
    assert_eq!(events.change().await.1["position"], 2);
}

#[tokio::test]
async fn a_position_that_is_none_is_refused() {
    let server = Server::start().await;
    let owner = server.owner();
    server.project(&owner).await;
    for position in ["x", "-1", "1.5", "", "18446744073709551616", "2", "18446744073709551615"] {
        let asked = get(format!("/api/events?after={position}")).bearer(&owner);
        let refused = server.send(asked).await.expect(422);
        assert_eq!(refused["detail"][0]["loc"], json!(["body", "after"]), "{refused}");
        let resumed = get("/api/events?after=0").header("Last-Event-ID", position).bearer(&owner);
        assert_eq!(server.send(resumed).await.status, 422, "{position:?}");
    }
    assert_eq!(server.send(get("/api/events?after=0&after=1").bearer(&owner)).await.status, 422);
}

#[tokio::test]
async fn a_client_that_was_away_for_longer_than_changes_are_kept_is_told_to_read_afresh() {
    let server = Server::start().await;
    let project = server.project(&server.owner()).await;
    for at in 0..4 {
        server.mission(&server.owner(), &project, &format!("{at}")).await;
    }
    server.clock.advance(Duration::from_secs(8 * 86_400));
    let owner = server.owner();
    let swept = server.send(post("/retention/run", &json!({})).bearer(&owner)).await;
    assert_eq!(swept.status, 200);
    let asked = get("/api/events?after=1").bearer(&owner);
    let refused = server.send(asked).await.expect(422).to_string();
    assert!(refused.contains("is older than the feed, which begins behind 4"), "{refused}");
    // From where changes are kept it goes on.
    let mut events = server.events(get("/api/events?after=4").bearer(&owner)).await;
    assert_eq!(events.change().await.0, "5");
}

#[tokio::test]
async fn a_member_sees_the_changes_of_its_own_team_and_is_told_how_far_it_is() {
    let server = Server::start().await;
    let (alpha, beta) = (server.token("a", "alpha", Role::TeamLead), server.token("b", "beta", Role::TeamLead));
    let mut events = server.events(get("/api/events").bearer(&alpha)).await;
    server.project(&beta).await;
    server.project(&alpha).await;
    let (position, change) = events.change().await;
    assert_eq!((position.as_str(), &change["team"]), ("2", &json!("alpha")));

    server.project(&beta).await;
    // A heartbeat comes every fifteen seconds; once the foreign change is passed, it carries the place.
    loop {
        server.clock.advance(Duration::from_secs(15));
        match events.frame().await.unwrap().as_str() {
            ":" | ": " => {}
            frame => break assert_eq!(frame, "id: 3"),
        }
    }
}

#[tokio::test]
async fn the_stream_of_a_token_whose_time_is_over_ends() {
    let server = Server::start().await;
    let mut events = server.events(get("/api/events").bearer(&server.owner())).await;
    events.frame().await.unwrap();
    server.clock.advance(Duration::from_secs(3600));
    assert_eq!(events.frame().await, None);
}

#[tokio::test]
async fn a_stream_ends_in_good_order_when_the_server_stops() {
    let server = Server::start().await;
    let mut events = server.events(get("/api/events").bearer(&server.owner())).await;
    events.frame().await.unwrap();
    let report = within(server.tree.shutdown(Duration::from_secs(5))).await;
    assert!(report.clean(), "{report:?}");
    assert_eq!(events.frame().await, None);
}

#[tokio::test]
async fn there_are_so_many_places_and_one_that_is_left_is_free_again() {
    let server = Server::with_streams(1).await;
    let owner = server.owner();
    let first = server.events(get("/api/events").bearer(&owner)).await;
    let refused = server.send(get("/api/events").bearer(&owner)).await.expect(503);
    assert_eq!(refused["code"], "TOO_MANY_STREAMS");
    assert_eq!(server.socket(&[]).await.err(), Some(503));
    drop(first);
    // The server notices as soon as it has something to send.
    server.project(&owner).await;
    within(async { while server.socket(&[]).await.is_err() {} }).await;
}
