//! What checks may do, and what happens to those that fail, hang, meddle or cannot run.

use std::path::PathBuf;
use std::time::Duration;

use fleet_landing::{Error, Ground, Outcome};
use types::{CheckOutcome, Sandboxed, Wanted};

use crate::sandbox::{Sandbox, is_running, landed, put};

#[tokio::test]
async fn a_red_check_sends_back_its_code_and_last_words_beside_the_green_ones() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let (before, state) = (sandbox.main(), sandbox.state());
    let checks = [
        "echo good",
        "test ! -f new.txt || { echo to stdout; echo to stderr >&2; exit 7; }",
        "test ! -f new.txt || kill -9 $$",
    ];
    let Outcome::Red(red) = sandbox.lander().attempt(&sandbox.ground(&checks), &candidate).await.unwrap() else {
        panic!("a check ends with 7")
    };
    let told: Vec<_> = red.checks.iter().map(|run| (run.outcome.clone(), run.output_tail.as_str())).collect();
    let failed = |code| CheckOutcome::Failed { code };
    assert_eq!(told, [(CheckOutcome::Passed, "good"), (failed(7), "to stdout\nto stderr"), (failed(137), "")]);
    assert_eq!(red.together, ["l-b"]);
    assert_eq!((sandbox.main(), sandbox.state()), (before, state));
}

#[tokio::test]
async fn where_no_sandbox_can_be_made_checks_say_so_or_do_not_run() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let ran = sandbox.path("ran");
    let ground = sandbox.ground(&[&format!("touch {}", ran.display())]);
    let mut required = ground.clone();
    required.sandbox.wish.level = Wanted::Required;
    let before = sandbox.main();
    for lander in [sandbox.lander_without_sandbox(), sandbox.lander()] {
        let error = lander.attempt(&required, &candidate).await.unwrap_err();
        assert!(matches!(error, Error::Sandbox { .. }) && error.to_string().contains("sandbox"), "{error}");
        assert_eq!((sandbox.main(), ran.exists()), (before.clone(), false), "it ran, or landed");
    }
    let done = landed(sandbox.lander_without_sandbox().attempt(&ground, &candidate).await.unwrap());
    let expected = Sandboxed::Missing { why: "this kernel has no Landlock".to_owned() };
    assert_eq!((done.checks[0].sandbox.clone(), ran.exists()), (Some(expected), true));
}

#[tokio::test]
async fn a_check_that_hangs_is_ended_with_its_children() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let pids = sandbox.path("pids");
    let check = format!(
        "test -f new.txt || exit 0; sleep 1000 & one=$!; setsid sleep 1000 & echo $one $! $$ > {}; echo waiting; wait",
        pids.display()
    );
    let lander = sandbox.lander();
    let ground = Ground { check_timeout: Duration::from_millis(400), ..sandbox.ground(&[&check, "echo never"]) };
    let Outcome::Red(red) = lander.attempt(&ground, &candidate).await.unwrap() else { panic!("it hangs") };
    assert_eq!(red.checks.len(), 1, "{red:?}");
    assert_eq!((&red.checks[0].outcome, red.checks[0].output_tail.as_str()), (&CheckOutcome::TimedOut, "waiting"));
    assert!(red.checks[0].duration_ms >= 400);
    for pid in std::fs::read_to_string(pids).unwrap().split_whitespace() {
        while is_running(pid) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn what_a_check_leaves_running_is_ended_with_it() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let pid = sandbox.path("pid");
    let ground = sandbox.ground(&[&format!("sleep 1000 & echo $! > {}", pid.display())]);
    landed(sandbox.lander().attempt(&ground, &candidate).await.unwrap());
    let pid = std::fs::read_to_string(pid).unwrap();
    while is_running(&pid) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_check_that_changes_files_is_told_and_the_next_one_and_the_target_get_what_was_committed() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let checks = [
        "echo formatted > a.txt; rm new.txt; echo build > built; mkdir -p target; echo cache > target/cache",
        "test -f new.txt && grep -q one a.txt && test -f built",
        "git -c user.name=x -c user.email=x commit -q --allow-empty -m mine",
    ];
    let lander = sandbox.lander();
    let told = landed(lander.attempt(&sandbox.ground(&checks), &candidate).await.unwrap());
    let meddled: Vec<_> = told.meddled.iter().map(|one| (one.command.as_str(), one.files.clone())).collect();
    let files = vec![PathBuf::from("a.txt"), PathBuf::from("new.txt")];
    assert_eq!(meddled, [(checks[0], files), (checks[2], vec![PathBuf::from("HEAD")])]);
    assert_eq!(told.commit.as_str(), sandbox.run(&sandbox.repo(), &["rev-parse", "b"]));
    assert_eq!((sandbox.landed("a.txt").unwrap().as_str(), sandbox.landed("built")), ("one\ntwo\nthree\n", None));
    // The next landing finds ignored caches, and nothing else that a check made.
    let next = sandbox.branch("c", "main", &[("c.txt", "c\n")]);
    let ground = sandbox.ground(&["test ! -e built && test -f target/cache && test -z \"$(git status --porcelain)\""]);
    landed(lander.attempt(&ground, &next).await.unwrap());
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_check_sees_the_merged_tree_and_no_environment_but_what_it_is_given() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    put(&sandbox.repo(), "main.txt", "m\n");
    sandbox.commit(&sandbox.repo(), "meanwhile");
    let checks = [
        "test -f new.txt -a -f main.txt && test -z \"$(git status --porcelain --ignored)\"",
        "env; read x; test ! -f new.txt",
    ];
    let Outcome::Red(red) = sandbox.lander().attempt(&sandbox.ground(&checks), &candidate).await.unwrap() else {
        panic!("the second ends with 1")
    };
    assert_eq!(red.checks[0].outcome, CheckOutcome::Passed, "{red:?}");
    let seen = &red.checks[1].output_tail;
    assert!(seen.contains("PATH=") && !seen.contains("HOME=") && !seen.contains("CARGO"), "{seen}");
}

#[tokio::test]
async fn a_check_that_cannot_be_started_says_why() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let ground = sandbox.ground(&["test ! -f new.txt || no-such-program --now"]);
    let Outcome::Red(red) = sandbox.lander().attempt(&ground, &candidate).await.unwrap() else {
        panic!("it does not run")
    };
    assert_eq!(red.checks[0].outcome, CheckOutcome::Failed { code: 127 });
    assert!(red.checks[0].output_tail.contains("no-such-program"), "{red:?}");
    // No work can do anything about a check that does not start on the target either.
    let told = sandbox.lander().attempt(&sandbox.ground(&["true\0"]), &candidate).await.unwrap();
    let is_not_started = |check: &types::CheckRun| matches!(check.outcome, CheckOutcome::NotStarted { .. });
    assert!(matches!(&told, Outcome::TargetRed { check, .. } if is_not_started(check)), "{told:?}");
}

#[tokio::test]
async fn without_checks_whatever_merges_lands_and_no_worktree_is_made() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    landed(sandbox.lander().attempt(&sandbox.ground(&["  "]), &candidate).await.unwrap());
    assert!(!sandbox.lane().join("tree").exists());
}
