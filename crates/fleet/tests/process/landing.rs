//! From a mission to the target branch: checked on exactly what lands, sent back with the evidence, or left to a person.

use std::path::{Path, PathBuf};

use api::devfleet::{
    AwaitedMission, CreateMission, ExplainMission, LandingView, ListLandings, ListSessions, MissionStatus,
    RetryLanding, UpdateProject, WaitForMission,
};
use serde_json::{Value, json};
use testkit::Launch;
use types::MissionId;

use crate::sessions::{GATES, Work, git, launch, script};

/// A server whose project has one check.
pub(crate) async fn with_check(check: &str) -> Work {
    with_check_on(launch(), check).await
}

pub(crate) async fn with_check_on(launch: Launch, check: &str) -> Work {
    let work = Work::begin(launch).await;
    rule(&work, json!({ "checks": [check] })).await;
    work
}

/// Says how the work of the project lands.
pub(crate) async fn rule(work: &Work, rules: Value) {
    let mut input = json!({ "project": work.project });
    input.as_object_mut().unwrap().extend(rules.as_object().unwrap().clone());
    work.call::<UpdateProject>(input).await.unwrap();
}

pub(crate) async fn at_rest(work: &Work, mission: &MissionId) -> AwaitedMission {
    let awaited = work.call::<WaitForMission>(json!({ "mission": mission, "timeout_seconds": 60 }));
    let awaited = awaited.await.unwrap();
    assert!(!awaited.timed_out, "{awaited:#?}\n{:#?}", landings(work, mission).await);
    awaited
}

/// Waits until a mission has landed.
pub(crate) async fn lands(work: &Work, mission: &MissionId) -> LandingView {
    let rested = at_rest(work, mission).await;
    let landing = landing(work, mission).await;
    assert_eq!(rested.mission.status, MissionStatus::Completed, "{landing:#?}");
    assert_eq!(landing.status, "landed", "{landing:#?}");
    landing
}

pub(crate) async fn landings(work: &Work, mission: &MissionId) -> Vec<LandingView> {
    work.call::<ListLandings>(json!({ "mission_id": mission })).await.unwrap().items
}

/// The one landing of a mission.
pub(crate) async fn landing(work: &Work, mission: &MissionId) -> LandingView {
    let mut all = landings(work, mission).await;
    assert_eq!(all.len(), 1, "{all:#?}\n{}", why(work, mission).await);
    all.remove(0)
}

/// Waits until the landing of a mission is in a state; the server pushes nothing of it to a test, so it is asked.
pub(crate) async fn until(work: &Work, mission: &MissionId, is: impl Fn(&LandingView) -> bool) -> LandingView {
    let looking = async {
        loop {
            if let Some(found) = landings(work, mission).await.into_iter().next().filter(&is) {
                return found;
            }
            // tidy: sleep because landings are only asked for
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    match tokio::time::timeout(testkit::PATIENCE, looking).await {
        Ok(found) => found,
        Err(_) => panic!("{:#?}\n{}", landings(work, mission).await, why(work, mission).await),
    }
}

pub(crate) async fn why(work: &Work, mission: &MissionId) -> String {
    work.call::<ExplainMission>(json!({ "mission": mission })).await.unwrap().why
}

/// A script that writes files and commits them.
pub(crate) fn writes(files: &[(&str, &str)]) -> String {
    let mut steps: Vec<String> = Vec::new();
    for (path, text) in files {
        let (path, text) = (json!(path), json!(text));
        steps.push(format!("{{ do = \"write\", path = {path}, text = {text} }}"));
    }
    steps.push(format!("{{ do = \"commit\", message = \"Write {}\" }}", files[0].0));
    script(&steps.iter().map(String::as_str).collect::<Vec<_>>())
}

/// A file that a check waits for, so that a test says when it goes on.
pub(crate) struct ApprovalChannel(PathBuf);

impl ApprovalChannel {
    pub(crate) fn beside(work: &Work) -> Self {
        Self(work.repository.with_file_name(GATES).join("gate"))
    }

    /// The check that waits; it says by a second file that it runs.
    pub(crate) fn check(&self, then: &str) -> String {
        let gate = self.0.display();
        format!("echo >> {gate}.runs; while ! test -e {gate}; do sleep 0.02; done; {then}")
    }

    pub(crate) fn open(&self) {
        put(&self.0, "");
    }

    /// How often the check has begun.
    pub(crate) fn runs(&self) -> usize {
        #[expect(clippy::disallowed_methods, reason = "a test reads what the program wrote")]
        std::fs::read_to_string(self.0.with_extension("runs")).map_or(0, |text| text.lines().count())
    }

    /// Waits until the check has begun.
    pub(crate) async fn reached(&self) {
        while self.runs() == 0 {
            // tidy: sleep because a file is waited for
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    }
}

/// Writes a file.
#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
pub(crate) fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

/// Writes a program.
pub(crate) fn program(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    put(path, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

pub(crate) fn main_log(repository: &Path) -> String {
    git(repository, &["log", "--format=%s", "main"])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_branch_lands_once_its_checks_are_green_and_a_clean_checkout_follows() {
    let work = with_check("test -e hello.txt").await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    let landing = lands(&work, &mission).await;
    assert_eq!(main_log(&work.repository), "Write hello.txt\nbegin\n");
    assert!(work.repository.join("hello.txt").exists(), "the checkout did not follow its branch");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
    assert_eq!(landing.checks.iter().map(|check| check.passed).collect::<Vec<_>>(), [true]);
    assert_eq!(landing.target_branch.as_deref(), Some("main"), "where it lands is told by its name");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn work_that_stays_red_goes_back_twice_then_to_a_person_and_lands_when_the_check_is_mended() {
    let work = with_check("test ! -e hello.txt || { echo broken >&2; false; }").await;
    let (mission, session) = work.run(&writes(&[("hello.txt", "hi")])).await;
    // A scripted agent that is told what is red does nothing about it.
    let rested = at_rest(&work, &mission).await;
    assert_eq!(rested.mission.status, MissionStatus::Queued, "a person must see to it");
    assert_eq!(main_log(&work.repository), "begin\n", "something red has landed");
    let stuck = landing(&work, &mission).await;
    assert_eq!((stuck.status.as_str(), stuck.returns), ("stuck", 2));
    assert!(stuck.checks.iter().any(|check| check.output_tail.contains("broken")), "{stuck:#?}");
    assert!(why(&work, &mission).await.contains("failed with exit code 1"), "{}", why(&work, &mission).await);
    let sessions = work.call::<ListSessions>(json!({ "mission_id": mission })).await.unwrap().items;
    assert_eq!(sessions.iter().map(|row| (&row.id, row.retry_count)).collect::<Vec<_>>(), [(&session, 2)]);

    rule(&work, json!({ "checks": ["test -e hello.txt"] })).await;
    work.call::<RetryLanding>(json!({ "landing": stuck.id })).await.unwrap();
    lands(&work, &mission).await;
    assert_eq!(main_log(&work.repository), "Write hello.txt\nbegin\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_depends_on_a_mission_starts_by_itself_from_what_has_landed() {
    let work = with_check_on(launch().env("FLEET_DEFAULT_AGENT", "sim"), "test -e one.txt").await;
    let state = |title: &str, prompt: String, depends_on: Vec<MissionId>| {
        json!({ "project_id": work.project, "title": title, "detailed_prompt": prompt, "depends_on": depends_on,
            "auto_dispatch": true })
    };
    let first = state("One", writes(&[("one.txt", "1")]), vec![]);
    let first = work.call::<CreateMission>(first).await.unwrap().id;
    let second = state("Two", writes(&[("two.txt", "2")]), vec![first.clone()]);
    let second = work.call::<CreateMission>(second).await.unwrap().id;
    lands(&work, &second).await;
    assert_eq!(main_log(&work.repository), "Write two.txt\nWrite one.txt\nbegin\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_that_end_in_the_same_instant_all_land() {
    let work = with_check("test -e one.txt -o -e two.txt -o -e three.txt").await;
    let prompts = ["one.txt", "two.txt", "three.txt"].map(|path| writes(&[(path, "x")]));
    let [one, two, three] = &prompts;
    let (one, two, three) = tokio::join!(work.run(one), work.run(two), work.run(three));
    for (mission, _) in [one, two, three] {
        lands(&work, &mission).await;
    }
    for path in ["one.txt", "two.txt", "three.txt"] {
        assert!(work.repository.join(path).exists(), "{path}");
    }
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_check_holds_up_nobody_in_another_repository_or_on_another_branch() {
    let work = Work::begin(launch().env("MAX_WORKERS", 10)).await;
    let gate = ApprovalChannel::beside(&work);
    rule(&work, json!({ "checks": [gate.check("true")] })).await;
    let (slow, _) = work.run(&writes(&[("slow.txt", "x")])).await;
    gate.reached().await;

    let second = work.repository.with_file_name("second");
    git(&work.repository, &["clone", "--quiet", ".", second.to_str().unwrap()]);
    // A folder has one project; another worktree of the repository is another folder.
    let released = work.repository.with_file_name("released");
    git(&work.repository, &["worktree", "add", "--quiet", "-b", "release", released.to_str().unwrap()]);
    for (path, rules) in [
        (&second, json!({ "checks": ["test -e quick.txt"] })),
        (&released, json!({ "checks": ["test -e quick.txt"], "target_branch": "release" })),
    ] {
        let other = work.project_at(path, rules).await;
        let quick = work.mission_in(&other, &writes(&[("quick.txt", "x")])).await;
        work.dispatch(&quick, json!({})).await.unwrap();
        lands(&work, &quick).await;
    }
    assert_eq!(landing(&work, &slow).await.status, "queued");
    gate.open();
    lands(&work, &slow).await;
}
