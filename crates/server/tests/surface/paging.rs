//! Lists that continue: every item once, whatever the size of a page.

use std::collections::BTreeSet;

use serde_json::json;
use types::Role;

use crate::support::client::{get, post};
use crate::support::{Server, id};

/// Follows `Fleet-Next` to the end and returns every id in the order it came.
async fn walk(server: &Server, path: &str, token: &str, limit: usize) -> Vec<String> {
    let mut ids = Vec::new();
    let mut after = String::new();
    loop {
        let reply = server.send(get(format!("{path}?limit={limit}{after}")).bearer(token)).await;
        let page: Vec<String> = reply.expect(200).as_array().unwrap().iter().map(id).collect();
        assert!(page.len() <= limit, "{path}: {} of {limit}", page.len());
        ids.extend(page);
        match reply.header("fleet-next") {
            Some(next) => after = format!("&after={}", encode(next)),
            None => return ids,
        }
    }
}

fn encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test]
async fn every_page_size_covers_all_missions_exactly_once() {
    let server = Server::start().await;
    let owner = server.owner();
    let project = server.project(&owner).await;
    let mut stated = BTreeSet::new();
    for at in 0..13 {
        let body =
            json!({ "project_id": project, "title": format!("{at}"), "detailed_prompt": "p", "priority": at % 3 });
        stated.insert(id(&server.send(post("/api/missions", &body).bearer(&owner)).await.expect(201)));
    }
    for path in ["/api/missions", "/teams/default/tasks"] {
        let whole = walk(&server, path, &owner, 1000).await;
        assert_eq!(whole.iter().cloned().collect::<BTreeSet<_>>(), stated, "{path}");
        for limit in [1, 2, 4, 12, 13, 14] {
            assert_eq!(walk(&server, path, &owner, limit).await, whole, "{path} by {limit}");
        }
    }
}

#[tokio::test]
async fn pages_hold_only_what_the_caller_may_see() {
    let server = Server::start().await;
    let (alpha, beta) = (server.token("a", "alpha", Role::TeamLead), server.token("b", "beta", Role::TeamLead));
    let (shop, till) = (server.project(&alpha).await, server.project(&beta).await);
    let mut mine = BTreeSet::new();
    for at in 0..6 {
        mine.insert(server.mission(&alpha, &shop, &format!("mine {at}")).await);
        server.mission(&beta, &till, &format!("theirs {at}")).await;
    }
    let seen = walk(&server, "/api/missions", &alpha, 2).await;
    assert_eq!((seen.len(), seen.into_iter().collect::<BTreeSet<_>>()), (6, mine));
    assert_eq!(walk(&server, "/api/projects", &alpha, 1).await, [shop]);
    assert_eq!(walk(&server, "/api/missions", &server.owner(), 5).await.len(), 12);
}
