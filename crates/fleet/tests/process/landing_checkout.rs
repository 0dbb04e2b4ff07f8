//! The user's own checkout: it follows with what the user has changed elsewhere, and is left alone otherwise.

use api::devfleet::{CreateProject, RetryLanding};
use serde_json::json;

use crate::landing::{landing, lands, main_log, put, rule, until, with_check, writes};
use crate::sessions::{Work, git, launch};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_to_the_same_file_hold_the_landing_and_are_kept_and_other_landings_pass() {
    let work = with_check("test -e hello.txt").await;
    put(&work.repository.join("mine.txt"), "mine\n");
    git(&work.repository, &["add", "mine.txt"]);
    git(&work.repository, &["commit", "--quiet", "--message=mine"]);
    put(&work.repository.join("mine.txt"), "changed\n");
    let (mission, _) = work.run(&writes(&[("mine.txt", "theirs\n"), ("hello.txt", "hi")])).await;
    let waiting = until(&work, &mission, |landing| landing.status == "waiting").await;
    let why = waiting.why.unwrap();
    assert!(why.contains("mine.txt") && why.contains("commit or stash"), "{why}");
    assert_eq!(main_log(&work.repository), "mine\nbegin\n");
    let (other, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    lands(&work, &other).await;
    assert!(work.repository.join("hello.txt").exists(), "the checkout did not follow");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), " M mine.txt\n");
    git(&work.repository, &["checkout", "--quiet", "mine.txt"]);
    // It would be looked at again by itself; a person need not wait for that.
    work.call::<RetryLanding>(json!({ "landing": waiting.id })).await.unwrap();
    lands(&work, &mission).await;
    assert!(work.repository.join("hello.txt").exists());
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn with_head_on_no_branch_it_lands_on_the_pinned_one_and_the_checkout_stays() {
    let work = with_check("test -e hello.txt").await;
    git(&work.repository, &["checkout", "--quiet", "--detach"]);
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
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
async fn a_project_that_was_created_with_head_on_no_branch_asks_where_to_land() {
    let work = Work::begin(launch()).await;
    let second = work.repository.with_file_name("second");
    git(&work.repository, &["clone", "--quiet", ".", second.to_str().unwrap()]);
    git(&second, &["checkout", "--quiet", "--detach"]);
    let project = work.project_at(&second, json!({ "checks": ["test -e hello.txt"] })).await;
    let mission = work.mission_in(&project, &writes(&[("hello.txt", "hi")])).await;
    work.dispatch(&mission, json!({})).await.unwrap();
    let waiting = until(&work, &mission, |landing| landing.status == "waiting").await;
    assert!(waiting.why.as_deref().unwrap().contains("name the target branch"), "{waiting:#?}");
    git(&second, &["checkout", "--quiet", "main"]);
    lands(&work, &mission).await;
    assert_eq!(landing(&work, &mission).await.target_branch.as_deref(), Some("main"));
    assert!(second.join("hello.txt").exists());
}
