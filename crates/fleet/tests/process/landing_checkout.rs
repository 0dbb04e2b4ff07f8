//! The user's own checkout: it follows while it is clean and on the branch, and is left alone otherwise.

use api::devfleet::{CreateProject, RetryLanding};
use serde_json::json;

use crate::landing::{landing, lands, main_log, put, rule, until, with_check, writes};
use crate::sessions::{Work, git, launch};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_dirty_checkout_holds_the_landing_keeps_its_changes_and_lets_it_in_once_it_is_clean() {
    let work = with_check("test -e hello.txt").await;
    put(&work.repository.join("mine.txt"), "mine\n");
    git(&work.repository, &["add", "mine.txt"]);
    git(&work.repository, &["commit", "--quiet", "--message=mine"]);
    put(&work.repository.join("mine.txt"), "changed\n");
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let waiting = until(&work, &mission, |landing| landing.status == "waiting").await;
    let why = waiting.why.unwrap();
    assert!(why.contains("mine.txt") && why.contains("commit or stash"), "{why}");
    assert_eq!(main_log(&work.repository), "mine\nbegin\n");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), " M mine.txt\n");
    git(&work.repository, &["commit", "--quiet", "--all", "--message=mine too"]);
    // It would be looked at again by itself; a person need not wait for that.
    work.call::<RetryLanding>(json!({ "landing": waiting.id })).await.unwrap();
    lands(&work, &mission).await;
    assert!(work.repository.join("hello.txt").exists());
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_head_on_no_branch_it_is_asked_where_to_land_and_the_checkout_stays() {
    let work = with_check("test -e hello.txt").await;
    git(&work.repository, &["checkout", "--quiet", "--detach"]);
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let waiting = until(&work, &mission, |landing| landing.status == "waiting").await;
    assert!(waiting.why.as_deref().unwrap().contains("name the target branch"), "{waiting:#?}");
    rule(&work, json!({ "target_branch": "main" })).await;
    work.call::<RetryLanding>(json!({ "landing": waiting.id })).await.unwrap();
    lands(&work, &mission).await;
    assert_eq!(main_log(&work.repository), "Write hello.txt\nbegin\n");
    assert!(!work.repository.join("hello.txt").exists(), "a checkout that is on no branch was moved");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_checkout_on_another_branch_stays_there_dirty_or_not() {
    let work = with_check("test -e hello.txt").await;
    rule(&work, json!({ "target_branch": "main" })).await;
    git(&work.repository, &["checkout", "--quiet", "-b", "mine"]);
    put(&work.repository.join("notes.txt"), "mine\n");
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    lands(&work, &mission).await;
    assert_eq!(main_log(&work.repository), "Write hello.txt\nbegin\n");
    assert_eq!(git(&work.repository, &["symbolic-ref", "--short", "HEAD"]), "mine\n");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "?? notes.txt\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_agent_is_started_in_a_bare_repository_and_the_refusal_says_why() {
    let work = Work::begin(launch()).await;
    let bare = work.repository.with_file_name("bare.git");
    git(&work.repository, &["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let input = json!({ "name": "bare", "path": bare, "checks": ["true"] });
    let project = work.call::<CreateProject>(input).await.unwrap().id;
    let mission = work.mission_in(&project, &writes(&[("hello.txt", "hi")])).await;
    let refused = work.dispatch(&mission, json!({})).await.unwrap_err();
    assert!(refused.message.contains("it is a bare repository"), "{refused}");
    assert_eq!(work.status(&mission).await, "draft", "nothing was begun");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn head_that_comes_back_to_a_branch_is_where_it_lands_without_a_word() {
    let work = with_check("test -e hello.txt").await;
    git(&work.repository, &["checkout", "--quiet", "--detach"]);
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    until(&work, &mission, |landing| landing.status == "waiting").await;
    git(&work.repository, &["checkout", "--quiet", "main"]);
    lands(&work, &mission).await;
    assert_eq!(landing(&work, &mission).await.target_branch.as_deref(), Some("main"));
    assert!(work.repository.join("hello.txt").exists());
}
