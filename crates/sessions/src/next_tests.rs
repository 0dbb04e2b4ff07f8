use agents::{Denial, Outcome};
use proptest::prelude::*;
use types::{Order, Stay};

use super::*;
use crate::samples::session;

const RULES: Rules = Rules {
    parking: Parking::Account,
    stale_restarts_max: 2,
    back_off: BackOff { first_ms: 2_000, longest_ms: 60_000, times_max: 3 },
};

fn failed(class: FailureClass) -> Outcome {
    Outcome::Failed { class, text: "it broke".to_owned() }
}

fn succeeded() -> Outcome {
    Outcome::Succeeded { text: "done".to_owned(), denials: Vec::<Denial>::new(), structured: None }
}

fn ended(outcome: &Outcome) -> Ended<'_> {
    let (advanced, rebooted, told, can_resume) = (false, false, true, true);
    Ended {
        outcome,
        stopped_by: None,
        advanced,
        rebooted,
        told,
        can_resume,
        overdrawn: None,
        now: at(1_000),
        asks: None,
        chance: 0.5,
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn classes() -> impl Strategy<Value = FailureClass> {
    prop_oneof![
        Just(FailureClass::RateLimit),
        (0_i64..10_000_000).prop_map(|second| FailureClass::Quota { resets_at: Some(at(second)) }),
        Just(FailureClass::Quota { resets_at: None }),
        Just(FailureClass::Overloaded),
        Just(FailureClass::Auth),
        Just(FailureClass::ContextFull),
        Just(FailureClass::NotStarted),
        Just(FailureClass::Crash),
        Just(FailureClass::Stale),
        Just(FailureClass::Timeout),
        Just(FailureClass::Budget),
        Just(FailureClass::Denied),
        Just(FailureClass::MaxTurns),
        Just(FailureClass::Interrupted),
        Just(FailureClass::NoSession),
        Just(FailureClass::Invalid),
    ]
}

prop_compose! {
    fn sessions()(
        begun in prop_oneof![Just(Begun::Anew), Just(Begun::Resumed), Just(Begun::Forked)],
        stay in prop_oneof![Just(Stay::UntilDone), Just(Stay::UntilDismissed)],
        failures in 0_u32..6,
        restarts in 0_u32..6,
        retries_max in proptest::option::of(0_u32..6),
        conversation in proptest::option::of(Just("c".to_owned())),
    ) -> Session {
        let order = Order { stay, retries_max, ..session().order };
        Session { begun, failures, restarts, conversation, order, ..session() }
    }
}

prop_compose! {
    fn rules()(
        parking in prop_oneof![Just(Parking::Account), Just(Parking::Fleet), Just(Parking::Off)],
        stale_restarts_max in 0_u32..5,
        first_ms in 0_u64..100_000,
        more_ms in 0_u64..1_000_000,
        times_max in 0_u32..6,
    ) -> Rules {
        let back_off = BackOff { first_ms, longest_ms: first_ms + more_ms, times_max };
        Rules { parking, stale_restarts_max, back_off }
    }
}

/// What is known of the end of a process, but for how it was judged.
#[derive(Debug, Clone)]
struct Known {
    advanced: bool,
    told: bool,
    can_resume: bool,
    chance: f64,
}

impl Known {
    fn ended<'a>(&self, outcome: &'a Outcome) -> Ended<'a> {
        let Self { advanced, told, can_resume, chance } = *self;
        Ended { advanced, told, can_resume, chance, ..ended(outcome) }
    }
}

prop_compose! {
    fn known()(advanced: bool, told: bool, can_resume: bool, chance in 0.0..1.0_f64) -> Known {
        Known { advanced, told, can_resume, chance }
    }
}

fn is_over(next: &Next) -> bool {
    matches!(next, Next::End(_))
}

proptest! {
    #[test]
    fn nothing_is_tried_again_that_somebody_stopped(
        session in sessions(), class in classes(), rules in rules(), known in known(), rebooted: bool,
    ) {
        let (outcome, by) = (failed(class), "bob".parse().unwrap());
        let ended = Ended { stopped_by: Some(&by), rebooted, ..known.ended(&outcome) };
        let next = decide(&session, &ended, &rules).next;
        prop_assert_eq!(next, Next::End(SessionEnding::Cancelled { by }));
    }

    #[test]
    fn whatever_happens_a_session_comes_to_an_end_unless_it_advances(
        session in sessions(), classes in proptest::collection::vec(classes(), 1..5), rules in rules(), known in known(),
    ) {
        // Waiting for a reset is not a try, and is bounded by the provider alone.
        let rules = Rules { parking: Parking::Off, ..rules };
        let known = Known { advanced: false, ..known };
        let mut session = session;
        let tried = classes.iter().cycle().take(40).take_while(|class| {
            let outcome = failed((*class).clone());
            let decided = decide(&session, &known.ended(&outcome), &rules);
            (session.failures, session.restarts) = (decided.failures, decided.restarts);
            !is_over(&decided.next)
        }).count();
        prop_assert!(tried < 20, "tried {tried} times");
    }

    #[test]
    fn a_crash_is_resumed_a_few_times_at_most_even_if_something_was_done_in_between(
        session in sessions(), stale: bool, rules in rules(), known in known(),
    ) {
        let outcome = failed(if stale { FailureClass::Stale } else { FailureClass::Crash });
        let most = if stale { rules.stale_restarts_max } else { 2 };
        let mut session = Session { restarts: 0, failures: 0, ..session };
        let most = session.order.retries_max.map_or(most, |asked| asked.min(most));
        for _ in 0..most {
            let decided = decide(&session, &known.ended(&outcome), &rules);
            prop_assert!(matches!(decided.next, Next::Again(_)), "{:?}", decided);
            (session.failures, session.restarts) = (decided.failures, decided.restarts);
        }
        prop_assert!(is_over(&decide(&session, &known.ended(&outcome), &rules).next));
    }

    #[test]
    fn some_failures_are_final(session in sessions(), class in classes(), rules in rules(), known in known()) {
        prop_assume!(retry_rule(&class) == RetryRule::GiveUp);
        let outcome = failed(class.clone());
        let decided = decide(&session, &known.ended(&outcome), &rules);
        prop_assert_eq!(decided.next, Next::End(SessionEnding::Failed { class, text: "it broke".to_owned() }));
    }

    #[test]
    fn without_parking_nobody_waits_for_an_account(session in sessions(), class in classes(), rules in rules(), known in known()) {
        let outcome = failed(class.clone());
        let rules = Rules { parking: Parking::Off, ..rules };
        let next = decide(&session, &known.ended(&outcome), &rules).next;
        let parks = matches!(retry_rule(&class), RetryRule::Park { .. });
        prop_assert!(!parks || is_over(&next));
        let parked = matches!(next, Next::Later { wait: Wait::Parked { .. }, .. });
        prop_assert!(!parked);
    }

    #[test]
    fn waiting_for_an_account_uses_up_no_try_and_never_ends_at_once(
        session in sessions(), resets_at in proptest::option::of(0_i64..10_000_000), auth: bool, fleet: bool,
        rules in rules(), known in known(),
    ) {
        let resets_at = resets_at.filter(|_| !auth).map(at);
        let class = if auth { FailureClass::Auth } else { FailureClass::Quota { resets_at } };
        let rules = Rules { parking: if fleet { Parking::Fleet } else { Parking::Account }, ..rules };
        let outcome = failed(class.clone());
        let decided = decide(&session, &known.ended(&outcome), &rules);
        prop_assert_eq!(decided.restarts, session.restarts);
        let Next::Later { wait, until, .. } = decided.next else { panic!("{:?}", decided.next) };
        prop_assert_eq!(wait, Wait::Parked { class });
        prop_assert_eq!(until.is_some(), resets_at.is_some());
        prop_assert!(until.is_none_or(|until| until >= resets_at.unwrap()));
        let soonest = 1_000_000 + i64::try_from(rules.back_off.first_ms).unwrap();
        prop_assert!(until.is_none_or(|until| until.as_millisecond() >= soonest));
    }

    #[test]
    fn waits_for_a_provider_grow_and_are_bounded(rules in rules(), known in known(), overloaded: bool) {
        let outcome = failed(if overloaded { FailureClass::Overloaded } else { FailureClass::RateLimit });
        let known = Known { advanced: false, ..known };
        let (mut session, mut waits) = (session(), Vec::new());
        while let Decided { next: Next::Later { wait, until, .. }, failures, restarts, .. } =
            decide(&session, &known.ended(&outcome), &rules)
        {
            let is_back_off = matches!(wait, Wait::BackOff { .. });
            prop_assert!(is_back_off);
            waits.push(until.unwrap().as_millisecond() - 1_000_000);
            (session.failures, session.restarts) = (failures, restarts);
        }
        prop_assert_eq!(waits.len(), rules.back_off.times_max as usize);
        prop_assert!(waits.is_sorted());
        let longest = i64::try_from(rules.back_off.longest_ms).unwrap();
        prop_assert!(waits.iter().all(|wait| *wait <= longest + longest / 4), "{waits:?}");
    }

    #[test]
    fn no_more_tries_are_made_than_were_asked_for(
        session in sessions(), classes in proptest::collection::vec(classes(), 1..12), rules in rules(), most in 0_u32..4,
    ) {
        let rules = Rules { parking: Parking::Off, ..rules };
        let mut session = Session { failures: 0, restarts: 0, ..session };
        session.order.retries_max = Some(most);
        let mut tried = 0;
        for class in classes {
            let outcome = failed(class);
            let decided = decide(&session, &ended(&outcome), &rules);
            if is_over(&decided.next) {
                break;
            }
            tried += 1;
            (session.failures, session.restarts) = (decided.failures, decided.restarts);
        }
        prop_assert!(tried <= most, "{tried} of {most}");
    }

    #[test]
    fn a_conversation_is_gone_on_with_only_where_that_can_be(
        session in sessions(), class in classes(), rules in rules(), known in known(),
    ) {
        let outcome = failed(class.clone());
        let begun = match decide(&session, &known.ended(&outcome), &rules).next {
            Next::End(_) | Next::Ask { .. } => return Ok(()),
            Next::Again(begun) | Next::Later { begun, .. } => begun,
        };
        let anew = matches!(retry_rule(&class), RetryRule::StartAnew { .. });
        let expected = match (known.can_resume, known.told) {
            _ if anew => Begun::Anew,
            (false, _) => Begun::Anew,
            (true, true) => Begun::Resumed,
            // One that never said which conversation it is in, such as a copy that was not made, is begun as it was.
            (true, false) => session.begun,
        };
        prop_assert_eq!(begun, expected);
    }

    #[test]
    fn a_restart_of_the_machine_is_nobodys_failure(session in sessions(), rules in rules(), known in known()) {
        let outcome = failed(FailureClass::Crash);
        let decided = decide(&session, &Ended { rebooted: true, ..known.ended(&outcome) }, &rules);
        prop_assert!(matches!(decided.next, Next::Again(_)), "{:?}", decided);
        prop_assert_eq!(decided.restarts, session.restarts);
    }

    #[test]
    fn what_is_done_is_done(session in sessions(), rules in rules(), known in known(), stopped: bool) {
        let (outcome, by) = (succeeded(), "bob".parse().unwrap());
        let ended = Ended { stopped_by: stopped.then_some(&by), ..known.ended(&outcome) };
        let decided = decide(&session, &ended, &rules);
        let expected = if stopped && session.order.stay == Stay::UntilDismissed {
            SessionEnding::Cancelled { by }
        } else {
            SessionEnding::Completed { text: "done".to_owned() }
        };
        prop_assert_eq!(decided.next, Next::End(expected));
        prop_assert_eq!(decided.trouble, None);
    }
}

#[test]
fn progress_forgives_the_failures_of_a_provider_before_it() {
    let outcome = failed(FailureClass::Overloaded);
    let worn = Session { failures: 3, ..session() };
    assert!(is_over(&decide(&worn, &ended(&outcome), &RULES).next));
    let decided = decide(&worn, &Ended { advanced: true, ..ended(&outcome) }, &RULES);
    assert_eq!((is_over(&decided.next), decided.failures), (false, 1));
}

fn asking() -> Outcome {
    let ask = Ask::Deferred { tool: "Bash".to_owned(), input: serde_json::json!({"command": "git push"}) };
    Outcome::Asking { request: "call-1".to_owned(), ask }
}

#[test]
fn an_agent_that_left_for_a_decision_is_nobodys_failure() {
    let outcome = asking();
    let decided = decide(&Session { failures: 2, restarts: 1, ..session() }, &ended(&outcome), &RULES);
    let Next::Ask { request, tool, .. } = decided.next else { panic!("{:?}", decided.next) };
    assert_eq!((request.as_str(), tool.as_str()), ("call-1", "Bash"));
    assert_eq!((decided.failures, decided.restarts, decided.trouble), (0, 1, None));
}

#[test]
fn one_that_was_told_to_go_or_cannot_come_back_is_not_asked_about() {
    let (outcome, by) = (asking(), "ann".parse().unwrap());
    let cancelled = Ended { stopped_by: Some(&by), ..ended(&outcome) };
    let next = decide(&session(), &cancelled, &RULES).next;
    assert_eq!(next, Next::End(SessionEnding::Cancelled { by: by.clone() }));
    for lost in [Ended { can_resume: false, ..ended(&outcome) }, Ended { told: false, ..ended(&outcome) }] {
        let next = decide(&session(), &lost, &RULES).next;
        assert!(matches!(next, Next::End(SessionEnding::Failed { class: FailureClass::Denied, .. })), "{next:?}");
    }
}

#[test]
fn an_agent_that_ended_its_turn_with_a_question_waits_unless_it_cannot_come_back_or_was_told_to_go() {
    let (outcome, by) = (succeeded(), "ann".parse().unwrap());
    let question: QuestionId = "q-x7k2m".parse().unwrap();
    let asks = || Ended { asks: Some(question.clone()), ..ended(&outcome) };
    let decided = decide(&Session { failures: 2, restarts: 1, ..session() }, &asks(), &RULES);
    let wait = Wait::Question { question: question.clone() };
    assert_eq!(decided.next, Next::Later { begun: Begun::Resumed, wait, until: None });
    assert_eq!((decided.failures, decided.restarts, decided.trouble), (0, 1, None), "to ask is no failure");
    for over in [
        Ended { can_resume: false, ..asks() },
        Ended { told: false, ..asks() },
        Ended { stopped_by: Some(&by), ..asks() },
        Ended { asks: None, ..asks() },
    ] {
        assert!(is_over(&decide(&session(), &over, &RULES).next), "{over:?}");
    }
    let broken = failed(FailureClass::Crash);
    let crashed = Ended { asks: Some(question), ..ended(&broken) };
    assert_eq!(decide(&session(), &crashed, &RULES).next, Next::Again(Begun::Resumed), "a crash is no wait");
}
