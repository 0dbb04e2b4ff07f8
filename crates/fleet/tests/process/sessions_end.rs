//! Promises 4, 5 and 9: what is stopped is gone, ceilings hold, and what is said of a session is so.

use std::time::Duration;

use api::Code;
use api::claude_fleet::{DismissWorker, RegisterWorker, ReportWorkerOutput};
use api::devfleet::{
    CancelSession, DispatchMission, ExplainMission, ListSessions, MissionStatus, SessionStatus, WaitForMission,
};
use runtime::Clock;
use rustix::process::{Signal, kill_process};
use serde_json::json;
use types::{MissionId, SessionId};

use crate::sessions::{Work, git, launch, pid_of, processes, runs, script};

const TEN_SECONDS: Duration = Duration::from_secs(10);

const HANG: &str = "{ do = 'hang' }";

/// An agent that says that it is up and never ends.
fn hanging() -> String {
    script(&["{ do = 'say', text = 'begun' }", HANG])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_agent_is_gone_with_everything_it_started_although_it_does_not_want_to() {
    let work = Work::begin(launch()).await;
    let stubborn =
        ["{ do = 'ignore_term' }", "{ do = 'fork_off', secs = 300 }", "{ do = 'say', text = 'begun' }", HANG];
    let (mission, session) = work.run(&script(&stubborn)).await;
    work.server().session_says(&session, "begun").await;
    assert!(processes(&session).len() >= 2, "the agent and what it left behind");
    let clock = Clock::system();
    work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    assert!(clock.monotonic() < TEN_SECONDS, "{:?}", clock.monotonic());
    assert_eq!(processes(&session), [].into());
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.error_type.as_str()), (SessionStatus::Cancelled, "cancelled"));
    assert_eq!(work.status(&mission).await, "failed");
    let again = work.call::<CancelSession>(json!({ "session": session })).await.unwrap_err();
    assert_eq!(again.code, Code::SESSION_NOT_RUNNING);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_that_a_kill_of_the_server_cut_off_is_finished_by_the_next_one() {
    let mut work = Work::begin(launch().env("FLEET_STOP_GRACE_SECS", 3)).await;
    let stubborn = ["{ do = 'ignore_term' }", "{ do = 'say', text = 'begun' }", HANG];
    let (_, session) = work.run(&script(&stubborn)).await;
    work.server().session_says(&session, "begun").await;
    let client = work.server().owner();
    let cancel = serde_json::from_value::<CancelSession>(json!({ "session": session })).unwrap();
    let answer = async { client.call(cancel).await };
    // The first event of the session after this is that it stops.
    let stops = work.server().log().line("an agent is told to go");
    tokio::select! {
        answer = answer => panic!("it took no time: {answer:?}"),
        _ = stops => {}
    }
    work.restart().await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Cancelled, 0), "{ended:#?}");
    assert_eq!(processes(&session), [].into());
}

/// An agent with a process in a session of its own beside it, whose shim does not answer.
async fn hung(work: &Work) -> (MissionId, SessionId, u32) {
    let steps = ["{ do = 'fork_off', secs = 300 }", "{ do = 'say', text = 'begun' }", HANG];
    let (mission, session) = work.run(&script(&steps)).await;
    work.server().session_says(&session, "begun").await;
    assert!(processes(&session).len() >= 2, "the agent and what it left behind");
    let (shim, _) = work.pids(&mission, &session, 1);
    kill_process(pid_of(shim), Signal::STOP).unwrap();
    (mission, session, shim)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancelled_agent_is_gone_although_its_shim_hangs() {
    let work = Work::begin(launch()).await;
    let (mission, session, shim) = hung(&work).await;
    let clock = Clock::system();
    work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    assert!(clock.monotonic() < TEN_SECONDS, "{:?}", clock.monotonic());
    assert_eq!(processes(&session), [].into());
    assert!(!runs(shim));
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.error_type.as_str()), (SessionStatus::Cancelled, "cancelled"), "{ended:#?}");
    assert_eq!(work.status(&mission).await, "failed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_of_an_agent_whose_shim_hangs_is_finished_by_the_next_server() {
    let mut work = Work::begin(launch()).await;
    let (mission, session, shim) = hung(&work).await;
    let client = work.server().owner();
    let cancel = serde_json::from_value::<CancelSession>(json!({ "session": session })).unwrap();
    let stops = work.server().log().line("an agent is told to go");
    tokio::select! {
        answer = client.call(cancel) => panic!("it took no time: {answer:?}"),
        _ = stops => {}
    }
    work.restart().await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Cancelled, 0), "{ended:#?}");
    assert_eq!(processes(&session), [].into());
    assert!(!runs(shim) && !work.spool(&mission, &session, 2).exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_can_be_cancelled_before_it_has_a_process() {
    let work = Work::begin(launch()).await;
    let recipe = "[workspace]\nsetup = [\"sleep 20\"]\n";
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    std::fs::write(work.repository.join("fleet.toml"), recipe).unwrap();
    git(&work.repository, &["add", "fleet.toml"]);
    git(&work.repository, &["commit", "--quiet", "--message=recipe"]);
    let (mission, session) = work.run(&hanging()).await;
    let clock = Clock::system();
    work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    assert!(clock.monotonic() < Duration::from_secs(20), "{:?}", clock.monotonic());
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Cancelled);
    assert!(!work.spool(&mission, &session, 1).join("shim.json").exists(), "an agent was started");
    assert_eq!(work.status(&mission).await, "failed");
    let trees = git(&work.repository, &["worktree", "list", "--porcelain"]);
    assert_eq!(trees.matches("worktree ").count(), 1, "a worktree was left that no session names: {trees}");
    assert_eq!(git(&work.repository, &["branch", "--format=%(refname:short)"]), "main\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_agents_run_than_may() {
    let work = Work::begin(launch().env("MAX_WORKERS", 1)).await;
    let (_, first) = work.run(&hanging()).await;
    let second = work.mission(&script(&["{ do = 'say', text = 'begun' }"])).await;
    // What a mission cannot say of itself would be lost in the queue.
    let refused = work.dispatch(&second, json!({ "in_place": true })).await.unwrap_err();
    assert_eq!((refused.code, refused.kind()), (Code::FLEET_FULL, api::Kind::Exhausted), "{refused:?}");
    assert_eq!(work.status(&second).await, "draft");
    let queued = work.call::<DispatchMission>(json!({ "mission": second, "agent": "sim" })).await.unwrap();
    assert_eq!((queued.session_id, queued.status), (None, MissionStatus::Queued));
    assert_eq!(work.status(&second).await, "queued");
    let why = work.call::<ExplainMission>(json!({ "mission": second })).await.unwrap().why;
    assert!(why.contains("The one slot"), "{why}");
    assert_eq!(work.call::<ListSessions>(json!({})).await.unwrap().items.len(), 1, "a session was left behind");
    work.call::<CancelSession>(json!({ "session": first })).await.unwrap();
    let awaited = work.call::<WaitForMission>(json!({ "mission": second })).await.unwrap();
    assert!(!awaited.timed_out);
    let sessions = work.call::<ListSessions>(json!({ "mission_id": second })).await.unwrap().items;
    assert_eq!(sessions.len(), 1, "it was started once, and by itself");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ceilings_end_a_session_and_it_is_not_tried_again() {
    let work = Work::begin(launch().env("FLEET_DEFAULT_TIMEOUT", 2)).await;
    let spend = "{ do = 'spend', input = 1, output = 1, dollars = 1.0 }";
    let rich = script(&[spend, "{ do = 'turn', text = 'first' }", "{ do = 'say', text = 'more' }", HANG]);
    let many = script(&["{ do = 'repeat', times = 3, step = [{ do = 'spend', input = 1 }] }", HANG]);
    let runs = [
        (work.run(&hanging()).await, "timeout"),
        (work.run_with(&rich, json!({ "max_budget_usd": 0.5 })).await, "budget"),
        (work.run_with(&many, json!({ "max_turns": 2 })).await, "max_turns"),
    ];
    for ((mission, session), class) in runs {
        let ended = work.server().session_ended(&session).await.session;
        let told = (ended.status, ended.error_type.as_str(), ended.retry_count);
        assert_eq!(told, (SessionStatus::Failed, class, 0), "{ended:#?}");
        assert_eq!(processes(&session), [].into());
        assert_eq!(work.status(&mission).await, "failed");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silence_is_restarted_and_a_long_call_is_not() {
    let patience = launch().env("FLEET_STALE_AFTER_SECS", 1).env("FLEET_DEGRADED_AFTER_SECS", 1);
    let work = Work::begin(patience).await;
    let call = r#"{ do = 'print', line = '{"kind":"tool_call","id":"c","name":"Bash","input":null,"within":null}' }"#;
    let busy = script(&[call, "{ do = 'sleep', ms = 3500 }", "{ do = 'finish', text = 'built' }"]);
    let (_, busy) = work.run(&busy).await;
    let (_, silent) = work.run(&hanging()).await;
    let ended = work.server().session_ended(&silent).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
    let ended = work.server().session_ended(&busy).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 0), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_others_run_outlives_the_server_too_and_takes_what_it_cost_with_it() {
    let mut work = Work::begin(launch()).await;
    let register = json!({ "handle": "guest", "workingDir": work.repository });
    let session = work.call::<RegisterWorker>(register).await.unwrap().id;
    work.restart().await;
    let said = json!({ "handle": "guest", "event": "I am still here" });
    work.call::<ReportWorkerOutput>(said).await.unwrap();
    work.server().session_says(&session, "I am still here").await;
    work.restart().await;
    work.call::<DismissWorker>(json!({ "handle": "guest" })).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Cancelled, 0), "{ended:#?}");
}
