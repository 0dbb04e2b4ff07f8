//! An agent whose network is `hosts` reaches the hosts of its list and Fleet's server, and what it is refused is shown.

use std::net::TcpListener;

use api::claude_fleet::ListViolations;
use serde_json::json;

use crate::sandbox::{begin, is_held, tried, tries};

#[tokio::test]
async fn an_agent_reaches_listed_hosts_through_its_proxy_and_nothing_else() {
    let [listed, other] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [listed, other] = [&listed, &other].map(|listener| listener.local_addr().unwrap());
    let work = begin(&[("FLEET_SANDBOX_NETWORK", "hosts"), ("FLEET_SANDBOX_HOSTS", &listed.to_string())]).await;
    let tunnel = |target: String| tries("tunnel", format!("127.0.0.1:61080/{target}"));
    let server = work.server().url().trim_start_matches("http://").to_owned();
    let steps = [
        tunnel(listed.to_string()),
        tries("connect", &server),
        tries("connect", listed.to_string()),
        tries("connect", other.to_string()),
        tunnel(other.to_string()),
        tunnel(other.to_string()),
        tunnel("evil.example:443".to_owned()),
        tunnel(format!("localhost:{}", other.port())),
    ];
    let shown = work.play("implement", &steps).await;
    let said = shown.session.sandbox.clone().unwrap_or_default();
    if !is_held(&shown) || said.contains("without") {
        return;
    }
    assert!(said.contains("listed hosts"), "{said}");
    let expected = [true, true, false, false, false, false, false, false];
    assert_eq!(tried(&shown), expected, "{}", shown.session.output_log);
    let violations = work.call::<ListViolations>(json!({ "sessionId": shown.session.id })).await.unwrap().items;
    let mut refused: Vec<String> = violations.iter().map(|violation| violation.operation.clone()).collect();
    refused.sort();
    let port = other.port();
    assert_eq!(refused, [format!("{other} ×2"), "evil.example:443 ×1".to_owned(), format!("localhost:{port} ×1")]);
    assert!(violations.iter().all(|violation| violation.tool == "network"));

    // The control: without it, everything on the machine is reached directly.
    let open = work.play_said(json!({ "sandbox_network": "open" }), &steps[1..4]).await;
    assert_eq!(tried(&open), [true, true, true], "{}", open.session.output_log);
}
