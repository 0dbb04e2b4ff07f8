//! An agent whose output is a terminal: asked for in the settings, and as whole and as safe as without.

use api::claude_fleet::DismissWorker;
use api::devfleet::{CancelSession, SessionStatus};
use serde_json::{Value, json};
use testkit::Launch;

use crate::sessions::{Work, flood, launch, processes, runs, script};

/// A start whose scripted agents are on a terminal.
#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
fn on_terminals() -> Launch {
    let launch = launch();
    std::fs::create_dir_all(launch.home()).unwrap();
    std::fs::write(launch.home().join("runtime.toml"), "[agents.sim]\npty = true\n").unwrap();
    launch
}

fn answers(frames: &[Value]) -> Vec<&str> {
    frames.iter().filter(|frame| frame["type"] == "tool_result").filter_map(|frame| frame["text"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_has_a_raw_terminal_of_a_set_size_if_its_settings_say_so_and_else_none() {
    let asked = script(&["{ do = 'terminal' }", "{ do = 'finish', text = 'seen' }"]);
    for (launch, expected) in [(launch(), "no terminal"), (on_terminals(), "a raw terminal of 50 rows and 250 columns")]
    {
        let work = Work::begin(launch).await;
        let (_, session) = work.run(&asked).await;
        let frames = work.server().session_transcript(&session).await;
        assert_eq!(answers(&frames), [expected]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_written_to_a_terminal_is_in_the_log_byte_by_byte() {
    let work = Work::begin(on_terminals()).await;
    let odd = r#"{ do = 'print', line = "a\tb \u001b[1mbold\u001b[0m \u0004 \u0003 ü\r" }"#;
    let (mission, session) = work.run(&script(&[odd, "{ do = 'finish', text = 'written' }"])).await;
    work.server().session_ended(&session).await;
    #[expect(clippy::disallowed_methods, reason = "a test reads what the program wrote")]
    let log = std::fs::read(work.spool(&mission, &session, 1).join("log.jsonl")).unwrap();
    let line = "\na\tb \u{1b}[1mbold\u{1b}[0m \u{4} \u{3} ü\r\n".as_bytes();
    assert!(log.windows(line.len()).any(|part| part == line), "{}", String::from_utf8_lossy(&log));
    let breaks = log.iter().filter(|byte| **byte == b'\n').count();
    let returns = log.iter().filter(|byte| **byte == b'\r').count();
    assert!(returns == 1 && breaks > 2, "{}", String::from_utf8_lossy(&log));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_on_a_terminal_goes_on_while_its_server_is_killed_and_no_line_is_lost() {
    let mut work = Work::begin(on_terminals()).await;
    let flooding = "{ do = 'flood', lines = 400, every_ms = 5 }";
    let (mission, session) = work.run(&script(&[flooding, "{ do = 'finish', text = 'all said' }"])).await;
    for words in ["flood 20 ", "flood 200 "] {
        work.server().session_says(&session, words).await;
        let (_, agent) = work.pids(&mission, &session, 1);
        work.restart().await;
        assert!(runs(agent), "the agent went with the server");
    }
    let frames = work.server().session_transcript(&session).await;
    assert_eq!(flood(&frames), (1..=400).collect::<Vec<_>>());
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 0), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_on_a_terminal_is_stopped_with_everything_it_started_also_by_the_next_server() {
    let mut work = Work::begin(on_terminals()).await;
    let stubborn = [
        "{ do = 'ignore_term' }",
        "{ do = 'fork_off', secs = 300 }",
        "{ do = 'say', text = 'begun' }",
        "{ do = 'hang' }",
    ];
    let (_, first) = work.run(&script(&stubborn)).await;
    let (_, second) = work.run(&script(&stubborn)).await;
    for session in [&first, &second] {
        work.server().session_says(session, "begun").await;
        assert!(processes(session).len() >= 2);
    }
    work.call::<CancelSession>(json!({ "session": first })).await.unwrap();
    work.restart().await;
    let handle = work.server().session_until(&second, |_| true).await.session.handle;
    work.call::<DismissWorker>(json!({ "handle": handle })).await.unwrap();
    for session in [&first, &second] {
        let ended = work.server().session_ended(session).await.session;
        assert_eq!(ended.status, SessionStatus::Cancelled, "{ended:#?}");
        assert_eq!(processes(session), [].into());
    }
}
