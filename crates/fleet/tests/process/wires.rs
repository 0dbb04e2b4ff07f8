//! What an agent can reach of the files and sockets between server, shim, hook and bridge, and what it gains by that.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use api::claude_fleet::ListViolations;
use api::devfleet::CancelSession;
use runtime::Clock;
use serde_json::json;
use testkit::Launch;
use types::SessionId;

use crate::sessions::{Work, launch};

/// Lines that the agent writes: to store each would take minutes.
const LINES: usize = 60_000;

/// Starts a server, and an agent on it that is this script.
async fn agent(launch: Launch, script: &str) -> (Work, SessionId) {
    let program = launch.home().parent().unwrap().join("agy");
    let settings = format!("[agents.agy]\nbinary = '{}'\n", program.display());
    std::fs::create_dir_all(launch.home()).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    std::fs::write(launch.home().join("runtime.toml"), settings).unwrap();
    let work = Work::begin(launch).await;
    let mission = work.mission("Do as you like.").await;
    let session = work.dispatch(&mission, json!({ "agent": "agy" })).await.unwrap();
    (work, session)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_whose_journal_is_flooded_is_stopped_in_its_time_and_stores_little_of_it() {
    let call = json!({"tool": "Bash", "raw_tool": "Bash", "command": "rm -rf /", "paths": [], "hosts": [],
        "input": {"command": "rm -rf /"}});
    let verdict = json!({"verdict": "block", "by": {"kind": "preset"}, "why": "no"});
    let line = json!({"at": "2026-01-01T00:00:00Z", "key": "k", "id": null, "call": call, "verdict": verdict});
    let flood = format!(
        "yes '{line}' | head -n {LINES} >> \"$FLEET_TASK_DIR/private-1/calls.ndjson\"\n\
         echo flooded\nwhile :; do sleep 1; done"
    );
    let launch = launch();
    let database = launch.database();
    let size = || std::fs::metadata(&database).unwrap().len();
    let (work, session) = agent(launch, &flood).await;
    work.server().session_says(&session, "flooded").await;

    let clock = Clock::system();
    let (before, asked) = (size(), clock.monotonic());
    work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    work.server().session_ended(&session).await;
    let took = clock.monotonic() - asked;
    assert!(took < Duration::from_secs(15), "{took:?}");
    let listed = work.call::<ListViolations>(json!({ "sessionId": session, "limit": 1000 })).await.unwrap();
    let listed = serde_json::to_value(listed).unwrap().to_string();
    assert_eq!(listed.matches(r#""journal""#).count(), 1, "the rest is counted");
    assert!(listed.matches("rm -rf /").count() <= 200, "few are stored");
    let grown = size().saturating_sub(before);
    assert!(grown < 4 << 20, "the database has grown by {grown} bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_in_its_sandbox_reads_neither_the_secret_of_its_launch_nor_what_it_will_be_told() {
    // The shim writes its record when the agent has begun.
    let script = r#"sleep 1
for file in 1/shim.json outbox-1.jsonl; do
    if cat "$FLEET_TASK_DIR/$file" >/dev/null 2>&1; then echo "reads $file"; else echo "misses $file"; fi
done
if { echo x >> "$FLEET_TASK_DIR/private-1/fence.json"; } 2>/dev/null; then echo 'writes fence'; else echo 'keeps fence'; fi
sleep 60"#;
    for (sandbox, expected) in [
        ("off", ["reads 1/shim.json", "reads outbox-1.jsonl", "writes fence"]),
        ("auto", ["misses 1/shim.json", "misses outbox-1.jsonl", "keeps fence"]),
    ] {
        let (work, session) = agent(launch().env("FLEET_SANDBOX", sandbox), script).await;
        for line in expected {
            work.server().session_says(&session, line).await;
        }
        work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    }
}
