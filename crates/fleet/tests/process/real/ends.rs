//! Agents that are ended, and servers that are.

use std::time::Duration;

use api::devfleet::{CancelSession, SessionStatus};
use serde_json::json;
use testkit::Cli;
use testkit::model::{Act, Answer, Hold, Script};
use types::SessionId;

use super::matrix::{Capability, Cell};
use super::scene::Scene;
use super::with_each_agent;
use crate::sessions::{git, processes, runs};

with_each_agent!(a_cancelled_tool_call_leaves_no_process, a_killed_server_finds_its_agent);

async fn a_cancelled_tool_call_leaves_no_process(cli: Cli) -> Vec<(Capability, Cell)> {
    // A unique duration, by which the shell's own child is recognised. Claude Code does not allow `sleep`.
    let secs = format!("{}", 100_000 + u64::from(std::process::id()));
    let script =
        Script::new().then(Answer::new().text("I wait.").act(Act::shell(&format!("tail -s {secs} -f /dev/null"))));
    let scene = Scene::new(cli, script).await;
    let (_, session) = scene.run("Wait.", json!({})).await;
    let sleeper = until_it_sleeps(&scene, &session, &secs).await;
    scene.work.call::<CancelSession>(json!({ "session": session })).await.unwrap();
    assert_eq!(processes(&session), [].into());
    assert!(!runs(sleeper), "the tool's own process runs on");
    let ended = scene.work.server().session_ended(&session).await.session;
    assert_eq!(ended.status, SessionStatus::Cancelled, "{ended:#?}");
    vec![(Capability::Cancel, Cell::Yes)]
}

/// Waits for the process that the tool starts.
async fn until_it_sleeps(scene: &Scene, session: &SessionId, secs: &str) -> u32 {
    let sleeps = |pid: &u32| {
        #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<&[u8]> = words.split(|byte| *byte == 0).collect();
        words.first().is_some_and(|program| program.ends_with(b"tail")) && words.contains(&secs.as_bytes())
    };
    let found = async {
        loop {
            if let Some(pid) = processes(session).into_iter().find(sleeps) {
                return pid;
            }
            // tidy: sleep because no event reports that another program's tool has begun
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let found = tokio::time::timeout(testkit::PATIENCE, found).await;
    found.unwrap_or_else(|_| panic!("its tool does not run: {:#?}", scene.model.everything()))
}

async fn a_killed_server_finds_its_agent(cli: Cli) -> Vec<(Capability, Cell)> {
    let hold = Hold::new();
    let commit = Act::shell("git add --all && git commit --quiet --message 'Add a greeting'");
    let script = Script::new()
        .then(Answer::new().text("I write.").act(Act::write("hello.txt", "hello\n")))
        .then(Answer::new().text("I commit.").act(commit).held(&hold))
        .then(Answer::new().text("It is done."));
    let mut scene = Scene::new(cli, script).await;
    let (mission, session) = scene.run("Write a greeting and commit it.", json!({})).await;
    hold.reached().await;
    let pids = scene.work.pids(&mission, &session, 1);
    scene.work.restart().await;
    assert_eq!(scene.work.pids(&mission, &session, 1), pids, "another process was started");
    hold.release();
    let ended = scene.completed(&session).await;
    assert_eq!(ended.retry_count, 0, "{ended:#?}");
    let branch = ended.branch.unwrap();
    assert_eq!(git(&scene.work.repository, &["log", "--format=%s", &branch]), "Add a greeting\nbegin\n");
    scene.model.assert_done();
    vec![(Capability::Readopt, Cell::Yes)]
}
