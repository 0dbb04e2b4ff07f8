use proptest::prelude::*;
use types::{CheckOutcome, LandingRules};

use super::*;
use crate::outcome::{Landed, Red};

const TIP: &str = "1111111111111111111111111111111111111111";

fn id(number: usize) -> types::LandingId {
    let letter = |place: usize| types::ID_ALPHABET.chars().nth(place).unwrap();
    types::LandingId::from_code(&format!("aaa{}{}", letter(number / 16), letter(number % 16))).unwrap()
}

fn landing(number: usize, check: &str, state: LandingState) -> Landing {
    let at = jiff::Timestamp::from_second(1_000 + i64::try_from(number).unwrap()).unwrap();
    Landing {
        id: id(number),
        team: "alpha".parse().unwrap(),
        project: None,
        folder: "/srv/shop".to_owned(),
        mission: "m-x7k2m".parse().unwrap(),
        session: "s-x7k2m".parse().unwrap(),
        branch: format!("b{number}"),
        title: String::new(),
        rules: LandingRules { checks: vec![check.to_owned()], ..LandingRules::default() },
        returns: 0,
        sent_back: Vec::new(),
        state,
        publication: None,
        created_at: at,
        updated_at: at,
    }
}

fn queued(number: usize, check: &str) -> Landing {
    let since = jiff::Timestamp::UNIX_EPOCH;
    landing(number, check, LandingState::Queued { since })
}

fn run(outcome: CheckOutcome) -> CheckRun {
    CheckRun {
        command: "make".to_owned(),
        outcome,
        output_tail: String::new(),
        duration_ms: 1,
        sandbox: None,
        refused: Vec::new(),
    }
}

fn red() -> Outcome {
    let (commit, tip) = (TIP.parse().unwrap(), TIP.parse().unwrap());
    let checks = vec![run(CheckOutcome::Passed), run(CheckOutcome::TimedOut)];
    Outcome::Red(Red { commit, tip, together: vec!["d-1".to_owned()], checks })
}

proptest! {
    #[test]
    fn the_head_of_a_queue_is_tried_oldest_first_and_nobody_overtakes(
        mut queue in prop::collection::btree_map(0usize..100, prop::sample::select(vec!["make", "test"]), 0..60)
            .prop_map(|numbers| numbers.into_iter().map(|(number, check)| queued(number, check)).collect::<Vec<_>>()),
        turn in 0usize..60,
    ) {
        let sorted = queue.clone();
        if !queue.is_empty() {
            let turn = turn % queue.len();
            queue.rotate_left(turn);
        }
        let next: Vec<Landing> = next(&queue).into_iter().cloned().collect();
        prop_assert_eq!(next.is_empty(), queue.is_empty());
        prop_assert_eq!(&next[..], &sorted[..next.len()]);
        prop_assert!(next.iter().all(|one| one.rules == next[0].rules) && next.len() <= TOGETHER_MAX);
        let more = sorted.get(next.len()).is_some_and(|after| after.rules == next[0].rules);
        prop_assert!(!more || next.len() == TOGETHER_MAX, "a queue under one set of rules is tried as a whole");
    }
}

#[test]
fn only_those_who_wait_for_a_try_are_tried() {
    let since = jiff::Timestamp::UNIX_EPOCH;
    let commit = TIP.to_owned();
    let queue = [
        landing(1, "make", LandingState::Review { since }),
        landing(2, "make", LandingState::Waiting { since, why: "dirty".to_owned(), check: None }),
        landing(3, "make", LandingState::Cleared { since, commit, checks: Vec::new() }),
        landing(4, "make", LandingState::Stuck { since, obstacle: Obstacle::Failed { why: String::new() } }),
        queued(5, "make"),
    ];
    let next: Vec<&str> = next(&queue).iter().map(|one| one.branch.as_str()).collect();
    assert_eq!(next, ["b2", "b5"]);
}

#[test]
fn red_work_goes_back_a_few_times_and_then_to_a_person_with_the_check_that_is_red() {
    for returns in 0..5 {
        let landing = Landing { returns, ..queued(1, "make") };
        let obstacle = Obstacle::Red { check: run(CheckOutcome::TimedOut) };
        let expected = if returns < RETURNS_MAX { Follows::Returned { obstacle } } else { Follows::Stuck { obstacle } };
        assert_eq!(follows(&landing, red()), expected, "{returns}");
    }
}

#[test]
fn what_landed_keeps_its_evidence_and_what_was_there_already_has_none() {
    let landing = queued(1, "make");
    let (commit, from) = (TIP.parse().unwrap(), TIP.parse().unwrap());
    let checks = vec![run(CheckOutcome::Passed)];
    let landed = Landed { commit, from, together: vec![], checks: checks.clone(), meddled: vec![], checkout: None };
    let told = follows(&landing, Outcome::Landed(landed));
    assert_eq!(told, Follows::Landed { commit: TIP.to_owned(), checks });
    let told = follows(&landing, Outcome::Contained { tip: TIP.parse().unwrap() });
    assert_eq!(told, Follows::Landed { commit: TIP.to_owned(), checks: Vec::new() });
}

#[test]
fn what_is_in_the_way_outside_is_waited_for_and_sends_nobody_back() {
    let landing = Landing { returns: RETURNS_MAX, ..queued(1, "make") };
    let files: Vec<_> = (0..7).map(|number| format!("{number}.txt").into()).collect();
    let told = follows(&landing, Outcome::CheckoutDirty { checkout: "/srv/shop".into(), files });
    let why = "the checkout `/srv/shop` is on the target branch and has changes of yours that this would overwrite \
               (0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more); commit or stash them, then it lands by itself";
    assert_eq!(told, Follows::Waits { why: why.to_owned(), check: None });
    let check = run(CheckOutcome::Failed { code: 1 });
    let red = Outcome::TargetRed { tip: TIP.parse().unwrap(), target: "main".to_owned(), check: check.clone() };
    let why = "red on `main` itself: check `make` failed with exit code 1 at 1111111111 without this work; fix `main` or \
               the check, then it is tried again by itself, or at once with `fleet land retry d-aaa23`";
    assert_eq!(follows(&landing, red), Follows::Waits { why: why.to_owned(), check: Some(check) });
    assert!(matches!(follows(&landing, Outcome::Moving { tries: 5 }), Follows::Waits { .. }));
    assert!(matches!(follows(&landing, Outcome::Locked { said: String::new() }), Follows::Waits { .. }));
    assert_eq!(follows(&landing, Outcome::Withdrawn), Follows::Nothing);
}

#[test]
fn a_branch_that_is_gone_is_for_a_person_at_once() {
    let told = follows(&queued(1, "make"), Outcome::Gone { branch: "b".to_owned() });
    assert_eq!(told, Follows::Stuck { obstacle: Obstacle::Failed { why: "its branch `b` is gone".to_owned() } });
}

#[test]
fn what_many_checks_said_fits_into_a_record_and_what_few_said_is_kept_whole() {
    let check = |said: String| CheckRun { output_tail: said, ..run(CheckOutcome::Passed) };
    let few = vec![check("x".repeat(8_000)); 3];
    assert_eq!(slim(few.clone()), few);
    let many = slim(vec![check("ä".repeat(4_000)); 50]);
    let said: usize = many.iter().map(|check| check.output_tail.len()).sum();
    assert!(said <= SAID_MAX && said >= SAID_MAX - 2 * many.len(), "{said}");
}
