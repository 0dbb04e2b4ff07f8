//! Where the rules come from, and who is told of what has landed.

use std::path::Path;

use api::devfleet::RetryLanding;
use serde_json::json;

use crate::landing::{at_rest, landing, lands, main_log, program, put, rule, until, with_check, writes};
use crate::sessions::{Work, git, launch};

fn commit(repository: &Path, path: &str, text: &str) {
    put(&repository.join(path), text);
    git(repository, &["add", path]);
    git(repository, &["commit", "--quiet", "--message", &format!("Write {path}")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rules_of_the_repository_hold_as_they_stand_on_the_target_and_not_as_an_agent_writes_them() {
    let work = Work::begin(launch()).await;
    commit(&work.repository, "fleet.toml", "[landing]\nchecks = ['test ! -e sly.txt']\n");
    let (honest, _) = work.run(&writes(&[("honest.txt", "x")])).await;
    let landed = lands(&work, &honest).await;
    assert_eq!(landed.checks[0].command, "test ! -e sly.txt");

    let easy = "[landing]\nchecks = ['true']\nland = 'auto'\n";
    let (sly, _) = work.run(&writes(&[("fleet.toml", easy), ("sly.txt", "x")])).await;
    at_rest(&work, &sly).await;
    let stuck = landing(&work, &sly).await;
    assert_eq!((stuck.status.as_str(), stuck.checks[0].command.as_str()), ("stuck", "test ! -e sly.txt"));
    assert!(main_log(&work.repository).starts_with("Write honest.txt\n"), "{}", main_log(&work.repository));
    // The project's settings override the file, whatever its author.
    rule(&work, json!({ "checks": ["test -e sly.txt"] })).await;
    work.call::<RetryLanding>(json!({ "landing": stuck.id })).await.unwrap();
    let landed = lands(&work, &sly).await;
    assert_eq!(landed.checks[0].command, "test -e sly.txt");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rules_that_cannot_be_read_land_nothing_and_say_where_they_are_wrong() {
    let work = Work::begin(launch()).await;
    commit(&work.repository, "fleet.toml", "[landing]\ncheks = ['true']\n");
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let waiting = until(&work, &mission, |landing| landing.status == "waiting").await;
    let why = waiting.why.unwrap();
    assert!(why.contains("line 2") && why.contains("cheks") && why.contains("main"), "{why}");
    commit(&work.repository, "fleet.toml", "[landing]\nchecks = ['true']\n");
    work.call::<RetryLanding>(json!({ "landing": waiting.id })).await.unwrap();
    lands(&work, &mission).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_remote_that_refuses_leaves_what_landed_here_landed_and_is_tried_again_when_asked() {
    let work = with_check("test -e hello.txt").await;
    let remote = work.repository.with_file_name("remote.git");
    git(&work.repository, &["clone", "--quiet", "--bare", ".", remote.to_str().unwrap()]);
    git(&work.repository, &["remote", "add", "origin", remote.to_str().unwrap()]);
    let hook = remote.join("hooks/pre-receive");
    program(&hook, "#!/bin/sh\necho main is protected >&2\nexit 1\n");
    rule(&work, json!({ "push": "origin" })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    lands(&work, &mission).await;
    let refused = until(&work, &mission, |landing| landing.published.as_deref() == Some("refused")).await;
    assert_eq!(refused.status, "landed");
    let why = refused.why.unwrap();
    assert!(why.contains("main is protected") && why.contains("origin"), "{why}");
    assert_eq!(git(&remote, &["log", "--format=%s", "main"]), "begin\n");

    program(&hook, "#!/bin/sh\nexit 0\n");
    work.call::<RetryLanding>(json!({ "landing": refused.id })).await.unwrap();
    until(&work, &mission, |landing| landing.published.as_deref() == Some("done")).await;
    assert_eq!(git(&remote, &["log", "--format=%s", "main"]), "Write hello.txt\nbegin\n");
    // Nothing is pushed unless requested.
    rule(&work, json!({ "push": "" })).await;
    let (second, _) = work.run(&writes(&[("hello.txt", "again")])).await;
    assert_eq!(lands(&work, &second).await.published, None);
    assert_eq!(git(&remote, &["log", "--format=%s", "main"]), "Write hello.txt\nbegin\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_pull_request_is_opened_where_asked_and_without_a_program_for_it_that_is_said() {
    let bin = tempfile::tempdir().unwrap();
    // A folder with git and a shell in it, and no command line of a forge.
    for program in ["git", "sh", "sleep", "cat", "test", "touch", "rm"] {
        let found = ["/usr/bin", "/bin", "/usr/local/bin"].map(|folder| Path::new(folder).join(program));
        if let Some(found) = found.iter().find(|path| path.exists()) {
            std::os::unix::fs::symlink(found, bin.path().join(program)).unwrap();
        }
    }
    let work = Work::begin(launch().env("PATH", bin.path().display())).await;
    let remote = work.repository.with_file_name("remote.git");
    git(&work.repository, &["clone", "--quiet", "--bare", ".", remote.to_str().unwrap()]);
    git(&work.repository, &["remote", "add", "origin", remote.to_str().unwrap()]);
    rule(&work, json!({ "checks": ["test -e hello.txt"], "pr": true })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let branch = lands(&work, &mission).await.branch;
    let refused = until(&work, &mission, |landing| landing.published.as_deref() == Some("refused")).await;
    assert!(refused.why.as_deref().unwrap().contains("neither `gh` nor `glab` is on PATH"), "{refused:#?}");
    assert_eq!(git(&remote, &["log", "--format=%s", "main"]), "begin\n", "the target was pushed");
    assert_eq!(git(&remote, &["log", "--format=%s", &branch]), "Write hello.txt\nbegin\n");

    let gh = bin.path().join("gh");
    program(&gh, "#!/bin/sh\necho https://forge.example/pull/7\n");
    work.call::<RetryLanding>(json!({ "landing": refused.id })).await.unwrap();
    let done = until(&work, &mission, |landing| landing.published.as_deref() == Some("done")).await;
    assert_eq!(done.pr_url.as_deref(), Some("https://forge.example/pull/7"));
}
