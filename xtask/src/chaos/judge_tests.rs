use serde_json::json;

use super::super::chance::Chance;
use super::super::follow::Seen;
use super::super::kinds::{Kind, Part};
use super::super::slot::Sent;
use super::*;

/// A session of three lines and two messages to which nothing has happened.
fn well() -> (Played, Vec<Run>) {
    let texts: Vec<_> = ["flood 1 at", "flood 2 at", "flood 3 at", "heard: a", "heard: b"].map(str::to_owned).into();
    let mut part = Part::write(Kind::Listening, "1", &mut Chance::new(1));
    (part.lines, part.messages) = (Some(3), 2);
    let places = ["1-10", "1-20", "1-30", "1-40", "1-50"].map(str::to_owned).into();
    let seen = Seen { texts: texts.clone(), places, done: Some("completed".to_owned()), connections: 2 };
    let sent = ["a", "b"].map(|text| Sent { text: text.to_owned(), answered: true }).into();
    let (mission, session) = ("m-1".to_owned(), "s-1".to_owned());
    let run = Run {
        number: 1,
        agent: Some((7, 70)),
        begun: 1,
        texts,
        numbers: vec![1, 2, 3],
        result: Some("completed".to_owned()),
        committed: false,
        ended: true,
    };
    (Played { part, mission, session, seen, cancelled: false, sent }, vec![run])
}

/// Everything that is wrong after a change to the session in which nothing was.
fn breaches(change: impl FnOnce(&mut Played, &mut Vec<Run>)) -> Vec<Breach> {
    let (mut session, mut runs) = well();
    change(&mut session, &mut runs);
    let seen = BTreeSet::from([(7, 70)]);
    let case = Case { session: &session, runs: &runs, seen: &seen };
    let row = json!({ "status": "completed" });
    let found = case.lines().into_iter().chain(case.starts()).chain(case.messages()).chain(case.status(&row));
    let breaches: BTreeSet<_> = found.map(|(breach, _)| breach).collect();
    breaches.into_iter().collect()
}

#[test]
fn nothing_is_found_where_nothing_is_wrong() {
    assert_eq!(breaches(|_, _| {}), []);
}

#[test]
fn a_line_that_is_not_in_the_log_is_lost() {
    assert_eq!(breaches(|_, runs| runs[0].numbers = vec![2, 3]), [Breach::LostLine]);
    assert_eq!(breaches(|_, runs| runs[0].numbers = vec![1, 3]), [Breach::LostLine]);
    assert_eq!(breaches(|_, runs| runs[0].numbers = vec![1, 2]), [Breach::LostLine]);
}

#[test]
fn a_line_that_the_client_did_not_get_is_lost() {
    assert_eq!(breaches(|session, _| drop(session.seen.texts.remove(1))), [Breach::LostLine]);
    assert_eq!(breaches(|session, _| drop(session.seen.texts.pop())), [Breach::LostLine]);
}

#[test]
fn a_line_that_is_there_twice_is_doubled() {
    assert_eq!(breaches(|_, runs| runs[0].numbers.insert(1, 1)), [Breach::DoubledLine]);
    assert_eq!(breaches(|session, _| session.seen.texts.push("heard: b".to_owned())), [Breach::DoubledLine]);
    assert_eq!(breaches(|session, _| session.seen.places.push("1-50".to_owned())), [Breach::DoubledLine]);
}

#[test]
fn an_agent_that_began_twice_or_that_no_shim_knows_is_a_double_start() {
    assert_eq!(breaches(|_, runs| runs[0].begun = 2), [Breach::DoubleStart]);
    assert_eq!(breaches(|_, runs| runs[0].agent = Some((8, 80))), [Breach::DoubleStart]);
    let again = |_: &mut Played, runs: &mut Vec<Run>| {
        let result = Some("completed".to_owned());
        runs.push(Run { number: 2, begun: 1, result, ended: true, ..Run::default() });
    };
    assert_eq!(breaches(again), [Breach::DoubleStart]);
}

#[test]
fn a_message_is_heard_once_and_in_order() {
    let twice = |session: &mut Played, runs: &mut Vec<Run>| {
        runs[0].texts.push("heard: a".to_owned());
        (session.seen.texts, session.seen.places) = (runs[0].texts.clone(), Vec::new());
    };
    assert_eq!(breaches(twice), [Breach::Message]);
    let never = |session: &mut Played, runs: &mut Vec<Run>| {
        runs[0].texts.remove(3);
        (session.seen.texts, session.seen.places) = (runs[0].texts.clone(), Vec::new());
    };
    assert_eq!(breaches(never), [Breach::Message]);
    let swapped = |session: &mut Played, runs: &mut Vec<Run>| {
        runs[0].texts.swap(3, 4);
        session.seen.texts.clone_from(&runs[0].texts);
    };
    assert_eq!(breaches(swapped), [Breach::Message]);
}

#[test]
fn a_message_whose_answer_was_lost_may_be_heard_or_not() {
    let lost = |session: &mut Played, runs: &mut Vec<Run>| {
        session.sent[0].answered = false;
        runs[0].texts.remove(3);
        session.seen.texts.clone_from(&runs[0].texts);
    };
    assert_eq!(breaches(lost), []);
    assert_eq!(breaches(|session, _| session.sent[0].answered = false), []);
}

#[test]
fn completed_is_what_the_agent_said_and_nobody_else() {
    assert_eq!(breaches(|_, runs| runs[0].result = None), [Breach::StatusLie]);
    assert_eq!(breaches(|_, runs| runs[0].result = Some("failed".to_owned())), [Breach::StatusLie]);
    assert_eq!(breaches(|session, _| session.seen.done = Some("failed".to_owned())), [Breach::StatusLie]);
    assert_eq!(breaches(|_, runs| runs[0].ended = false), [Breach::StatusLie]);
}

#[test]
fn a_session_ends_as_its_script_says_or_as_somebody_asked() {
    let (mut session, runs) = well();
    session.seen.done = None;
    let seen = BTreeSet::new();
    let status = |session: &Played, status: &str| {
        Case { session, runs: &runs, seen: &seen }
            .status(&json!({ "status": status }))
            .into_iter()
            .map(|found| found.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(status(&session, "failed"), [Breach::Interrupted]);
    assert_eq!(status(&session, "running"), [Breach::Interrupted]);
    assert_eq!(status(&session, "cancelled"), [Breach::StatusLie, Breach::Interrupted]);
    session.cancelled = true;
    assert_eq!(status(&session, "cancelled"), []);
    assert_eq!(status(&session, "failed"), [Breach::Interrupted]);
}
