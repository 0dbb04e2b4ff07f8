//! One candidate: merged, checked, landed, or sent back with the reason.

use std::path::PathBuf;

use fleet_landing::{Candidate, Error, Ground, Outcome};
use types::CheckOutcome;

use crate::sandbox::{Sandbox, landed, put};

#[tokio::test]
async fn a_green_branch_lands_as_a_merge_that_names_it_and_the_clean_checkout_goes_forward() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    put(&sandbox.repo(), "a.txt", "ONE\ntwo\nthree\n");
    sandbox.commit(&sandbox.repo(), "meanwhile");
    let before = sandbox.main();
    let ground = sandbox.ground(&["test -f new.txt && grep -q ONE a.txt && echo fine"]);
    let told = landed(sandbox.lander().attempt(&ground, &candidate).await.unwrap());
    assert_eq!((told.commit.as_str(), told.from.as_str()), (sandbox.main().as_str(), before.as_str()));
    assert_eq!(told.checks.len(), 1);
    assert_eq!((&told.checks[0].outcome, told.checks[0].output_tail.as_str()), (&CheckOutcome::Passed, "fine"));
    assert_eq!((told.together, told.meddled), (vec!["l-b".to_owned()], vec![]));
    assert_eq!(told.checkout, Some(sandbox.repo()));
    let message = sandbox.run(&sandbox.repo(), &["log", "-1", "--format=%B%an"]);
    assert_eq!(message, "Do b\n\nMerges branch 'b'.\n\nFleet-Landing: l-b\nFleet");
    sandbox.assert_clean();
    assert_eq!(std::fs::read_to_string(sandbox.repo().join("new.txt")).unwrap(), "new\n");
}

#[tokio::test]
async fn a_branch_of_one_commit_after_the_tip_lands_as_it_is_and_once() {
    let sandbox = Sandbox::new();
    let (candidate, lander) = (sandbox.branch("b", "main", &[("new.txt", "new\n")]), sandbox.lander());
    let told = landed(lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
    assert_eq!(told.commit.as_str(), sandbox.run(&sandbox.repo(), &["rev-parse", "b"]));
    let again = lander.attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap();
    assert_eq!(again, Outcome::Contained { tip: told.commit });
}

#[tokio::test]
async fn of_a_branch_that_has_the_tip_only_what_was_checked_stands_in_the_targets_own_line() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("new.txt", "broken\n")]);
    let work = sandbox.path("work");
    sandbox.run(&work, &["checkout", "-q", "b"]);
    put(&work, "new.txt", "mended\n");
    sandbox.commit(&work, "mend it");
    let (tip, before) = (sandbox.run(&work, &["rev-parse", "b"]), sandbox.main());
    let ground = sandbox.ground(&["grep -q mended new.txt"]);
    let told = landed(sandbox.lander().attempt(&ground, &candidate).await.unwrap());
    let line = sandbox.run(&sandbox.repo(), &["log", "--format=%H", "--first-parent", "main"]);
    assert_eq!(line, format!("{}\n{before}", told.commit), "its first commit was red, and is not in the line");
    assert_eq!(sandbox.run(&sandbox.repo(), &["rev-parse", "main^2"]), tip, "but it is kept");
    let differs = sandbox.run(&sandbox.repo(), &["diff", "--stat", "main", &tip]);
    assert_eq!(differs, "", "what lands is what the branch has");
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_branch_that_merged_the_tip_from_elsewhere_does_not_take_the_targets_line_with_it() {
    let sandbox = Sandbox::new();
    let (repo, work) = (sandbox.repo(), sandbox.path("work"));
    sandbox.run(&work, &["checkout", "-q", "-B", "b", "main"]);
    put(&repo, "other.txt", "x\n");
    sandbox.commit(&repo, "other");
    let before = sandbox.main();
    sandbox.run(&work, &["merge", "-q", "--no-ff", "--no-edit", "main"]);
    let candidate = Candidate { id: "l-b".to_owned(), branch: "b".to_owned(), title: String::new() };
    let told = landed(sandbox.lander().attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap());
    assert_eq!(sandbox.run(&repo, &["rev-parse", "main^1"]), before);
    assert_eq!(told.commit.as_str(), sandbox.main());
}

#[tokio::test]
async fn a_conflict_names_the_files_and_moves_nothing() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("a.txt", "1\ntwo\nthree\n"), ("fine.txt", "x\n")]);
    put(&sandbox.repo(), "a.txt", "ONE\ntwo\nthree\n");
    sandbox.commit(&sandbox.repo(), "meanwhile");
    let (before, state) = (sandbox.main(), sandbox.state());
    let told = sandbox.lander().attempt(&sandbox.ground(&["true"]), &candidate).await.unwrap();
    assert_eq!(told, Outcome::Conflict { files: vec![PathBuf::from("a.txt")], tip: before.parse().unwrap() });
    assert_eq!((sandbox.main(), sandbox.state()), (before, state));
}

#[tokio::test]
async fn what_has_nothing_to_do_with_the_target_or_is_not_there_is_told_so() {
    let sandbox = Sandbox::new();
    let work = sandbox.path("work");
    sandbox.run(&work, &["checkout", "-q", "--orphan", "other"]);
    sandbox.commit(&work, "other history");
    let candidate = |branch: &str| Candidate { id: branch.to_owned(), branch: branch.to_owned(), title: String::new() };
    let (lander, ground) = (sandbox.lander(), sandbox.ground(&[]));
    let told = lander.attempt(&ground, &candidate("other")).await.unwrap();
    assert_eq!(told, Outcome::Unrelated { tip: sandbox.main().parse().unwrap() });
    for branch in ["nowhere", "--all", ""] {
        let told = lander.attempt(&ground, &candidate(branch)).await.unwrap();
        assert_eq!(told, Outcome::Gone { branch: branch.to_owned() });
    }
    let nowhere = Ground { target: Some("nowhere".to_owned()), ..ground.clone() };
    let error = lander.attempt(&nowhere, &candidate("other")).await.unwrap_err();
    assert!(matches!(error, Error::TargetGone { .. }), "{error}");
    let error =
        lander.attempt(&Ground { folder: sandbox.path("home"), ..ground }, &candidate("other")).await.unwrap_err();
    assert!(error.to_string().contains("it is in no git repository"), "{error}");
}

#[tokio::test]
async fn three_that_end_in_the_same_instant_all_land() {
    let sandbox = Sandbox::new();
    let names = ["x", "y", "z"];
    let candidates = names.map(|name| sandbox.branch(name, "main", &[(&format!("{name}.txt"), "x\n")]));
    let (lander, ground) = (sandbox.lander(), sandbox.ground(&["test -f a.txt"]));
    let [one, two, three] = &candidates;
    let (one, two, three) =
        tokio::join!(lander.attempt(&ground, one), lander.attempt(&ground, two), lander.attempt(&ground, three));
    for outcome in [one, two, three] {
        landed(outcome.unwrap());
    }
    assert!(names.iter().all(|name| sandbox.landed(&format!("{name}.txt")).is_some()));
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_target_that_others_move_is_merged_and_checked_again_and_put_off_if_that_does_not_end() {
    let sandbox = Sandbox::new();
    let candidate = sandbox.branch("b", "main", &[("b.txt", "b\n")]);
    sandbox.run(&sandbox.repo(), &["checkout", "-q", "--detach"]);
    let repo = sandbox.repo();
    // The check itself plays the other one, who commits to the target while it runs.
    let advance = format!(
        "export HOME={home}; cd {repo} && next=$(git commit-tree -p main -m other main^{{tree}}) && \
         git update-ref refs/heads/main $next",
        home = sandbox.path("home").display(),
        repo = repo.display()
    );
    let once = format!("test -e {0} || {{ touch {0}; {advance}; }}", sandbox.path("once").display());
    let lander = sandbox.lander();
    let ground = |check: &str| Ground { target: Some("main".to_owned()), ..sandbox.ground(&[check]) };
    landed(lander.attempt(&ground(&once), &candidate).await.unwrap());
    assert_eq!(sandbox.run(&repo, &["log", "--format=%s", "--first-parent", "main"]), "Do b\nother\nfirst");
    let again = sandbox.branch("c", "main", &[("c.txt", "c\n")]);
    let told = lander.attempt(&ground(&advance), &again).await.unwrap();
    assert_eq!(told, Outcome::Moving { tries: 5 });
    assert_eq!(sandbox.landed("c.txt"), None);
}
