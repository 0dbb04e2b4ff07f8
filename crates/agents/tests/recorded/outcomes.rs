//! What each recording ended with, as a table.

use fleet_agents::{Exit, Meter, Outcome, Stop, judge, judge_by};

use crate::fixtures::{ALL, account, adapter};

/// The recordings, what their processes returned, and what came of them.
const TABLE: [(&str, i32, &str); 57] = [
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
    ("codex-commit", 0, "succeeded: Committed."),
    ("codex-context-exceeded", 1, "context_full"),
    ("codex-fail-429", 1, "rate_limit"),
    ("codex-fail-500", 1, "overloaded"),
    ("codex-fork", 0, "succeeded: two"),
    ("codex-hook-deny", 0, "succeeded: end"),
    ("codex-mcp", 0, "succeeded: result Wall time: 0.0061 seconds\nOutput:\n{\"sum\":5}"),
    ("codex-output-schema", 0, "succeeded: {\"name\":\"Ada\"}"),
    ("codex-resume", 0, "succeeded: two"),
    ("codex-retry-429", 0, "succeeded: recovered"),
    ("codex-sandbox-git-readonly", 0, "succeeded: Committed."),
    ("codex-sandbox-worktree-commit", 0, "succeeded: Committed."),
    ("codex-sigint", 1, "crash"),
    ("codex-sigterm", 143, "interrupted"),
    ("codex-usage-limit", 1, "quota"),
    ("gemini-approval-default", 0, "denied"),
    ("gemini-commit", 0, "succeeded: Committed."),
    ("gemini-daily-quota", 173, "quota"),
    ("gemini-fail-401", 145, "auth"),
    ("gemini-fail-429", 173, "rate_limit"),
    ("gemini-hook-deny", 0, "succeeded: end, but for run_shell_command"),
    ("gemini-max-turns", 53, "max_turns"),
    ("gemini-mcp", 0, "succeeded: result <untrusted_context>\n5\n</untrusted_context>"),
    ("gemini-policy-deny", 0, "succeeded: end, but for run_shell_command"),
    ("gemini-resume", 0, "succeeded: two"),
    ("gemini-sigterm", 0, "crash"),
    ("opencode-commit", 0, "succeeded: Committed."),
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
        !expected.starts_with("succeeded") && !expected.starts_with("asking") && !name.ends_with("-sigterm")
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

#[test]
fn a_used_up_account_says_until_when() {
    let now = "2026-11-15T19:20:50Z".parse().unwrap();
    let until = |name: &str| match judge(&account(name, Meter::new()), Exit::Code { code: 1 }, None) {
        Outcome::Failed { text, .. } => adapter(name).resets_at(&text, now).map(|at| at.to_string()),
        Outcome::Succeeded { .. } | Outcome::Asking { .. } => None,
    };
    assert_eq!(until("codex-usage-limit").as_deref(), Some("2026-11-16T00:46:00Z"));
    assert_eq!(until("gemini-daily-quota").as_deref(), Some("2026-11-16T08:00:00Z"));
    assert_eq!(until("gemini-fail-429"), None, "it passes by itself");
}

#[test]
fn an_end_without_a_word_is_what_the_exit_code_of_gemini_says() {
    let said = |code, errors: &str| {
        let exit = Exit::Code { code };
        words(judge_by(&*adapter("gemini"), &account("gemini-sigterm", Meter::new()), exit, None, errors))
    };
    for (code, errors, expected) in [
        (0, "", "crash"),
        (1, "", "crash"),
        (41, "Invalid auth method selected.", "auth"),
        (42, "Error resuming session: Invalid session identifier", "no_session"),
        (42, "Invalid input", "invalid"),
        (53, "", "max_turns"),
        (145, "", "auth"),
        (173, "", "rate_limit"),
        (173, "exhausted your daily quota", "quota"),
        (144, "The input token count exceeds the maximum number of tokens allowed", "context_full"),
        (244, "", "overloaded"),
    ] {
        assert_eq!(said(code, errors), expected, "{code} {errors}");
    }
}

#[test]
fn what_codex_could_not_begin_with_is_in_its_last_words() {
    let nothing = fleet_agents::Account::new(Meter::new());
    let exit = Exit::Code { code: 1 };
    let errors = "Error: thread/resume failed: no rollout found for thread id x (code -32600)\n";
    let told = judge_by(&*adapter("codex"), &nothing, exit, None, errors);
    assert_eq!(words(told), "no_session");
    let stopped = judge_by(&*adapter("codex"), &nothing, exit, Some(Stop::Asked), errors);
    assert_eq!(words(stopped), "interrupted", "whoever was stopped did not fail by itself");
    let over = account("codex-commit", Meter::new());
    assert_eq!(
        words(judge_by(&*adapter("codex"), &over, Exit::Code { code: 0 }, None, errors)),
        "succeeded: Committed."
    );
}
