use proptest::prelude::*;

use super::*;
use crate::{CallEnd, Ending, Exit, FailureClass, TurnResult};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn text() -> Event {
    Event::Text { text: "a".to_owned(), within: None }
}

fn call(id: &str) -> Event {
    Event::ToolCall { id: id.to_owned(), name: "Bash".to_owned(), input: serde_json::Value::Null, within: None }
}

fn answer(id: &str) -> Event {
    Event::ToolResult { id: id.to_owned(), text: String::new(), end: CallEnd::Ok, within: None }
}

fn result() -> Event {
    Event::Result(TurnResult {
        ending: Ending::Completed,
        text: String::new(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: None,
        turn: None,
        denials: Vec::new(),
        structured: None,
    })
}

/// How an agent is at each of these times after what it did at second zero, one thing after the other.
fn healths(events: &[Event], seconds: &[i64]) -> Vec<Health> {
    let mut pulse = Pulse::new(at(0));
    events.iter().for_each(|event| pulse.hear(event, at(0)));
    seconds.iter().map(|second| pulse.health(at(*second), Patience::default())).collect()
}

const TIMES: [i64; 4] = [30, 31, 60, 61];
const SILENT: [Health; 4] = [Health::Healthy, Health::Degraded, Health::Degraded, Health::Unhealthy];

#[test]
fn whoever_was_asked_nothing_may_be_silent_until_somebody_speaks_to_it() {
    let mut pulse = Pulse::idle(at(0));
    pulse.hear(&Event::Started(crate::Started::default()), at(1));
    assert_eq!(
        (pulse.stale_at(Patience::default()), pulse.health(at(9_999), Patience::default())),
        (None, Health::Healthy)
    );
    pulse.told(at(10_000));
    assert_eq!(pulse.health(at(10_061), Patience::default()), Health::Unhealthy);
}

#[test]
fn silence_is_degraded_then_unhealthy() {
    assert_eq!(healths(&[], &TIMES), SILENT, "it never said anything");
    assert_eq!(healths(&[text()], &TIMES), SILENT);
    assert_eq!(healths(&[call("a"), answer("a")], &TIMES), SILENT);
    assert_eq!(healths(&[result(), text()], &TIMES), SILENT, "it began again by itself");
}

#[test]
fn a_call_under_way_is_no_silence_until_it_takes_too_long() {
    assert_eq!(healths(&[call("a")], &TIMES), [Health::Healthy; 4]);
    assert_eq!(healths(&[call("a"), call("b"), answer("a")], &TIMES), [Health::Healthy; 4]);
    assert_eq!(healths(&[call("a")], &[1_800, 1_801]), [Health::Healthy, Health::Unhealthy]);
}

#[test]
fn a_subagent_that_speaks_keeps_its_call_alive() {
    let mut pulse = Pulse::new(at(0));
    pulse.hear(&call("a"), at(0));
    pulse.hear(&text(), at(1_700));
    assert_eq!(pulse.health(at(1_900), Patience::default()), Health::Healthy);
    assert_eq!(pulse.health(at(3_501), Patience::default()), Health::Unhealthy);
}

#[test]
fn an_agent_that_waits_for_somebody_is_healthy_until_it_is_told() {
    let ask = crate::Ask::Question { text: "?".to_owned() };
    let asking = Event::Asking { request: "r".to_owned(), ask };
    assert_eq!(healths(&[asking], &TIMES), [Health::Healthy; 4]);
    assert_eq!(healths(&[text(), result()], &TIMES), [Health::Healthy; 4]);
    assert_eq!(healths(&[Event::Ended { exit: Exit::Unseen }], &TIMES), [Health::Healthy; 4]);
    let mut pulse = Pulse::new(at(0));
    pulse.hear(&result(), at(0));
    pulse.told(at(100));
    let seconds = TIMES.map(|second| pulse.health(at(second + 100), Patience::default()));
    assert_eq!(seconds, SILENT);
}

#[test]
fn an_announced_wait_is_no_silence() {
    let class = FailureClass::RateLimit;
    let retrying = RateLimited::Retrying { attempt: 1, attempts_max: 3, delay_ms: 40_000, status: Some(429), class };
    let health = healths(&[Event::RateLimited(retrying)], &[70, 71, 101]);
    assert_eq!(health, [Health::Healthy, Health::Degraded, Health::Unhealthy]);
}

#[test]
fn a_wait_beyond_all_time_is_no_overflow() {
    let class = FailureClass::Overloaded;
    let retrying = RateLimited::Retrying { attempt: 1, attempts_max: 1, delay_ms: u64::MAX, status: None, class };
    assert_eq!(healths(&[Event::RateLimited(retrying)], &[31]), [Health::Degraded]);
}

#[test]
fn an_agent_that_was_asked_nothing_is_healthy_until_it_is_told() {
    let mut pulse = Pulse::idle(at(0));
    pulse.hear(&Event::Started(crate::Started::default()), at(0));
    assert_eq!(TIMES.map(|second| pulse.health(at(second), Patience::default())), [Health::Healthy; 4]);
    assert_eq!(pulse.stale_at(Patience::default()), None);
    pulse.told(at(0));
    assert_eq!(TIMES.map(|second| pulse.health(at(second), Patience::default())), SILENT);
}

fn events() -> impl Strategy<Value = Event> {
    let retrying = |delay_ms| {
        let (class, status) = (FailureClass::RateLimit, None);
        Event::RateLimited(RateLimited::Retrying { attempt: 1, attempts_max: 2, delay_ms, status, class })
    };
    prop_oneof![
        Just(text()),
        Just(result()),
        "[ab]".prop_map(|id| call(&id)),
        "[ab]".prop_map(|id| answer(&id)),
        (0_u64..100_000).prop_map(retrying),
        Just(Event::Raw { line: String::new() }),
    ]
}

proptest! {
    #[test]
    fn an_agent_is_unhealthy_from_the_moment_on_that_was_foretold(
        told in proptest::collection::vec((0_i64..3_000_000, events()), 0..8),
        (degraded_secs, more_secs, call_secs_max) in (0_u32..100, 0_u32..100, 0_u32..3_000),
        look_ms in 0_i64..10_000_000,
    ) {
        let patience = Patience { degraded_secs, unhealthy_secs: degraded_secs + more_secs, call_secs_max };
        let ms = |ms: i64| Timestamp::from_millisecond(ms).unwrap();
        let mut told = told;
        told.sort_by_key(|(at, _)| *at);
        let mut pulse = Pulse::new(ms(0));
        told.iter().for_each(|(at, event)| pulse.hear(event, ms(*at)));
        let unhealthy = |now| pulse.health(now, patience) == Health::Unhealthy;
        match pulse.stale_at(patience) {
            Some(stale_at) => {
                prop_assert_eq!(unhealthy(ms(look_ms)), ms(look_ms) >= stale_at);
                prop_assert!(unhealthy(stale_at), "who looks at that time would look again for ever");
            }
            None => prop_assert!(!unhealthy(ms(look_ms))),
        }
    }
}
