use std::collections::BTreeMap;

use super::*;
use crate::{Access, CallEnd, Conversation, Ending, Event, FailureClass, McpServer, McpTransport, Trust};

fn brief() -> Brief {
    Brief { prompt: "--help\nand more".to_owned(), cwd: "/srv/tree".into(), ..Brief::default() }
}

fn launch(brief: &Brief) -> Launch {
    Opencode::default().launch(brief).unwrap()
}

fn settings(launch: &Launch) -> Value {
    serde_json::from_str(&launch.env["OPENCODE_CONFIG_CONTENT"]).unwrap()
}

#[test]
fn every_run_reads_its_prompt_and_has_its_settings_in_the_environment() {
    let env = BTreeMap::from([("KEY".to_owned(), "t1k".to_owned())]);
    let own = McpTransport::Stdio { command: "fleet".to_owned(), args: vec!["mcp".to_owned()], env };
    let mcp = vec![McpServer { name: "fleet".to_owned(), transport: own }];
    let launch = launch(&Brief { mcp, ..brief() });
    assert!(launch.argv.iter().all(|argument| !argument.contains("t1k") && !argument.contains("and more")));
    insta::assert_json_snapshot!(launch);
}

#[test]
fn the_argv_of_briefs() {
    let session = || "ses_e1f580f96ffeptSBIKbcJJxVVO".to_owned();
    let cases = [
        ("resume", Brief { conversation: Conversation::Resume { session: session() }, ..brief() }),
        ("fork", Brief { conversation: Conversation::Fork { session: session() }, ..brief() }),
        ("model", Brief { model: Some("mock/m1".to_owned()), ..brief() }),
        ("trusted", Brief { trust: Trust::Project, ..brief() }),
    ];
    let lines: Vec<_> =
        cases.iter().map(|(name, brief)| format!("{name}: {}", launch(brief).argv.join(" | "))).collect();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn its_permissions_are_what_the_brief_allows() {
    let permission = |access, tools: &[&str]| {
        let allowed_tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        settings(&launch(&Brief { access, allowed_tools, ..brief() }))["permission"].clone()
    };
    let reads = permission(Access::ReadOnly, &["Write", "Bash"]);
    assert_eq!((reads["edit"].as_str(), reads["bash"].as_str()), (Some("deny"), Some("deny")));
    let some = permission(Access::Workspace, &["Read", "Bash(git diff *)", "Bash(cargo test:*)"]);
    assert_eq!(some["edit"], "deny");
    assert_eq!(some["bash"], serde_json::json!({"*": "deny", "git diff *": "allow", "cargo test*": "allow"}));
    let all = permission(Access::Workspace, &[]);
    assert_eq!((all["edit"].as_str(), all["external_directory"].as_str()), (Some("allow"), Some("deny")));
    assert_eq!(permission(Access::Full, &[])["external_directory"], "allow");
}

#[test]
fn settings_that_let_everything_through_are_refused() {
    let setup = Setup { args: vec!["--auto".to_owned()], ..Setup::default() };
    assert!(matches!(Opencode::new(setup).launch(&brief()), Err(LaunchError::Bypass { .. })));
}

#[test]
fn calls_that_failed_or_were_refused_are_told_apart() {
    let end = |state: Value| {
        let line = serde_json::json!({"type": "tool_use", "part": {"callID": "c", "tool": "bash", "state": state}});
        match Opencode::default().reader().feed(line.to_string().as_bytes()).pop() {
            Some(Event::ToolResult { end, .. }) => end,
            other => panic!("{other:?}"),
        }
    };
    let error = |words: &str| serde_json::json!({"status": "error", "input": {}, "error": words});
    assert_eq!(end(serde_json::json!({"status": "completed", "metadata": {"exit": 2}})), CallEnd::Failed);
    assert_eq!(end(error("The user rejected permission to use this specific tool call.")), CallEnd::Denied);
    assert_eq!(end(error("file not found")), CallEnd::Failed);
}

#[test]
fn an_error_ends_the_turn_and_says_of_what() {
    let class = |error: Value| {
        let line = serde_json::json!({"type": "error", "error": error});
        match Opencode::default().reader().feed(line.to_string().as_bytes()).pop() {
            Some(Event::Result(result)) => result.ending,
            other => panic!("{other:?}"),
        }
    };
    let api = |status: u16, message: &str| serde_json::json!({"name": "APIError", "data": {"statusCode": status, "message": message}});
    for (error, expected) in [
        (api(429, "slow down"), FailureClass::RateLimit),
        (api(429, "You exceeded your current quota"), FailureClass::Quota { resets_at: None }),
        (api(401, "no"), FailureClass::Auth),
        (api(529, "busy"), FailureClass::Overloaded),
        (api(400, "maximum context length is 8"), FailureClass::ContextFull),
        (serde_json::json!({"name": "MessageAbortedError"}), FailureClass::Interrupted),
    ] {
        assert_eq!(class(error), Ending::Failed { class: expected });
    }
}
