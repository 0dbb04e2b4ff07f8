use serde_json::json;

use super::*;
use crate::{Ask, Ending, Started, Tokens};

fn shown(events: &[Event]) -> Vec<Value> {
    let mut frames = Frames::default();
    events.iter().flat_map(|event| frames.of(event)).map(|frame| serde_json::to_value(frame).unwrap()).collect()
}

fn text(text: &str) -> Event {
    Event::Text { text: text.to_owned(), within: None }
}

fn call(name: &str, input: Value) -> Event {
    Event::ToolCall { id: "c".to_owned(), name: name.to_owned(), input, within: None }
}

fn answer(text: &str, end: CallEnd) -> Event {
    Event::ToolResult { id: "c".to_owned(), text: text.to_owned(), end, within: None }
}

fn totals() -> Totals {
    let tokens = Tokens { input: 1_400, output: 90, cache_read: 800, cache_write: 0 };
    Totals { cost: 0.00756.into(), tokens, unpriced: 0 }
}

fn result(text: &str) -> Event {
    Event::Result(TurnResult {
        ending: Ending::Completed,
        text: text.to_owned(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: Some(totals()),
        turn: None,
        denials: Vec::new(),
        structured: None,
    })
}

#[test]
fn a_run_starts_with_what_it_was_started_with() {
    let frame = Frame::Config {
        model: Some("opus".to_owned()),
        max_turns: None,
        max_budget_usd: Some(2.5),
        mission_type: "implement".to_owned(),
    };
    let expected = json!({"type": "config", "model": "opus", "max_turns": null, "max_budget_usd": 2.5, "mission_type": "implement"});
    assert_eq!(serde_json::to_value(frame).unwrap(), expected);
}

#[test]
fn last_words_are_shown_once() {
    let usage = json!({"type": "usage", "usage": {"input_tokens": 2_200, "output_tokens": 90}, "cost": 0.00756});
    let words = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(shown(&[text("It is done."), result("done")]), [words("\nIt is done.\n"), usage.clone()]);
    assert_eq!(shown(&[text("Hm."), result("done")]), [words("\nHm.\n"), words("\ndone\n"), usage.clone()]);
    assert_eq!(shown(&[result("")]), [usage]);
}

#[test]
fn a_call_is_one_line() {
    for (name, input, expected) in [
        ("Bash", json!({"command": "ls"}), "$ ls\n"),
        ("Edit", json!({"file_path": "a.rs"}), "[Edit] a.rs\n"),
        ("Write", json!({"file_path": "a.rs"}), "[Write] a.rs\n"),
        ("Read", json!({"file_path": "a.rs"}), "[Read] a.rs\n"),
        ("Glob", json!({"pattern": "*.rs"}), "[Glob] *.rs\n"),
        ("Grep", json!({"pattern": "fn"}), "[Grep] fn\n"),
        ("Bash", json!({}), "[Bash]\n"),
        ("WebFetch", json!({"url": "x"}), "[WebFetch]\n"),
    ] {
        assert_eq!(shown(&[call(name, input)]), [json!({"type": "tool", "text": expected})]);
    }
}

#[test]
fn an_answer_is_cut_to_size_and_an_error_is_named() {
    let frame = |text: &str| json!({"type": "tool_result", "text": text});
    assert_eq!(shown(&[answer("ok", CallEnd::Ok)]), [frame("ok")]);
    assert_eq!(shown(&[answer("no", CallEnd::Denied)]), [frame("ERROR: no")]);
    let long = "ü".repeat(1_501);
    assert_eq!(shown(&[answer(&long, CallEnd::Ok)]), [frame(&format!("{}\n... (truncated)", "ü".repeat(1_500)))]);
}

#[test]
fn a_retry_tells_its_wait_in_seconds() {
    let class = FailureClass::RateLimit;
    let event = RateLimited::Retrying { attempt: 1, attempts_max: 3, delay_ms: 1_500, status: Some(429), class };
    let expected = json!({
        "type": "retry", "attempt": 1, "max_retries": 3, "delay": 1.5, "error": "rate_limit (HTTP 429)", "resume": true
    });
    assert_eq!(shown(&[Event::RateLimited(event)]), [expected]);
}

#[test]
fn text_that_is_no_json_is_shown_and_the_rest_is_not() {
    let raw = |line: &str| Event::Raw { line: line.to_owned() };
    assert_eq!(shown(&[raw("warning: x")]), [json!({"type": "text", "text": "warning: x\n"})]);
    let ask = Ask::Question { text: "?".to_owned() };
    let silent = [
        raw("{\"type\":\"new\"}"),
        Event::Started(Started::default()),
        Event::Thinking { text: "hm".to_owned(), within: None },
        Event::Asking { request: "r".to_owned(), ask },
        Event::Ended { exit: Exit::Unseen },
    ];
    assert_eq!(shown(&silent), [json!(null); 0]);
}

#[test]
fn the_last_frame_tells_how_it_ended() {
    let frame = |outcome: &Outcome, exit| serde_json::to_value(done(outcome, exit, totals())).unwrap();
    let succeeded = Outcome::Succeeded { text: String::new(), denials: Vec::new(), structured: None };
    let expected = json!({"type": "done", "status": "completed", "exit_code": 0, "cost": 0.00756, "tokens": 2_290});
    assert_eq!(frame(&succeeded, Exit::Code { code: 0 }), expected);
    let failed = |class| Outcome::Failed { class, text: "why".to_owned() };
    let expected = json!({
        "type": "done", "status": "failed", "cost": 0.00756, "tokens": 2_290, "error": "why", "error_type": "auth"
    });
    assert_eq!(frame(&failed(FailureClass::Auth), Exit::Unseen), expected);
    let cancelled = frame(&failed(FailureClass::Interrupted), Exit::Signal { signal: 15 });
    assert_eq!((&cancelled["status"], &cancelled["exit_code"]), (&json!("cancelled"), &json!(-15)));
}
