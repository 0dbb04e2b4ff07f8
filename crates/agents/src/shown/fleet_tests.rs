use serde_json::json;

use super::*;
use crate::{CallEnd, Exit, Started, Usage};

const TS: Timestamp = Timestamp::UNIX_EPOCH;

fn lines(events: &[Event]) -> Vec<Line> {
    let mut lines = Lines::default();
    events.iter().flat_map(|event| lines.of(event, TS)).collect()
}

fn kinds(events: &[Event]) -> Vec<&'static str> {
    lines(events).into_iter().map(|line| line.kind).collect()
}

fn started() -> Event {
    Event::Started(Started { session: Some("s".to_owned()), ..Started::default() })
}

fn call(input: Value) -> Event {
    Event::ToolCall { id: "c".to_owned(), name: "Bash".to_owned(), input, within: None }
}

fn result(ending: Ending) -> Event {
    Event::Result(TurnResult {
        ending,
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

fn failed(class: FailureClass) -> Event {
    result(Ending::Failed { class })
}

fn window(status: WindowStatus) -> Event {
    let (window, utilization) = (Some("five_hour".to_owned()), Some(0.5));
    Event::RateLimited(RateLimited::Window { status, window, utilization, resets_at: Some(TS) })
}

#[test]
fn a_line_has_every_field_of_the_contract() {
    let tokens = Tokens { input: 1, output: 2, cache_read: 3, cache_write: 4 };
    let usage = Event::Usage(Usage { tokens, ..Usage::default() });
    let line = lines(&[started(), usage, call(json!({"command": "ls"}))]).pop().unwrap();
    let raw = json!({"kind": "tool_call", "id": "c", "name": "Bash", "input": {"command": "ls"}, "within": null});
    let expected = json!({
        "kind": "tool_use",
        "ts": "1970-01-01T00:00:00Z",
        "session_id": "s",
        "tool_name": "Bash",
        "usage": {
            "input_tokens": 1, "output_tokens": 2, "cache_creation_input_tokens": 4, "cache_read_input_tokens": 3
        },
        "rate_info": null,
        "raw": raw,
    });
    assert_eq!(serde_json::to_value(line).unwrap(), expected);
}

#[test]
fn events_have_the_kinds_of_the_contract() {
    let text = Event::Text { text: String::new(), within: None };
    let thinking = Event::Thinking { text: String::new(), within: None };
    let (id, end) = ("c".to_owned(), CallEnd::Ok);
    let answer = Event::ToolResult { id, text: String::new(), end, within: None };
    let raw = Event::Raw { line: "x".to_owned() };
    let events = [started(), text, thinking, call(json!({})), answer, raw, result(Ending::Completed)];
    let expected = ["session_started", "assistant_text", "thinking", "tool_use", "tool_result", "session_ended"];
    assert_eq!(kinds(&events), expected);
}

#[test]
fn limits_are_told_apart() {
    assert_eq!(
        kinds(&[window(WindowStatus::Warning), window(WindowStatus::Rejected)]),
        ["rate_limit_info", "rate_limit"]
    );
    let info = lines(&[window(WindowStatus::Rejected)]).pop().unwrap().rate_info;
    assert_eq!(info, Some(RateInfo { usage_pct: Some(50.0), resets_at: Some(TS), status: "rejected" }));
    assert_eq!(kinds(&[failed(FailureClass::RateLimit)]), ["rate_limit", "session_ended"]);
    assert_eq!(kinds(&[failed(FailureClass::Auth)]), ["error", "session_ended"]);
}

#[test]
fn the_end_is_told_once() {
    let ended = || Event::Ended { exit: Exit::Code { code: 0 } };
    assert_eq!(kinds(&[result(Ending::Completed), ended()]), ["session_ended"]);
    assert_eq!(kinds(&[started(), ended(), ended()]), ["session_started", "session_ended"]);
    let again = [result(Ending::Completed), started(), ended()];
    assert_eq!(kinds(&again), ["session_ended", "session_started", "session_ended"]);
}

#[test]
fn credentials_are_blotted_out_by_their_names_in_lists_too() {
    let input = json!({
        "ANTHROPIC_API_KEY": "sk-1",
        "env": [{"GITHUB_TOKEN": "ghp", "db_password": "p", "max_tokens": "100"}],
        "client_secret": {"nested": "stays an object"},
        "token_count": 7,
        "command": "ls",
    });
    let line = lines(&[call(input)]).pop().unwrap();
    let expected = json!({
        "ANTHROPIC_API_KEY": BLOTTED,
        "env": [{"GITHUB_TOKEN": BLOTTED, "db_password": BLOTTED, "max_tokens": "100"}],
        "client_secret": {"nested": "stays an object"},
        "token_count": 7,
        "command": "ls",
    });
    assert_eq!(line.raw["input"], expected);
}
