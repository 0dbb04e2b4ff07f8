//! From a mission to the target branch: checked on exactly what lands, sent back with the evidence, or left to a person.

use api::devfleet::{
    AwaitedMission, CreateMission, ListLandings, ListSessions, MissionStatus, RetryLanding, UpdateProject,
    WaitForMissionTool,
};
use serde_json::json;
use types::MissionId;

use crate::sessions::{Work, git, launch, script};

async fn with_check(check: &str) -> Work {
    let work = Work::begin(launch()).await;
    checked_by(&work, check).await;
    work
}

async fn checked_by(work: &Work, check: &str) {
    work.call::<UpdateProject>(json!({ "project": work.project, "checks": [check] })).await.unwrap();
}

async fn at_rest(work: &Work, mission: &MissionId) -> AwaitedMission {
    let awaited = work.call::<WaitForMissionTool>(json!({ "mission_id": mission, "timeout_seconds": 60 }));
    let awaited = awaited.await.unwrap();
    assert!(!awaited.timed_out, "{awaited:#?}");
    awaited
}

fn writes(path: &str, text: &str) -> String {
    script(&[
        &format!(r#"{{ do = "write", path = "{path}", text = "{text}" }}"#),
        &format!(r#"{{ do = "commit", message = "Write {path}" }}"#),
    ])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_branch_lands_once_its_checks_are_green_and_a_clean_checkout_follows() {
    let work = with_check("test -e hello.txt").await;
    let (mission, _) = work.run(&writes("hello.txt", "hi")).await;
    assert_eq!(at_rest(&work, &mission).await.mission.status, MissionStatus::Completed);
    assert_eq!(git(&work.repository, &["log", "--format=%s", "main"]), "Write hello.txt\nbegin\n");
    assert!(work.repository.join("hello.txt").exists(), "the checkout did not follow its branch");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
    let landings = work.call::<ListLandings>(json!({ "mission_id": mission })).await.unwrap().items;
    assert_eq!(landings.iter().map(|landing| landing.status.as_str()).collect::<Vec<_>>(), ["landed"]);
    assert!(landings.iter().all(|landing| landing.checks.iter().all(|check| check.passed)), "{landings:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_stays_red_goes_back_twice_then_to_a_person_and_lands_when_the_check_is_mended() {
    let work = with_check("echo broken >&2; false").await;
    let (mission, session) = work.run(&writes("hello.txt", "hi")).await;
    // A scripted agent that is told what is red does nothing about it.
    let rested = at_rest(&work, &mission).await;
    assert_eq!(rested.mission.status, MissionStatus::Queued, "a person must see to it");
    assert_eq!(git(&work.repository, &["log", "--format=%s", "main"]), "begin\n", "something red has landed");
    let landings = work.call::<ListLandings>(json!({ "mission_id": mission })).await.unwrap().items;
    let told: Vec<_> = landings.iter().map(|landing| (landing.status.as_str(), landing.returns)).collect();
    assert_eq!(told, [("stuck", 2), ("returned", 2), ("returned", 1)]);
    assert!(landings[0].checks.iter().any(|check| check.output_tail.contains("broken")), "{landings:#?}");
    let sessions = work.call::<ListSessions>(json!({ "mission_id": mission })).await.unwrap().items;
    assert_eq!(sessions.iter().map(|row| (&row.id, row.retry_count)).collect::<Vec<_>>(), [(&session, 2)]);

    checked_by(&work, "test -e hello.txt").await;
    work.call::<RetryLanding>(json!({ "landing": landings[0].id })).await.unwrap();
    assert_eq!(at_rest(&work, &mission).await.mission.status, MissionStatus::Completed);
    assert_eq!(git(&work.repository, &["log", "--format=%s", "main"]), "Write hello.txt\nbegin\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_depends_on_a_mission_starts_by_itself_from_what_has_landed() {
    let work = Work::begin(launch().env("FLEET_DEFAULT_AGENT", "sim")).await;
    checked_by(&work, "test -e one.txt").await;
    let state = |title: &str, prompt: String, depends_on: Vec<MissionId>| {
        json!({ "project_id": work.project, "title": title, "detailed_prompt": prompt, "depends_on": depends_on,
            "auto_dispatch": true })
    };
    let first = work.call::<CreateMission>(state("One", writes("one.txt", "1"), vec![])).await.unwrap().id;
    let second = state("Two", writes("two.txt", "2"), vec![first.clone()]);
    let second = work.call::<CreateMission>(second).await.unwrap().id;
    assert_eq!(at_rest(&work, &second).await.mission.status, MissionStatus::Completed);
    assert_eq!(git(&work.repository, &["log", "--format=%s", "main"]), "Write two.txt\nWrite one.txt\nbegin\n");
}
