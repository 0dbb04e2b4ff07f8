//! A queue: as many at once as are green together, and each red one with its own evidence.

use std::path::PathBuf;

use fleet_landing::{Candidate, Outcome};

use crate::sandbox::{Sandbox, batch, landed};

/// Green if `left` and `right` say the same.
const AGREE: &str = "test \"$(cat left 2>/dev/null)\" = \"$(cat right 2>/dev/null)\"";

#[tokio::test]
async fn a_green_queue_lands_with_one_run_of_the_checks_and_by_one_move() {
    let sandbox = Sandbox::new();
    let queue: Vec<Candidate> =
        (0..8).map(|n| sandbox.branch(&format!("b{n}"), "main", &[(&format!("{n}.txt"), "x\n")])).collect();
    let runs = sandbox.path("runs");
    let ground = sandbox.ground(&[&format!("echo run >> {}", runs.display())]);
    let told = batch(&sandbox.lander(), &ground, &queue).await;
    let ids: Vec<String> = queue.iter().map(|one| one.id.clone()).collect();
    for outcome in told {
        let landed = landed(outcome);
        assert_eq!((landed.together, landed.commit.as_str()), (ids.clone(), sandbox.main().as_str()));
    }
    assert_eq!(std::fs::read_to_string(runs).unwrap(), "run\n");
    let order = sandbox.run(&sandbox.repo(), &["log", "--first-parent", "--reverse", "--format=%s"]);
    // Every commit on the target's first-parent line was checked: none of them alone is there.
    assert_eq!(order, "first\nLand 8 branches: Do b0, Do b1, Do b2, Do b3, Do b4, Do b5, Do b6, Do b7");
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_pair_that_is_green_apart_and_red_together_lands_the_first_and_sends_back_the_second() {
    let sandbox = Sandbox::new();
    let one = sandbox.branch("one", "main", &[("one", "x\n")]);
    let two = sandbox.branch("two", "main", &[("two", "x\n")]);
    let other = sandbox.branch("other", "main", &[("other", "x\n")]);
    let check = "! { test -f one && test -f two && echo they do not go together; }";
    let told = batch(&sandbox.lander(), &sandbox.ground(&[check]), &[one, two, other]).await;
    landed(told[0].clone());
    landed(told[2].clone());
    let Outcome::Red(red) = &told[1] else { panic!("{told:?}") };
    assert_eq!(red.checks[0].output_tail, "they do not go together");
    assert_eq!(red.together.last().unwrap(), "l-two");
    assert_eq!(
        (sandbox.landed("one").is_some(), sandbox.landed("two"), sandbox.landed("other").is_some()),
        (true, None, true)
    );
    sandbox.assert_clean();
}

#[tokio::test]
async fn red_ones_and_conflicts_amid_a_queue_are_found_and_all_others_land() {
    let sandbox = Sandbox::new();
    let file = |n: usize| format!("{n}.txt");
    let queue: Vec<Candidate> = (0..12)
        .map(|n| match n {
            3 | 9 => sandbox.branch(&format!("b{n}"), "main", &[(&file(n), "x\n"), (&format!("bad{n}"), "x\n")]),
            // The second of them conflicts with the first, which lands before it.
            5 | 7 => sandbox.branch(&format!("b{n}"), "main", &[("a.txt", &format!("{n}\ntwo\nthree\n"))]),
            _ => sandbox.branch(&format!("b{n}"), "main", &[(&file(n), "x\n")]),
        })
        .collect();
    let runs = sandbox.path("runs");
    let check = format!("echo run >> {}; ls bad* 2>/dev/null && exit 3; true", runs.display());
    let told = batch(&sandbox.lander(), &sandbox.ground(&[&check]), &queue).await;
    for (n, outcome) in told.iter().enumerate() {
        match (n, outcome) {
            (3 | 9, Outcome::Red(red)) => assert!(red.checks[0].output_tail.contains(&format!("bad{n}")), "{red:?}"),
            (7, Outcome::Conflict { files, .. }) => assert_eq!(files, &[PathBuf::from("a.txt")]),
            (_, Outcome::Landed(_)) => {}
            (_, other) => panic!("{n}: {other:?}"),
        }
    }
    assert_eq!(sandbox.landed("a.txt").unwrap(), "5\ntwo\nthree\n");
    let runs = std::fs::read_to_string(runs).unwrap().lines().count();
    assert!(runs <= 1 + 2 * 3 * 4, "{runs} runs");
    sandbox.assert_clean();
}

#[tokio::test]
async fn twenty_branches_with_overlapping_files_land_and_the_target_is_green_after_every_landing() {
    let sandbox = Sandbox::new();
    sandbox.run(&sandbox.repo(), &["branch", "start"]);
    let lines = |changed: usize| {
        (0..40).map(|n| format!("line {n}{}\n", if n == changed { " new" } else { "" })).collect::<String>()
    };
    crate::sandbox::put(&sandbox.repo(), "shared.txt", &lines(99));
    sandbox.commit(&sandbox.repo(), "shared");
    let mut queue = Vec::new();
    for n in 0..20 {
        let (shared, own) = (lines(2 * n), format!("{n}.txt"));
        // Two of them change one side only, and are red for it.
        let sides: &[(&str, &str)] = if n == 6 || n == 13 { &[("left", "only\n")] } else { &[] };
        let files = [&[("shared.txt", shared.as_str()), (&own, "x\n")], sides].concat();
        queue.push(sandbox.branch(&format!("b{n}"), "main", &files));
    }
    let lander = sandbox.lander();
    // Half of them at once, half one by one.
    let told = batch(&lander, &sandbox.ground(&[AGREE]), &queue[..10]).await;
    let mut red = told.iter().filter(|outcome| matches!(outcome, Outcome::Red(_))).count();
    for candidate in &queue[10..] {
        let told = lander.attempt(&sandbox.ground(&[AGREE]), candidate).await.unwrap();
        red += usize::from(matches!(told, Outcome::Red(_)));
    }
    assert_eq!(red, 2);
    let shared = sandbox.landed("shared.txt").unwrap();
    assert_eq!(shared.matches(" new").count(), 18, "{shared}");
    // Every commit that the target has ever been at, from its reflog.
    for commit in sandbox.run(&sandbox.repo(), &["log", "-g", "--format=%H", "main"]).lines() {
        let show = |file: &str| sandbox.try_run(&sandbox.repo(), &["show", &format!("{commit}:{file}")]).stdout;
        assert_eq!(show("left"), show("right"), "{commit}");
    }
    sandbox.assert_clean();
}

#[tokio::test]
async fn a_branch_that_another_of_the_queue_has_is_contained_once_that_one_landed() {
    let sandbox = Sandbox::new();
    let lower = sandbox.branch("lower", "main", &[("lower", "x\n")]);
    let upper = sandbox.branch("upper", "lower", &[("upper", "x\n")]);
    let told = batch(&sandbox.lander(), &sandbox.ground(&["true"]), &[upper, lower]).await;
    let tip = landed(told[0].clone()).commit;
    assert_eq!(told[1], Outcome::Contained { tip });
}
