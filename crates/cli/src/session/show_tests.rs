//! Frames as people see them.

use serde_json::json;

use super::*;

fn shown(frames: &[Value]) -> String {
    let mut shower = Shower::new(Style::Plain, Some(40));
    frames.iter().map(|frame| shower.of(&serde_json::from_value(frame.clone()).unwrap())).collect()
}

#[test]
fn a_transcript_reads_as_what_happened() {
    let answer: String = (1..=9).map(|number| format!("line {number}\n")).collect();
    let frames = [
        json!({"type": "config", "model": "opus", "max_turns": null, "max_budget_usd": null, "mission_type": ""}),
        json!({"type": "text", "text": "\nI will look.\n\tThen act.\n"}),
        json!({"type": "tool", "text": "$ ls -la\n"}),
        json!({"type": "tool_result", "text": answer}),
        json!({"type": "tool", "text": "[Read] src/main.rs\n"}),
        json!({"type": "tool_result", "text": "x".repeat(60)}),
        json!({"type": "retry", "attempt": 1, "max_retries": 2, "delay": 2.5, "error": "rate_limit", "resume": true}),
        json!({"type": "retry", "attempt": 1, "max_retries": 1, "delay": 0.0, "error": "the process before ended", "resume": true}),
        json!({"type": "notice", "text": "sent back to its agent: check `make` failed\n1 error\n\u{1b}[2J2 errors"}),
        json!({"type": "usage", "usage": {"input_tokens": 1200, "output_tokens": 34}, "cost": 0.05}),
        json!({"type": "something_new", "text": "of a later version"}),
        json!({"type": "done", "status": "completed", "exit_code": 0, "cost": 0.05, "tokens": 1234}),
    ];
    insta::assert_snapshot!(shown(&frames), @r"
    ── model opus
    I will look.
        Then act.
    • $ ls -la
      │ line 1
      │ line 2
      │ line 3
      │ line 4
      │ line 5
      │ line 6
      │ … 3 more lines
    • [Read] src/main.rs
      │ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
    ! rate_limit: try 1 of 2 failed, the next is in 2.5 s
    ! the process before ended; its agent continues in process 2
    ── sent back to its agent: check `make` failed
       1 error
       [2J2 errors
    ── completed: $0.05, 1.2k tokens (1.2k in, 34 out)
    ");
}

#[test]
fn an_end_that_is_none_to_be_glad_of_says_why() {
    let failed = json!({"type": "done", "status": "failed", "exit_code": 137, "cost": 0.0, "tokens": 7,
        "error": "it broke off\nwithout a word", "error_type": "crash"});
    assert_eq!(shown(&[failed]), "── failed (crash): it broke off without a word; $0.00, 7 tokens, exit code 137\n");
    let cancelled = json!({"type": "done", "status": "cancelled", "cost": 0.0, "tokens": 0});
    assert_eq!(shown(&[cancelled]), "── cancelled: $0.00, 0 tokens\n");
}

#[test]
fn what_a_stranger_wrote_commands_no_terminal() {
    let text = "\u{1b}[2Jgone\u{7}";
    for kind in ["text", "tool", "tool_result"] {
        let shown = shown(&[json!({ "type": kind, "text": text })]);
        assert!(shown.contains("[2Jgone") && shown.chars().all(|letter| letter == '\n' || !letter.is_control()));
    }
}
