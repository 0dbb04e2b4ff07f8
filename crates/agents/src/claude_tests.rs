use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;
use types::Limits;

use super::*;
use crate::{
    ApprovalChannel, Ask, CallEnd, Conversation, Ending, Event, FailureClass, McpServer, McpTransport, Permissions,
    Trust,
};

const SESSION: &str = "d980bb8c-a731-44d0-9e81-f7d7615da45d";

fn brief() -> Brief {
    Brief { prompt: "--help, \"quoted\"\nand more".to_owned(), cwd: "/srv/tree".into(), ..Brief::default() }
}

fn launch(brief: &Brief) -> Launch {
    Claude::default().launch(brief).unwrap()
}

fn servers() -> Vec<McpServer> {
    let headers = BTreeMap::from([("Authorization".to_owned(), "Bearer t0k".to_owned())]);
    let web = McpTransport::Http { url: "http://127.0.0.1:4700/mcp".to_owned(), headers };
    let args = vec!["mcp".to_owned()];
    let own = McpTransport::Stdio { command: "fleet".to_owned(), args, env: BTreeMap::new() };
    let server = |name: &str, transport| McpServer { name: name.to_owned(), transport };
    vec![server("fleet", own), server("web", web)]
}

/// The arguments after those that every run has.
fn further(brief: &Brief) -> Vec<String> {
    launch(brief).argv.split_off(11)
}

#[test]
fn every_run_is_two_way_and_asks_for_permission() {
    insta::assert_json_snapshot!(launch(&brief()));
}

#[test]
fn the_argv_of_briefs() {
    let session = || SESSION.to_owned();
    let limits = Limits { turns_max: Some(40), dollars_max: Some(2.5), ..Limits::default() };
    let text = || Some("You are ann.".to_owned());
    let tools = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let cases = [
        ("new", Brief { conversation: Conversation::New { session: Some(session()) }, ..brief() }),
        (
            "resume",
            Brief { conversation: Conversation::Resume { session: session() }, system_prompt: text(), ..brief() },
        ),
        ("fork", Brief { conversation: Conversation::Fork { session: session() }, ..brief() }),
        ("limits", Brief { limits, model: Some("opus".to_owned()), ..brief() }),
        ("system prompt", Brief { system_prompt: text(), ..brief() }),
        (
            "tools",
            Brief {
                allowed_tools: tools(&["Read", "Bash(git diff *)"]),
                denied_tools: tools(&["WebFetch"]),
                ..brief()
            },
        ),
        ("mcp in the argument", Brief { mcp: servers(), ..brief() }),
        ("in files", Brief { mcp: servers(), system_prompt: text(), private_dir: Some("/srv/run".into()), ..brief() }),
        ("trusted", Brief { trust: Trust::Project, permissions: Permissions::Edits, ..brief() }),
    ];
    let lines: Vec<_> = cases.iter().map(|(name, brief)| format!("{name}: {}", further(brief).join(" | "))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_secret_or_long_is_in_no_argument() {
    let brief = Brief { mcp: servers(), private_dir: Some("/srv/run".into()), ..brief() };
    let launch = launch(&brief);
    assert!(launch.argv.iter().all(|argument| !argument.contains("t0k") && !argument.contains("and more")));
    assert_eq!(launch.files[0].path, PathBuf::from("/srv/run/mcp.json"));
    assert!(launch.files[0].text.contains("Bearer t0k"));
    assert!(!format!("{launch:?}").contains("t0k"), "nor in a log");
}

#[test]
fn no_brief_switches_permission_checks_off() {
    for permissions in [Permissions::Ask, Permissions::Edits, Permissions::Plan, Permissions::Refuse] {
        let argv = launch(&Brief { permissions, ..brief() }).argv.join(" ").to_lowercase();
        assert!(!argv.contains("bypass") && !argv.contains("dangerously"), "{argv}");
    }
}

#[test]
fn settings_that_switch_permission_checks_off_are_refused() {
    for argument in [
        "--dangerously-skip-permissions",
        "--allow-dangerously-skip-permissions",
        "--permission-mode=bypassPermissions",
        "bypassPermissions",
        "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}",
        "--bare",
    ] {
        let setup = Setup { args: vec!["--add-dir".to_owned(), argument.to_owned()], ..Setup::default() };
        let expected = LaunchError::Bypass { agent: "claude".to_owned(), argument: argument.to_owned() };
        assert_eq!(Claude::new(setup).launch(&brief()), Err(expected));
    }
}

#[test]
fn a_value_that_would_be_an_option_is_refused() {
    let resume =
        |session: &str| Brief { conversation: Conversation::Resume { session: session.to_owned() }, ..brief() };
    for brief in [
        resume(""),
        resume("--version"),
        resume("a\nb"),
        Brief { model: Some("--dangerously-skip-permissions".to_owned()), ..brief() },
        Brief { allowed_tools: vec!["--mcp-config".to_owned()], ..brief() },
    ] {
        assert!(matches!(Claude::default().launch(&brief), Err(LaunchError::Value { .. })), "{brief:?}");
    }
}

#[test]
fn an_argument_that_the_system_cannot_pass_on_is_refused() {
    for text in ["a\0b".to_owned(), "a".repeat(128 * 1024)] {
        let refused = Claude::default().launch(&Brief { system_prompt: Some(text), ..brief() });
        assert!(matches!(refused, Err(LaunchError::Argument { .. })), "{refused:?}");
    }
    assert!(Claude::default().launch(&Brief { prompt: "a\0".repeat(1 << 20), ..brief() }).is_ok(), "a prompt is none");
}

#[test]
fn whoever_is_asked_nothing_is_told_nothing_first() {
    assert_eq!(launch(&brief()).opening.len(), 2);
    assert_eq!(launch(&Brief { prompt: String::new(), ..brief() }).opening.len(), 1);
}

#[test]
fn settings_name_the_program_the_model_and_more() {
    let map = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let setup = Setup {
        binary: Some("/opt/claude".to_owned()),
        model: Some("best".to_owned()),
        account: None,
        aliases: map("best", "claude-opus-5-5"),
        env: map("CLAUDE_CODE_MAX_RETRIES", "9"),
        pass: vec!["AWS_PROFILE".to_owned()],
        args: vec!["--add-dir".to_owned(), "/srv/shared".to_owned()],
        protocol: None,
        pty: false,
        context_limit: None,
        prices: BTreeMap::new(),
        limits: Limits { turns_max: Some(7), dollars_max: Some(1.0), ..Limits::default() },
    };
    let limits = Limits { turns_max: Some(3), dollars_max: None, ..Limits::default() };
    let brief = Brief { env: map("FLEET_TASK_ID", "m-x7k2m"), limits, ..brief() };
    let launch = Claude::new(setup).launch(&brief).unwrap();
    assert!(launch.argv.windows(4).any(|four| four == ["--max-turns", "3", "--max-budget-usd", "1"]));
    assert!(launch.pass.contains(&"AWS_PROFILE".to_owned()) && launch.pass.contains(&"HOME".to_owned()));
    assert_eq!(launch.argv[0], "/opt/claude");
    assert!(launch.argv.windows(2).any(|pair| pair == ["--model", "claude-opus-5-5"]));
    assert_eq!(launch.argv[launch.argv.len() - 2..], ["--add-dir", "/srv/shared"]);
    assert_eq!(launch.env["CLAUDE_CODE_MAX_RETRIES"], "9");
    assert_eq!(launch.env["FLEET_TASK_ID"], "m-x7k2m");
}

#[test]
fn what_is_said_is_what_was_seen_to_work() {
    let said = |say: Say| serde_json::from_str::<Value>(&Claude::default().say(&say).unwrap()).unwrap();
    let (id, text) = ("u1".to_owned(), "second".to_owned());
    let expected = json!({"type": "user", "message": {"role": "user", "content": "second"}, "uuid": "u1"});
    assert_eq!(said(Say::Message { id, text }), expected);
    let expected = json!({"type": "control_request", "request_id": "r3", "request": {"subtype": "interrupt"}});
    assert_eq!(said(Say::Interrupt { id: "r3".to_owned() }), expected);
    let answer = |response| {
        let response: Value = response;
        json!({"type": "control_response", "response": {"subtype": "success", "request_id": "r", "response": response}})
    };
    let (request, input) = ("r".to_owned(), json!({"command": "ls"}));
    let expected = answer(json!({"behavior": "allow", "updatedInput": {"command": "ls"}}));
    assert_eq!(said(Say::Allow { request: request.clone(), input }), expected);
    let expected = answer(json!({"behavior": "deny", "message": "no"}));
    assert_eq!(said(Say::Deny { request, why: "no".to_owned() }), expected);
}

fn gated() -> ApprovalChannel {
    ApprovalChannel::Program { argv: ["fleet", "__gate", "it's"].map(str::to_owned).into() }
}

#[test]
fn a_gate_is_a_hook_for_every_call_that_lets_nothing_through_when_it_fails() {
    let launched = launch(&Brief { gate: gated(), private_dir: Some("/srv/run".into()), ..brief() });
    let at = launched.argv.iter().position(|argument| argument == "--settings").unwrap();
    assert_eq!(launched.argv[at + 1], "/srv/run/settings.json");
    let settings: Value = serde_json::from_str(&launched.files.last().unwrap().text).unwrap();
    let hook =
        json!({"type": "command", "command": r"'fleet' '__gate' 'it'\''s'", "timeout": 300, "onFailure": "block"});
    let hooks = json!({"PreToolUse": [{"matcher": "*", "hooks": [hook]}]});
    assert_eq!(settings, json!({"disableAllHooks": false, "hooks": hooks}));
    assert!(!launch(&brief()).argv.contains(&"--settings".to_owned()));
}

#[test]
fn no_argument_takes_the_place_of_the_hook() {
    for argument in ["--settings", "--settings={}", "--setting-sources=project"] {
        let setup = Setup { args: vec![argument.to_owned()], ..Setup::default() };
        let refused = Claude::new(setup.clone()).launch(&Brief { gate: gated(), ..brief() });
        assert!(matches!(refused, Err(LaunchError::Bypass { .. })), "{argument}");
        assert!(Claude::new(setup).launch(&brief()).is_ok(), "{argument}");
    }
}

#[test]
fn a_question_of_a_hook_is_answered_in_its_own_form() {
    let hook = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t"});
    let asked = json!({"subtype": "hook_callback", "callback_id": "fleet", "input": hook});
    let mut events = read(&json!({"type": "control_request", "request_id": "r", "request": asked}));
    let Some(Event::Asking { request, ask }) = events.pop() else { panic!("{events:?}") };
    let (tool, input, call) = ("Bash".to_owned(), json!({"command": "ls"}), Some("t".to_owned()));
    assert_eq!(ask, Ask::Gate { tool, input: input.clone(), call });
    let decision = |say: Say| {
        let line: Value = serde_json::from_str(&Claude::default().say(&say).unwrap()).unwrap();
        assert_eq!(line["response"]["request_id"], "r");
        line["response"]["response"]["hookSpecificOutput"].clone()
    };
    let expected =
        json!({"permissionDecision": "allow", "updatedInput": {"command": "ls"}, "hookEventName": "PreToolUse"});
    assert_eq!(decision(Say::Allow { request: request.clone(), input }), expected);
    let expected =
        json!({"permissionDecision": "deny", "permissionDecisionReason": "no", "hookEventName": "PreToolUse"});
    assert_eq!(decision(Say::Deny { request: request.clone(), why: "no".to_owned() }), expected);
    let expected = json!({"permissionDecision": "ask", "hookEventName": "PreToolUse"});
    assert_eq!(decision(Say::Escalate { request }), expected);
    assert_eq!(Claude::default().say(&Say::Escalate { request: "r".to_owned() }), None, "there is nobody further up");
}

#[test]
fn a_question_that_is_withdrawn_is_told_under_the_id_it_had() {
    let events = read(&json!({"type": "control_cancel_request", "request_id": "r"}));
    let cancelled = |id: &str| Event::Acknowledged { id: id.to_owned(), stage: crate::Stage::Cancelled };
    assert_eq!(events, [cancelled("gate:r"), cancelled("r")]);
}

fn read(line: &Value) -> Vec<Event> {
    Claude::default().reader().feed(line.to_string().as_bytes())
}

#[test]
fn a_block_that_nobody_understands_is_kept_beside_the_others() {
    let blocks = json!([{"type": "text", "text": "a"}, {"type": "hologram", "light": 3}]);
    let events = read(&json!({"type": "assistant", "message": {"content": blocks}}));
    let raw = Event::Raw { line: r#"{"type":"hologram","light":3}"#.to_owned() };
    assert_eq!(events, [Event::Text { text: "a".to_owned(), within: None }, raw]);
}

#[test]
fn a_tool_that_failed_was_not_denied() {
    let block = json!([{"type": "tool_result", "tool_use_id": "t", "is_error": true, "content": [{"text": "a"}, {"text": "b"}]}]);
    let events = read(&json!({"type": "user", "message": {"content": block}}));
    let (id, text) = ("t".to_owned(), "a\nb".to_owned());
    assert_eq!(events, [Event::ToolResult { id, text, end: CallEnd::Failed, within: None }]);
}

/// How a result with these fields is read.
fn ending(fields: Value) -> Ending {
    let mut line = json!({"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed"});
    for (name, value) in fields.as_object().unwrap() {
        line[name] = value.clone();
    }
    match read(&line).pop() {
        Some(Event::Result(result)) => result.ending,
        other => panic!("{other:?}"),
    }
}

#[test]
fn success_needs_every_flag() {
    let failed = |class| Ending::Failed { class };
    assert_eq!(ending(json!({})), Ending::Completed);
    assert_eq!(ending(json!({"terminal_reason": null})), Ending::Completed, "an older version gives no reason");
    assert_eq!(ending(json!({"is_error": true})), failed(FailureClass::Crash));
    assert_eq!(ending(json!({"is_error": null})), failed(FailureClass::Crash));
    assert_eq!(ending(json!({"subtype": "error_during_execution"})), failed(FailureClass::Crash));
    assert_eq!(ending(json!({"terminal_reason": "out_of_stardust"})), failed(FailureClass::Crash));
    assert_eq!(ending(json!({"terminal_reason": "max_turns"})), failed(FailureClass::MaxTurns));
}

#[test]
fn errors_of_the_provider_have_their_class() {
    let quota = || FailureClass::Quota { resets_at: None };
    for (status, word, expected) in [
        (json!(429), "rate_limit", FailureClass::RateLimit),
        (json!(429), "usage_limit_reached", quota()),
        (json!(400), "billing_error", quota()),
        (json!(402), "", quota()),
        (json!(401), "", FailureClass::Auth),
        (json!(403), "", FailureClass::Auth),
        (json!(404), "model_not_found", FailureClass::Invalid),
        (json!(400), "invalid_request", FailureClass::Invalid),
        (json!(413), "", FailureClass::ContextFull),
        (json!(500), "server_error", FailureClass::Overloaded),
        (json!(503), "", FailureClass::Overloaded),
        (json!(529), "server_error", FailureClass::Overloaded),
        (json!(null), "authentication_failed", FailureClass::Auth),
        (json!(null), "unknown", FailureClass::Overloaded),
    ] {
        let fields =
            json!({"is_error": true, "terminal_reason": "api_error", "api_error_status": status, "api_error": word});
        assert_eq!(ending(fields), Ending::Failed { class: expected }, "{status} {word}");
    }
}

#[test]
fn it_can_do_what_it_was_seen_to_do() {
    insta::assert_json_snapshot!(Claude::default().capabilities());
}

#[test]
fn a_result_that_does_not_split_its_usage_by_model_counts_its_cost_and_tokens() {
    let usage =
        json!({"input_tokens": 7, "output_tokens": 5, "cache_read_input_tokens": 3, "cache_creation_input_tokens": 2});
    let counted = |more: Value| {
        let mut line = json!({"type": "result", "subtype": "success", "is_error": false, "usage": usage});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        match read(&line).pop() {
            Some(Event::Result(result)) => result.totals.unwrap(),
            other => panic!("{other:?}"),
        }
    };
    let priced = counted(json!({"total_cost_usd": 0.25}));
    assert_eq!((priced.cost.dollars(), priced.tokens.sum(), priced.unpriced), (0.25, 17, 0));
    let unpriced = counted(json!({}));
    assert_eq!((unpriced.cost.dollars(), unpriced.tokens.sum(), unpriced.unpriced), (0.0, 17, 17));
}
