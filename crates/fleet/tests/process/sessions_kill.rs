//! Promise 6: a server that is killed or upgraded interrupts no agent, loses no line and starts nothing twice.

use std::time::Duration;

use api::claude_fleet::{DismissWorker, SendToWorker, SpawnWorker};
use api::devfleet::SessionStatus;
use runtime::Rng;
use rustix::process::{Signal, kill_process};
use serde_json::json;

use crate::sessions::{Work, flood, git, launch, parent, pid_of, processes, runs, script, words};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_commits_on_a_branch_of_its_own_and_its_mission_is_done() {
    let work = Work::begin(launch()).await;
    let head = git(&work.repository, &["rev-parse", "HEAD"]);
    let (mission, session) = work.run("Write a greeting").await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.exit_code), (SessionStatus::Completed, Some(0)), "{ended:#?}");
    let log = git(&work.repository, &["log", "--format=%s", ended.branch.as_ref().unwrap()]);
    assert_eq!(log.lines().count(), 2, "{log}");
    assert_eq!(work.status(&mission).await, "completed");
    assert_eq!(git(&work.repository, &["rev-parse", "HEAD"]), head, "the user's own branch moved");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "", "the user's own folder was touched");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_goes_on_while_its_server_is_killed_and_every_line_and_cent_counts_once() {
    let mut work = Work::begin(launch()).await;
    let spend = "{ do = 'spend', input = 100, output = 10, dollars = 0.25 }";
    let flooding = "{ do = 'flood', lines = 200, every_ms = 5 }";
    let prompt = script(&[spend, flooding, spend, flooding, "{ do = 'finish', text = 'all said' }"]);
    let (mission, session) = work.run(&prompt).await;
    for words in ["flood 20 ", "flood 150 ", "flood 290 "] {
        work.server().session_says(&session, words).await;
        let (_, agent) = work.pids(&mission, &session, 1);
        work.restart().await;
        assert!(runs(agent), "the agent went with the server");
    }
    let frames = work.server().session_transcript(&session).await;
    assert_eq!(flood(&frames), (1..=400).collect::<Vec<_>>());
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 0), "{ended:#?}");
    assert_eq!((ended.total_cost_usd, ended.total_tokens), (0.5, 220));
    assert!(!work.spool(&mission, &session, 2).exists(), "a second process was started");
    assert_eq!(work.status(&mission).await, "completed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_right_after_the_answer_starts_exactly_one_process() {
    let chance = Rng::from_os();
    let mut work = Work::begin(launch().env("MAX_WORKERS", 100)).await;
    let prompt = script(&["{ do = 'say', text = 'here I am' }", "{ do = 'sleep', ms = 60000 }"]);
    let mut sessions = Vec::new();
    for life in 0..10 {
        for _ in 0..3 {
            // Not in a worktree: then the moment of the start is near, whatever the machine.
            sessions.push(work.run_with(&prompt, json!({ "in_place": true })).await);
        }
        let moment = if life % 3 == 0 { 0 } else { chance.below(20) };
        // tidy: sleep because the moment of the kill is to be any
        tokio::time::sleep(Duration::from_millis(moment)).await;
        work.restart().await;
    }
    for (mission, session) in &sessions {
        work.server().session_says(session, "here I am").await;
        let running = processes(session);
        // The agent, and the processes of its sandbox around it, are one tree.
        let (_, agent) = work.pids(mission, session, 1);
        let roots: Vec<u32> = running.iter().copied().filter(|pid| !running.contains(&parent(*pid))).collect();
        assert_eq!(roots, [agent], "{session} has {running:?}");
        assert!(!work.spool(mission, session, 2).exists(), "{session}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_leaves_agents_running() {
    let mut work = Work::begin(launch()).await;
    let prompt = script(&["{ do = 'say', text = 'begun' }", "{ do = 'listen' }", "{ do = 'finish', text = 'ended' }"]);
    let (mission, session) = work.run(&prompt).await;
    work.server().session_says(&session, "begun").await;
    let (shim, agent) = work.pids(&mission, &session, 1);
    work.upgrade().await;
    assert!(runs(shim) && runs(agent));
    assert_eq!(work.pids(&mission, &session, 1), (shim, agent));
    let handle = work.server().session_until(&session, |_| true).await.session.handle;
    work.call::<SendToWorker>(json!({ "handle": handle, "message": "go on" })).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_heard_once_whatever_moment_the_server_is_killed_at() {
    let chance = Rng::from_os();
    let mut work = Work::begin(launch()).await;
    let spawn = json!({ "handle": "ann", "agent": "sim", "workingDir": work.repository, "inPlace": true });
    let session = work.call::<SpawnWorker>(spawn).await.unwrap().id;
    let (mut sent, mut taken) = (0, Vec::new());
    for _ in 0..6 {
        let client = work.server().owner();
        let mut writing = tokio::task::JoinSet::new();
        for _ in 0..4 {
            sent += 1;
            let (client, number) = (client.clone(), sent);
            let op = json!({ "handle": "ann", "message": format!("message {number}.") });
            writing.spawn(async move {
                (number, client.call(serde_json::from_value::<SendToWorker>(op).unwrap()).await.is_ok())
            });
        }
        // tidy: sleep because the moment of the kill is to be any
        tokio::time::sleep(Duration::from_millis(chance.below(25))).await;
        work.restart().await;
        while let Some(written) = writing.join_next().await {
            let (number, is_taken) = written.unwrap();
            taken.extend(is_taken.then_some(number));
        }
    }
    work.call::<SendToWorker>(json!({ "handle": "ann", "message": "that is all" })).await.unwrap();
    let heard = words(&work.server().session_says(&session, "heard: that is all").await);
    for number in 1..=sent {
        let times = heard.iter().filter(|line| **line == format!("heard: message {number}.")).count();
        let expected = if taken.contains(&number) { 1..=1 } else { 0..=1 };
        assert!(expected.contains(&times), "message {number} was heard {times} times: {heard:?}");
    }
    work.call::<DismissWorker>(json!({ "handle": "ann" })).await.unwrap();
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Cancelled, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_restart_of_the_machine_the_conversation_is_resumed() {
    let mut work = Work::begin(launch()).await;
    let (mission, session) = work.run(&script(&["{ do = 'say', text = 'begun' }", "{ do = 'hang' }"])).await;
    work.server().session_says(&session, "begun").await;
    let before = work.server().session_until(&session, |_| true).await.session;
    let (shim, _) = work.pids(&mission, &session, 1);
    let launch = work.kill().await;
    kill_process(pid_of(shim), Signal::KILL).unwrap();
    // Nothing outlives the machine; what is inside a sandbox would outlive the process that started it.
    for pid in processes(&session) {
        let _ = kill_process(pid_of(pid), Signal::KILL);
    }
    let record = work.spool(&mission, &session, 1).join("shim.json");
    #[expect(clippy::disallowed_methods, reason = "a test writes what another run of the machine would have left")]
    {
        let mut found: serde_json::Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
        found["boot"] = "00000000-0000-0000-0000-000000000000".into();
        std::fs::write(&record, found.to_string()).unwrap();
    }
    work.up(launch).await;
    let ended = work.server().session_ended(&session).await.session;
    assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
    assert_eq!(ended.work_dir, before.work_dir);
    assert!(ended.last_error.contains("restarted"), "{}", ended.last_error);
    let said = words(&work.server().session_transcript(&session).await);
    assert_eq!(said, ["begun", "resumed", "resumed and finished"]);
    assert_eq!(processes(&session), [].into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_whose_shim_is_killed_is_ended_before_it_is_resumed() {
    let mut work = Work::begin(launch()).await;
    let prompt = script(&["{ do = 'say', text = 'begun' }", "{ do = 'hang' }"]);
    for server_lives in [true, false] {
        let (mission, session) = work.run(&prompt).await;
        work.server().session_says(&session, "begun").await;
        let (shim, agent) = work.pids(&mission, &session, 1);
        let launch = if server_lives { None } else { Some(work.kill().await) };
        kill_process(pid_of(shim), Signal::KILL).unwrap();
        if let Some(launch) = launch {
            work.up(launch).await;
        }
        let ended = work.server().session_ended(&session).await.session;
        assert!(!runs(agent), "the agent was left alone");
        assert_eq!((ended.status, ended.retry_count), (SessionStatus::Completed, 1), "{ended:#?}");
        assert!(ended.last_error.contains("shim of the agent was killed"), "{}", ended.last_error);
    }
}
