//! A check that is red on the target branch itself: no candidate is to blame, and nothing is run twice for it.

use std::collections::BTreeMap;

use fleet_landing::{Candidate, Ground, Outcome};

use crate::sandbox::{Sandbox, landed, put};

/// A check that counts its runs and is red as long as there is a file `broken`.
fn counted(sandbox: &Sandbox) -> (String, impl Fn() -> usize) {
    let runs = sandbox.path("runs");
    let check = format!("echo run >> {}; test ! -f broken", runs.display());
    (check, move || std::fs::read_to_string(&runs).map(|text| text.lines().count()).unwrap_or_default())
}

fn break_main(sandbox: &Sandbox) {
    put(&sandbox.repo(), "broken", "yes\n");
    sandbox.run(&sandbox.repo(), &["add", "broken"]);
    sandbox.commit(&sandbox.repo(), "break it");
}

fn is_red_on_main(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::TargetRed { target, check, .. } if target == "main" && check.command.contains("broken"))
}

async fn all(
    sandbox: &Sandbox,
    lander: &fleet_landing::Lander,
    ground: &Ground,
    candidates: &[Candidate],
) -> BTreeMap<String, Outcome> {
    let mut told = BTreeMap::new();
    let tell = |candidate: &Candidate, outcome: Outcome| drop(told.insert(candidate.branch.clone(), outcome));
    lander.batch(ground, candidates, tell).await.unwrap();
    assert!(sandbox.run(&sandbox.repo(), &["status", "--porcelain"]).is_empty());
    told
}

#[tokio::test]
async fn a_check_that_is_red_on_the_target_itself_blames_no_candidate_and_is_not_run_again_until_something_changes() {
    let sandbox = Sandbox::new();
    break_main(&sandbox);
    let (check, runs) = counted(&sandbox);
    let (ground, lander) = (sandbox.ground(&[&check]), sandbox.lander());
    let candidate = sandbox.branch("b", "main", &[("new.txt", "new\n")]);
    let before = sandbox.main();
    assert!(is_red_on_main(&lander.attempt(&ground, &candidate).await.unwrap()));
    // On the merge, on the target, and on the target in a clean worktree.
    assert_eq!((runs(), sandbox.main()), (3, before));
    assert!(is_red_on_main(&lander.attempt(&ground, &candidate).await.unwrap()));
    assert_eq!(runs(), 3, "what is known is not run again");
    lander.check_again(&ground).await.unwrap();
    assert!(is_red_on_main(&lander.attempt(&ground, &candidate).await.unwrap()));
    assert_eq!(runs(), 6, "a person asked for it");
    let other = sandbox.ground(&["true"]);
    landed(lander.attempt(&other, &candidate).await.unwrap());
}

#[tokio::test]
async fn what_mends_the_target_lands_though_others_of_the_queue_are_red_with_it_and_those_land_then() {
    let sandbox = Sandbox::new();
    break_main(&sandbox);
    let (check, _) = counted(&sandbox);
    let (ground, lander) = (sandbox.ground(&[&check, "test ! -f bad"]), sandbox.lander());
    let innocent = sandbox.branch("innocent", "main", &[("new.txt", "new\n")]);
    let bad = sandbox.branch("bad", "main", &[("bad", "bad\n")]);
    let work = sandbox.path("work");
    let fix = sandbox.branch("fix", "main", &[]);
    sandbox.run(&work, &["checkout", "-q", "fix"]);
    sandbox.run(&work, &["rm", "-q", "broken"]);
    sandbox.commit(&work, "mend it");
    sandbox.run(&work, &["checkout", "-q", "--detach"]);
    let queue = [innocent.clone(), bad.clone(), fix];
    let told = all(&sandbox, &lander, &ground, &queue).await;
    assert!(matches!(told["fix"], Outcome::Landed(_)), "{told:?}");
    assert!(is_red_on_main(&told["innocent"]) && is_red_on_main(&told["bad"]), "{told:?}");
    let told = all(&sandbox, &lander, &ground, &[innocent, bad]).await;
    assert!(matches!((&told["innocent"], &told["bad"]), (Outcome::Landed(_), Outcome::Red(_))), "{told:?}");
}

#[tokio::test]
async fn a_check_that_only_the_candidate_makes_red_is_its_own_though_another_is_red_on_the_target() {
    let sandbox = Sandbox::new();
    break_main(&sandbox);
    let candidate = sandbox.branch("b", "main", &[("bad", "bad\n")]);
    let work = sandbox.path("work");
    sandbox.run(&work, &["checkout", "-q", "b"]);
    sandbox.run(&work, &["rm", "-q", "broken"]);
    sandbox.commit(&work, "mend one and break the other");
    sandbox.run(&work, &["checkout", "-q", "--detach"]);
    let ground = sandbox.ground(&["test ! -f broken", "test ! -f bad"]);
    let told = sandbox.lander().attempt(&ground, &candidate).await.unwrap();
    assert!(matches!(&told, Outcome::Red(red) if red.checks[0].is_green() && !red.checks[1].is_green()), "{told:?}");
}

#[tokio::test]
async fn what_a_candidates_check_leaves_behind_does_not_make_the_target_look_red() {
    let sandbox = Sandbox::new();
    put(&sandbox.repo(), ".gitignore", "junk\n");
    sandbox.run(&sandbox.repo(), &["add", ".gitignore"]);
    sandbox.commit(&sandbox.repo(), "ignore junk");
    // The branch of a hostile agent: its check leaves an ignored file, on which every later check stumbles.
    let candidate = sandbox.branch("b", "main", &[("evil", "evil\n")]);
    let ground = sandbox.ground(&["if test -f evil; then touch junk; fi; test ! -f junk"]);
    let lander = sandbox.lander();
    let told = lander.attempt(&ground, &candidate).await.unwrap();
    assert!(matches!(told, Outcome::Red(_)), "the candidate is to blame: {told:?}");
    let innocent = sandbox.branch("c", "main", &[("new.txt", "new\n")]);
    landed(lander.attempt(&ground, &innocent).await.unwrap());
}
