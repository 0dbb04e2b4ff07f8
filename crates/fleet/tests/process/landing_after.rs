//! Work that does not land by itself: dependents start from it, a person lands it afterwards, and a target that is red
//! itself burns no turns.

use api::devfleet::{ApproveLanding, CreateMission, LandMission, RecoverMission, RetryLanding};
use serde_json::json;
use types::MissionId;

use crate::landing::{at_rest, landing, lands, main_log, put, rule, until, why, with_check, writes};
use crate::sessions::{Work, git, launch};

async fn depending(work: &Work, title: &str, prompt: &str, on: &[&MissionId]) -> MissionId {
    let input = json!({ "project_id": work.project, "title": title, "detailed_prompt": prompt, "depends_on": on,
        "auto_dispatch": true });
    work.call::<CreateMission>(input).await.unwrap().id
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_checks_a_dependent_starts_from_the_work_of_its_dependencies_and_all_of_it_lands_when_asked() {
    let work = Work::begin(launch().env("FLEET_DEFAULT_AGENT", "sim")).await;
    let (one, _) = work.run(&writes(&[("one.txt", "1")])).await;
    let (two, _) = work.run(&writes(&[("two.txt", "2")])).await;
    at_rest(&work, &one).await;
    at_rest(&work, &two).await;
    let third = depending(&work, "Three", &writes(&[("three.txt", "3")]), &[&one, &two]).await;
    at_rest(&work, &third).await;
    assert_eq!(main_log(&work.repository), "begin\n", "nothing lands without a check");
    let told = why(&work, &third).await;
    assert!(told.contains("has not landed") && told.contains("`fleet land"), "{told}");
    let landed = work.call::<LandMission>(json!({ "mission": third })).await.unwrap();
    lands(&work, &third).await;
    let files = git(&work.repository, &["ls-tree", "--name-only", "main"]);
    for file in ["one.txt", "two.txt", "three.txt"] {
        assert!(files.contains(file), "{file} is not among what the dependent landed:\n{files}");
    }
    let again = work.call::<RecoverMission>(json!({ "mission": third })).await.unwrap();
    assert_eq!((again.landing_id, again.landing_status.as_str()), (landed.id, "landed"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dependencies_that_conflict_park_their_dependent_and_why_names_the_files_and_the_commands() {
    let work = Work::begin(launch().env("FLEET_DEFAULT_AGENT", "sim")).await;
    let (one, _) = work.run(&writes(&[("same.txt", "1")])).await;
    let (two, _) = work.run(&writes(&[("same.txt", "2")])).await;
    at_rest(&work, &one).await;
    at_rest(&work, &two).await;
    let third = depending(&work, "Three", &writes(&[("three.txt", "3")]), &[&one, &two]).await;
    at_rest(&work, &third).await;
    let told = why(&work, &third).await;
    for part in ["same.txt", &format!("fleet land {one}"), &format!("fleet land {two}")] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let refused = work.dispatch(&third, json!({})).await.unwrap_err();
    assert_eq!(refused.code, api::Code::DEPENDENCY_CONFLICT, "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn finished_work_lands_afterwards_with_the_checks_that_were_added_since() {
    let work = Work::begin(launch()).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    at_rest(&work, &mission).await;
    rule(&work, json!({ "checks": ["test -e hello.txt"] })).await;
    work.call::<LandMission>(json!({ "mission": mission })).await.unwrap();
    let landed = lands(&work, &mission).await;
    assert_eq!(landed.checks.iter().map(|check| check.command.as_str()).collect::<Vec<_>>(), ["test -e hello.txt"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_waits_for_review_lands_when_it_is_approved_and_only_that_can_be_approved() {
    let work = Work::begin(launch()).await;
    rule(&work, json!({ "land": "review" })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let review = until(&work, &mission, |landing| landing.status == "review").await;
    let command = format!("fleet land approve {}", review.id);
    assert!(why(&work, &mission).await.contains(&command), "{}", why(&work, &mission).await);
    assert!(review.why.as_deref().is_some_and(|why| why.contains(&command)), "{review:#?}");
    work.call::<ApproveLanding>(json!({ "landing": review.id })).await.unwrap();
    lands(&work, &mission).await;
    let refused = work.call::<ApproveLanding>(json!({ "landing": review.id })).await.unwrap_err();
    assert_eq!(refused.code, api::Code::LANDING_REFUSED, "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_is_red_on_main_itself_sends_nobody_back_and_lands_once_main_is_mended() {
    let work = with_check("test ! -e broken.txt").await;
    put(&work.repository.join("broken.txt"), "x\n");
    git(&work.repository, &["add", "broken.txt"]);
    git(&work.repository, &["commit", "--quiet", "--message=break it"]);
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let waiting = until(&work, &mission, |landing| landing.status == "waiting").await;
    assert_eq!(waiting.returns, 0, "no agent is asked to mend it");
    let sentence = waiting.why.unwrap();
    assert!(sentence.contains("red on `main` itself"), "{sentence}");
    assert!(why(&work, &mission).await.contains(&sentence), "{}", why(&work, &mission).await);
    git(&work.repository, &["rm", "--quiet", "broken.txt"]);
    git(&work.repository, &["commit", "--quiet", "--message=mend it"]);
    // It would be looked at again by itself; a person need not wait for that.
    work.call::<RetryLanding>(json!({ "landing": waiting.id })).await.unwrap();
    lands(&work, &mission).await;
    assert_eq!(landing(&work, &mission).await.returns, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_target_is_the_branch_of_the_checkout_when_the_project_was_created() {
    let work = with_check("test -e hello.txt").await;
    git(&work.repository, &["checkout", "--quiet", "-b", "feature"]);
    put(&work.repository.join("mine.txt"), "mine\n");
    git(&work.repository, &["add", "mine.txt"]);
    git(&work.repository, &["commit", "--quiet", "--message=mine"]);
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    assert_eq!(lands(&work, &mission).await.target_branch.as_deref(), Some("main"));
    assert_eq!(main_log(&work.repository), "Write hello.txt\nbegin\n", "it brings nothing of the other branch");
}
