//! Twenty missions over the same files: main is green after every landing, and what does not fit is found out.

use std::path::Path;

use api::devfleet::{DropLanding, MissionStatus, RetryLanding};
use futures::future::join_all;
use serde_json::json;
use types::MissionId;

use crate::landing::{ApprovalChannel, at_rest, landing, lands, main_log, put, rule, until, why, with_check, writes};
use crate::sessions::{Work, git, launch};

/// Red where `left` and `right` are there without `both`; it says how that is mended, in the words of a scripted agent.
const CHECK: &str = r#"test $(wc -l < shared.txt) = 60 || exit 2
if test -e left -a -e right -a ! -e both; then
echo '```sim'
echo 'resume = [{ do = "write", path = "both", text = "fine" }, { do = "commit", message = "Go together" }]'
echo '```'
exit 3
fi"#;

fn shared(changed: &[(usize, &str)]) -> String {
    let line = |number| changed.iter().find(|(at, _)| *at == number).map_or("as it was", |(_, text)| text);
    (0..60).map(|number| format!("line {number}: {}\n", line(number))).collect()
}

/// The files that a mission writes: lines of its own, and for some what does not go with another's.
fn files(number: usize) -> Vec<(String, String)> {
    let own = format!("by {number}");
    let lines = match number {
        // Two of them change the same line.
        3 | 17 => vec![(2 * number, own.as_str()), (50, own.as_str())],
        _ => vec![(2 * number, own.as_str())],
    };
    let mut files = vec![(format!("{number}.txt"), "x\n".to_owned()), ("shared.txt".to_owned(), shared(&lines))];
    match number {
        6 => files.push(("left".to_owned(), "x\n".to_owned())),
        13 => files.push(("right".to_owned(), "x\n".to_owned())),
        _ => {}
    }
    files
}

/// Runs the check on every commit that main has been at.
fn assert_green_all_along(repository: &Path, check: &str) -> usize {
    let tree = repository.with_file_name("walk");
    git(repository, &["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap(), "main"]);
    let commits = git(repository, &["rev-list", "--first-parent", "main"]);
    let begin = git(repository, &["rev-list", "--max-parents=0", "main"]);
    let mut walked = 0;
    for commit in commits.lines().filter(|commit| *commit != begin.trim()) {
        git(&tree, &["checkout", "--quiet", "--detach", commit]);
        #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
        let ran = std::process::Command::new("sh").args(["-c", check]).current_dir(&tree).output().unwrap();
        let log = git(repository, &["show", "--stat", commit]);
        assert!(ran.status.success(), "{}\n{log}", String::from_utf8_lossy(&ran.stdout));
        walked += 1;
    }
    walked
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn twenty_missions_with_overlapping_files_land_with_main_green_after_every_landing() {
    let work = Work::begin(launch().env("MAX_WORKERS", 30)).await;
    put(&work.repository.join("shared.txt"), &shared(&[]));
    git(&work.repository, &["add", "shared.txt"]);
    git(&work.repository, &["commit", "--quiet", "--message=shared"]);
    let gate = ApprovalChannel::beside(&work);
    rule(&work, json!({ "checks": [gate.check(CHECK)] })).await;
    let run = |number: usize| {
        let files = files(number);
        let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (work, prompt) = (&work, writes(&files));
        async move { work.run(&prompt).await.0 }
    };
    let missions: Vec<MissionId> = join_all((0..20).map(run)).await;
    // All of them are in the queue before the first has landed, so all began from the same commit.
    for mission in &missions {
        until(&work, mission, |landing| landing.status == "queued").await;
    }
    gate.open();
    let mut stuck = Vec::new();
    for (number, mission) in missions.iter().enumerate() {
        match at_rest(&work, mission).await.mission.status {
            MissionStatus::Completed => assert!(!landing(&work, mission).await.checks.is_empty(), "{number}"),
            MissionStatus::Draft
            | MissionStatus::Queued
            | MissionStatus::Running
            | MissionStatus::Failed
            | MissionStatus::Cancelled => stuck.push(number),
        }
    }
    // Of the two that conflict the second came back twice, and then waits for a person, who is told the file.
    assert!(stuck == [3] || stuck == [17], "{stuck:?}");
    let conflict = landing(&work, &missions[stuck[0]]).await;
    assert_eq!((conflict.status.as_str(), conflict.returns), ("stuck", 2), "{conflict:#?}");
    assert!(why(&work, &missions[stuck[0]]).await.contains("conflicts with the target branch in shared.txt"));
    // Of the pair that is green apart and red together one was sent back once, with what mends it.
    let (left, right) = (landing(&work, &missions[6]).await, landing(&work, &missions[13]).await);
    assert_eq!((left.returns.min(right.returns), left.returns.max(right.returns)), (0, 1), "{left:#?}{right:#?}");
    assert!(work.repository.join("both").exists());

    let landed = assert_green_all_along(&work.repository, CHECK);
    assert!(landed < 19, "{landed} moves of main: nobody landed together with others");
    assert!(gate.runs() < 30, "{} runs of the check for 20 branches", gate.runs());
    let text = git(&work.repository, &["show", "main:shared.txt"]);
    assert_eq!(text.matches(": by").count(), 20, "{text}");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_landing_that_is_dropped_while_it_is_checked_never_lands_and_can_be_let_in_again() {
    let work = Work::begin(launch()).await;
    let gate = ApprovalChannel::beside(&work);
    rule(&work, json!({ "checks": [gate.check("true")] })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    gate.reached().await;
    let queued = landing(&work, &mission).await;
    work.call::<DropLanding>(json!({ "landing": queued.id })).await.unwrap();
    assert!(why(&work, &mission).await.contains("removed it from the queue"), "{}", why(&work, &mission).await);
    // The check that would hang on is ended, and the next landing in the queue lands.
    rule(&work, json!({ "checks": ["true"] })).await;
    let (next, _) = work.run(&writes(&[("next.txt", "x")])).await;
    lands(&work, &next).await;
    assert_eq!(main_log(&work.repository), "Write next.txt\nbegin\n");
    let refused = work.call::<DropLanding>(json!({ "landing": queued.id })).await.unwrap_err();
    assert!(refused.to_string().contains("taken out before"), "{refused}");
    let landed = landing(&work, &next).await;
    let refused = work.call::<DropLanding>(json!({ "landing": landed.id })).await.unwrap_err();
    assert!(refused.to_string().contains("it has landed"), "{refused}");

    work.call::<RetryLanding>(json!({ "landing": queued.id })).await.unwrap();
    lands(&work, &mission).await;
    assert!(work.repository.join("hello.txt").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mission_whose_stuck_landing_is_dropped_says_so_and_is_not_done() {
    let work = with_check("test ! -e hello.txt").await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    at_rest(&work, &mission).await;
    let stuck = landing(&work, &mission).await;
    assert_eq!(stuck.status, "stuck");
    work.call::<DropLanding>(json!({ "landing": stuck.id })).await.unwrap();
    let told = why(&work, &mission).await;
    assert!(told.contains("removed it from the queue") && told.contains("is kept"), "{told}");
    assert_eq!(work.status(&mission).await, "queued", "it is not done");
}
