//! What goes wrong with checks and servers: nothing is lost, nothing lands twice, and the evidence is there.

use api::devfleet::MissionStatus;
use serde_json::json;

use crate::landing::{ApprovalChannel, at_rest, landing, lands, main_log, program, put, rule, why, with_check, writes};
use crate::sessions::{Work, git, launch};

/// A process of a check: inside of its sandbox it has another number, so it is known by its argument.
struct Sleep(String);

impl Sleep {
    fn of(work: &Work) -> Self {
        Self(format!("1000.{}", work.server().pid()))
    }

    fn command(&self) -> String {
        format!("sleep {}", self.0)
    }

    #[expect(clippy::disallowed_methods, reason = "a test looks at what runs")]
    fn runs(&self) -> bool {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let words = all.map(|entry| std::fs::read(entry.path().join("cmdline")).unwrap_or_default());
        words.into_iter().any(|words| words == format!("sleep\0{}\0", self.0).into_bytes())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_check_that_hangs_is_ended_with_all_it_started_and_told_as_that() {
    let work = with_check("true").await;
    let sleep = Sleep::of(&work);
    let hang = format!("test -e hello.txt || exit 0; {0} & setsid {0} & echo hanging; wait", sleep.command());
    rule(&work, json!({ "checks": [hang], "check_timeout_secs": 1 })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    assert_eq!(at_rest(&work, &mission).await.mission.status, MissionStatus::Queued);
    let stuck = landing(&work, &mission).await;
    assert_eq!((stuck.status.as_str(), stuck.checks[0].outcome.as_str()), ("stuck", "timed out"), "{stuck:#?}");
    assert_eq!(stuck.checks[0].output_tail, "hanging");
    assert!(why(&work, &mission).await.contains("did not end in time"));
    assert!(!sleep.runs());
    assert_eq!(main_log(&work.repository), "begin\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_amid_a_check_ends_it_when_it_is_back_and_lands_the_work_once() {
    let mut work = Work::begin(launch()).await;
    let gate = ApprovalChannel::beside(&work);
    let sleep = Sleep::of(&work);
    let check = gate.check("test -e hello.txt");
    rule(&work, json!({ "checks": [format!("{} & {check}", sleep.command())] })).await;
    let (mission, _) = work.run(&writes(&[("hello.txt", "hi")])).await;
    gate.reached().await;
    assert!(sleep.runs(), "the test would see nothing");
    work.restart().await;
    gate.open();
    let landed = lands(&work, &mission).await;
    assert!(!sleep.runs(), "the check of the server that was killed runs on");
    assert_eq!((landed.checks.len(), landed.returns), (1, 0), "{landed:#?}");
    assert_eq!(main_log(&work.repository), "Write hello.txt\nbegin\n");
    assert_eq!(git(&work.repository, &["status", "--porcelain"]), "");
}

/// A hook of git that kills the server, once, at a step of the move of `main`.
fn kill_at(work: &Work, step: &str) {
    let (hook, armed) =
        (work.repository.join(".git/hooks/reference-transaction"), work.repository.with_file_name("armed"));
    let text = format!(
        "#!/bin/sh\nif test \"$1\" = {step} && grep -q ' refs/heads/main$' && test -e {0}; then rm {0}; kill -9 {1}; fi\n",
        armed.display(),
        work.server().pid()
    );
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    program(&hook, &text);
    put(&armed, "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kill_right_before_or_after_the_branch_moves_lands_the_work_once_with_its_evidence() {
    let mut work = with_check("test -e start.txt -o -e 0.txt").await;
    for (number, step) in ["prepared", "committed", "prepared", "committed"].into_iter().enumerate() {
        kill_at(&work, step);
        let name = format!("{number}.txt");
        // The first two times the checkout is on the branch, and has to follow it.
        if number == 2 {
            rule(&work, json!({ "target_branch": "main" })).await;
            git(&work.repository, &["checkout", "--quiet", "--detach"]);
        }
        let mission = work.mission(&writes(&[(&name, "x"), ("start.txt", "x")])).await;
        // The answer may be lost with the server.
        let _ = work.dispatch(&mission, json!({})).await;
        while work.repository.with_file_name("armed").exists() {
            // tidy: sleep because a file is waited for
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        work.restart().await;
        let landed = lands(&work, &mission).await;
        assert_eq!(landed.checks.iter().map(|check| check.passed).collect::<Vec<_>>(), [true], "{step}: {landed:#?}");
        let log = main_log(&work.repository);
        assert_eq!(log.matches(&format!("Write {name}")).count(), 1, "{step}: {log}");
        assert_eq!(git(&work.repository, &["status", "--porcelain"]), "", "{step}");
    }
}
