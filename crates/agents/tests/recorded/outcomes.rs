//! What each recording ended with, as a table.

use fleet_agents::{Exit, Meter, Outcome, Stop, judge};

use crate::fixtures::{ALL, account};

/// The recordings, what their processes returned, and what came of them.
const TABLE: [(&str, i32, &str); 30] = [
    ("claude-acp", 0, "crash"),
    ("claude-commit", 0, "succeeded: Committed."),
    ("claude-compact", 0, "succeeded: ok"),
    ("claude-defer", 0, "asking: Bash"),
    ("claude-defer-resumed", 0, "succeeded: end"),
    ("claude-fail-401", 1, "auth"),
    ("claude-fail-429", 1, "rate_limit"),
    ("claude-fail-529", 1, "overloaded"),
    ("claude-fallback-529", 1, "overloaded"),
    ("claude-fork", 0, "succeeded: two"),
    ("claude-gate", 0, "succeeded: two"),
    ("claude-hook-broken-blocked", 0, "denied"),
    ("claude-hook-deny", 0, "succeeded: end, but for Bash"),
    ("claude-json-schema", 0, "succeeded: {\"name\":\"Ada\"}"),
    ("claude-max-budget", 1, "budget"),
    ("claude-max-turns", 1, "max_turns"),
    ("claude-mcp", 0, "succeeded: result echo: hi"),
    ("claude-not-logged-in", 1, "auth"),
    ("claude-partial", 0, "succeeded: hello partial world"),
    ("claude-prompt-too-long", 1, "context_full"),
    ("claude-prompt-tool-deny", 0, "succeeded: end, but for Bash"),
    ("claude-resume", 0, "succeeded: two"),
    ("claude-resume-unknown", 1, "no_session"),
    ("claude-retry-429", 0, "succeeded: recovered"),
    ("claude-sigint", 0, "interrupted"),
    ("claude-sigterm", 143, "interrupted"),
    ("claude-stream-input", 0, "succeeded: answer two"),
    ("claude-subagent", 0, "succeeded: parent done"),
    ("claude-subscription-rejected", 1, "quota until 2026-11-16T00:46:40Z"),
    ("claude-subscription-warning", 0, "succeeded: hi"),
];

fn words(outcome: Outcome) -> String {
    match outcome {
        Outcome::Succeeded { text, denials, .. } if denials.is_empty() => format!("succeeded: {text}"),
        Outcome::Succeeded { text, denials, .. } => {
            let tools: Vec<_> = denials.into_iter().map(|denial| denial.tool).collect();
            format!("succeeded: {text}, but for {}", tools.join(", "))
        }
        Outcome::Asking { ask: fleet_agents::Ask::Deferred { tool, .. }, .. } => format!("asking: {tool}"),
        Outcome::Asking { ask, .. } => format!("asking: {ask:?}"),
        Outcome::Failed { class: fleet_agents::FailureClass::Quota { resets_at: Some(resets_at) }, .. } => {
            format!("quota until {resets_at}")
        }
        Outcome::Failed { class, .. } => class.as_str().to_owned(),
    }
}

fn outcome(name: &str, exit: Exit, stop: Option<Stop>) -> String {
    words(judge(&account(name, Meter::new()), exit, stop))
}

#[test]
fn every_recording_ends_as_the_table_says() {
    for (name, code, expected) in TABLE {
        assert_eq!(outcome(name, Exit::Code { code }, None), expected, "{name}");
    }
}

#[test]
fn every_recording_is_in_the_table() {
    for (name, _) in ALL {
        assert!(TABLE.iter().any(|(known, ..)| *known == name), "{name}");
    }
}

#[test]
fn a_failure_stays_one_whatever_the_process_returns() {
    for (name, _, expected) in TABLE.iter().filter(|(name, _, expected)| {
        !expected.starts_with("succeeded") && !expected.starts_with("asking") && *name != "claude-sigterm"
    }) {
        assert_eq!(outcome(name, Exit::Code { code: 0 }, None), *expected, "{name}");
        assert_eq!(outcome(name, Exit::Unseen, None), *expected, "{name}");
    }
}

#[test]
fn an_agent_that_fleet_stopped_failed_of_what_it_was_stopped_for() {
    let killed = Exit::Code { code: 143 };
    for (stop, expected) in [
        (Stop::Asked, "interrupted"),
        (Stop::Stale, "stale"),
        (Stop::Timeout, "timeout"),
        (Stop::Budget, "budget"),
        (Stop::MaxTurns, "max_turns"),
        (Stop::ContextPressure, "context_full"),
    ] {
        assert_eq!(outcome("claude-sigterm", killed, Some(stop)), expected);
        assert_eq!(outcome("claude-sigint", killed, Some(stop)), expected, "an interrupt first, then the end");
        assert_eq!(outcome("claude-commit", killed, Some(stop)), "succeeded: Committed.", "it was done before");
    }
}

#[test]
fn a_process_that_breaks_after_its_last_word_has_crashed() {
    assert_eq!(outcome("claude-commit", Exit::Code { code: 1 }, None), "crash");
    assert_eq!(outcome("claude-commit", Exit::Signal { signal: 9 }, None), "crash");
    assert_eq!(outcome("claude-commit", Exit::Unseen, None), "succeeded: Committed.");
}
