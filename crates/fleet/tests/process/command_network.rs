//! Checks and recipes whose network is `hosts` reach the hosts of the list, and what they are refused is shown.

use std::net::TcpListener;

use api::devfleet::SessionStatus;
use serde_json::json;

use crate::landing::{lands, put, rule, until, writes};
use crate::sandbox::begin;
use crate::sessions::{git, script};

/// Tries connections by the proxy and without it, and says what came of each.
const TRIES: &str = r#"
by_proxy() {
    if ! { exec 3<>/dev/tcp/127.0.0.1/61080; } 2>/dev/null; then echo "by proxy $1: no proxy"; return; fi
    printf 'CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n' "$1" "$1" >&3
    read -r _ code _ <&3
    echo "by proxy $1: $code"
    exec 3>&-
}
directly() {
    if (exec 3<>"/dev/tcp/${1%:*}/${1#*:}") 2>/dev/null; then echo "directly $1: done"; else echo "directly $1: refused"; fi
}
"#;

fn two_listeners() -> [TcpListener; 2] {
    [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_reaches_listed_hosts_and_its_evidence_names_the_others() {
    let [listed, other] = two_listeners();
    let [listed, other] = [&listed, &other].map(|listener| listener.local_addr().unwrap());
    let work = begin(&[("FLEET_SANDBOX_NETWORK", "hosts"), ("FLEET_SANDBOX_HOSTS", &listed.to_string())]).await;
    let script = format!(
        "{TRIES}\nby_proxy {listed}\ndirectly {listed}\nby_proxy {other}\nby_proxy {other}\ndirectly {other}\nby_proxy evil.example:443\n"
    );
    rule(&work, json!({ "checks": ["bash ./test.sh"] })).await;
    let (mission, _) = work.run(&writes(&[("test.sh", &script)])).await;
    let check = lands(&work, &mission).await.checks.remove(0);
    let said = check.sandbox.clone().unwrap();
    if !said.starts_with("held: ") || !said.contains("listed hosts") {
        return;
    }
    let expected = [
        format!("by proxy {listed}: 200"),
        format!("directly {listed}: done"),
        format!("by proxy {other}: 403"),
        format!("by proxy {other}: 403"),
        format!("directly {other}: refused"),
        "by proxy evil.example:443: 403".to_owned(),
    ];
    assert_eq!(check.output_tail.lines().collect::<Vec<_>>(), expected, "{check:#?}");
    let why = "is not on the list of hosts that it may reach";
    assert_eq!(check.refused, [format!("{other} ×2 {why}"), format!("evil.example:443 ×1 {why}")]);

    // The next check is told nothing of that; and the control: with an open network there is no proxy, and no need of one.
    rule(&work, json!({ "sandbox_network": "open" })).await;
    let script = format!("{TRIES}\nby_proxy {listed}\ndirectly {listed}\ndirectly {other}\n");
    git(&work.repository, &["clean", "--quiet", "--force"]);
    let (mission, _) = work.run(&writes(&[("test.sh", &script)])).await;
    let check = lands(&work, &mission).await.checks.remove(0);
    let expected =
        [format!("by proxy {listed}: no proxy"), format!("directly {listed}: done"), format!("directly {other}: done")];
    assert_eq!(check.output_tail.lines().collect::<Vec<_>>(), expected, "{check:#?}");
    assert!(check.refused.is_empty(), "{check:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_red_check_tells_its_agent_which_hosts_it_may_not_reach() {
    let work = begin(&[("FLEET_SANDBOX_NETWORK", "hosts"), ("FLEET_SANDBOX_HOSTS", "registries")]).await;
    // Green on the target, which has no script: the work is to blame.
    rule(&work, json!({ "checks": ["test ! -e test.sh || bash ./test.sh"] })).await;
    let script = format!("{TRIES}\nby_proxy evil.example:443\nexit 1\n");
    let (mission, _) = work.run(&writes(&[("test.sh", &script)])).await;
    let seen = until(&work, &mission, |landing| ["returned", "stuck"].contains(&landing.status.as_str())).await;
    let check = &seen.checks[0];
    if check.sandbox.as_deref().is_some_and(|said| said.contains("listed hosts")) {
        assert_eq!(check.refused.len(), 1, "{check:#?}");
        assert!(check.refused[0].starts_with("evil.example:443 ×1"), "{check:#?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_recipe_reaches_listed_hosts_and_its_failure_names_the_others() {
    let [listed, other] = two_listeners();
    let [listed, other] = [&listed, &other].map(|listener| listener.local_addr().unwrap());
    let work = begin(&[("FLEET_SANDBOX_NETWORK", "hosts"), ("FLEET_SANDBOX_HOSTS", &listed.to_string())]).await;
    let script_text = format!("{TRIES}\nby_proxy {listed}\nby_proxy {other}\nexit 1\n");
    put(&work.repository.join("setup.sh"), &script_text);
    put(&work.repository.join("fleet.toml"), "[workspace]\nsetup = ['bash ./setup.sh']\n");
    git(&work.repository, &["add", "setup.sh", "fleet.toml"]);
    git(&work.repository, &["commit", "--quiet", "--message", "recipe"]);
    let (_, session) = work.run(&script(&[r#"{ do = "finish", text = "over" }"#])).await;
    let shown = work.server().session_until(&session, |shown| shown.session.status == SessionStatus::Failed).await;
    let why = shown.session.last_error.clone();
    if why.contains("no proxy") {
        return;
    }
    assert!(why.contains(&format!("by proxy {listed}: 200")), "{shown:#?}");
    assert!(why.contains(&format!("network refused: {other} ×1")), "{shown:#?}");
}
