use super::*;
use crate::Usage;

fn limited(class: FailureClass) -> Event {
    Event::RateLimited(RateLimited::Retrying { attempt: 1, attempts_max: 3, delay_ms: 1, status: None, class })
}

fn text() -> Event {
    Event::Text { text: "a".to_owned(), within: None }
}

fn class(events: &[Event], exit: Exit, stop: Option<Stop>) -> &'static str {
    let mut account = Account::default();
    events.iter().for_each(|event| account.read(event));
    match judge(&account, exit, stop) {
        Outcome::Failed { class, .. } => class.as_str(),
        Outcome::Succeeded { .. } => "succeeded",
        Outcome::Asking { .. } => "asking",
    }
}

#[test]
fn without_a_result_nothing_succeeds() {
    for (exit, expected) in [
        (Exit::Code { code: 0 }, "crash"),
        (Exit::Code { code: 1 }, "crash"),
        (Exit::Code { code: 130 }, "interrupted"),
        (Exit::Code { code: 143 }, "interrupted"),
        (Exit::Signal { signal: 2 }, "interrupted"),
        (Exit::Signal { signal: 9 }, "crash"),
        (Exit::Signal { signal: 15 }, "interrupted"),
        (Exit::Unseen, "crash"),
    ] {
        assert_eq!(class(&[], exit, None), expected, "{exit:?}");
        assert_eq!(class(&[text()], exit, None), expected, "{exit:?}");
    }
}

#[test]
fn an_agent_that_waits_for_its_provider_is_not_stale() {
    let killed = Exit::Signal { signal: 9 };
    let waits = [text(), limited(FailureClass::RateLimit)];
    assert_eq!(class(&waits, killed, Some(Stop::Stale)), "rate_limit");
    assert_eq!(class(&waits, killed, None), "rate_limit");
    assert_eq!(class(&waits, killed, Some(Stop::Timeout)), "timeout");
    let came_through = [limited(FailureClass::RateLimit), Event::Usage(Usage::default())];
    assert_eq!(class(&came_through, killed, Some(Stop::Stale)), "stale");
}

#[test]
fn a_message_that_was_begun_is_not_done() {
    let done = Event::Result(TurnResult {
        ending: Ending::Completed,
        text: String::new(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: None,
        turn: None,
        denials: Vec::new(),
        structured: None,
    });
    let message = |stage| Event::Acknowledged { id: "u".to_owned(), stage };
    let exit = Exit::Code { code: 0 };
    assert_eq!(class(&[done.clone(), message(Stage::Finished)], exit, None), "succeeded");
    assert_eq!(class(&[done, message(Stage::Begun)], exit, None), "crash");
}

#[test]
fn a_rejected_window_is_an_exhausted_quota() {
    let window =
        |status| Event::RateLimited(RateLimited::Window { status, window: None, utilization: None, resets_at: None });
    let exit = Exit::Code { code: 1 };
    assert_eq!(class(&[window(WindowStatus::Rejected)], exit, None), "quota");
    assert_eq!(class(&[window(WindowStatus::Warning)], exit, None), "crash");
}

#[test]
fn an_account_is_the_same_after_being_written() {
    let mut account = Account::default();
    [text(), limited(FailureClass::Overloaded)].iter().for_each(|event| account.read(event));
    let text = serde_json::to_string(&account).unwrap();
    assert_eq!(serde_json::from_str::<Account>(&text).unwrap(), account);
}

#[test]
fn a_turn_that_goes_on_with_a_denied_call_was_not_denied_everything() {
    let denied = Event::ToolResult { id: "c".to_owned(), text: String::new(), end: CallEnd::Denied, within: None };
    let done = Event::Result(TurnResult {
        ending: Ending::Completed,
        text: "without it".to_owned(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: None,
        turn: None,
        denials: Vec::new(),
        structured: None,
    });
    let judged = |mut account: Account| {
        [&denied, &done].into_iter().for_each(|event| account.read(event));
        matches!(judge(&account, Exit::Code { code: 0 }, None), Outcome::Succeeded { .. })
    };
    assert!(judged(Account::in_turn(Meter::default())));
    assert!(!judged(Account::new(Meter::default())), "nothing of this one was allowed");
}
