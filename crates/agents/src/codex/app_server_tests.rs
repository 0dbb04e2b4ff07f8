//! Conversations that no recording shows.

use serde_json::{Value, json};
use types::Access;

use super::*;
use crate::{CallEnd, Conversation, FailureClass, McpServer, McpTransport, RateLimited};

fn opening(prompt: &str) -> Opening {
    Opening { prompt: prompt.to_owned(), prompt_id: Some("m-0".to_owned()), cwd: "/repo".into(), ..Opening::default() }
}

fn answer(id: u64, result: Value) -> Value {
    json!({"id": id, "result": result})
}

fn notice(method: &str, mut params: Value) -> Value {
    params["threadId"] = json!("th");
    json!({"method": method, "params": params})
}

fn sent(out: &[Out]) -> Vec<&Value> {
    out.iter().filter_map(|out| if let Out::Send(value) = out { Some(value) } else { None }).collect()
}

fn told(out: &[Out]) -> Vec<&Event> {
    out.iter().filter_map(|out| if let Out::Tell(event) = out { Some(event) } else { None }).collect()
}

fn result(out: &[Out]) -> &TurnResult {
    told(out).into_iter().find_map(|event| if let Event::Result(result) = event { Some(result) } else { None }).unwrap()
}

/// In its first turn, which the server calls `t`.
fn at_work(opening: Opening) -> AppServer {
    let mut codex = AppServer::new(opening);
    codex.open();
    codex.hear(&answer(1, json!({})));
    codex.hear(&answer(2, json!({"thread": {"id": "th"}, "model": "gpt"})));
    codex.hear(&answer(3, json!({"turn": {"id": "t"}})));
    codex
}

fn over(status: &str) -> Value {
    notice("turn/completed", json!({"turn": {"id": "t", "status": status}}))
}

fn ask_command(id: u64, reason: Value) -> Value {
    let params = json!({"itemId": "c", "command": "/bin/bash -lc 'make it'", "reason": reason, "threadId": "th"});
    json!({"id": id, "method": "item/commandExecution/requestApproval", "params": params})
}

#[test]
fn a_message_in_a_turn_is_folded_in_and_acknowledged_when_the_server_has_it() {
    let mut codex = at_work(opening("go"));
    let out = codex.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() });
    assert_eq!(sent(&out)[0]["method"], "turn/steer");
    assert_eq!(sent(&out)[0]["params"]["expectedTurnId"], "t");
    let out = codex.hear(&answer(4, json!({"turnId": "t"})));
    assert_eq!(told(&out), [&Event::Acknowledged { id: "m-1".to_owned(), stage: Stage::Begun }]);
    let out = codex.hear(&over("completed"));
    assert!(told(&out).contains(&&Event::Acknowledged { id: "m-1".to_owned(), stage: Stage::Finished }));
}

#[test]
fn a_message_that_the_turn_does_not_take_begins_the_next_one() {
    let mut codex = at_work(opening("go"));
    codex.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() });
    assert!(codex.hear(&json!({"id": 4, "error": {"code": -32600, "message": "no active turn"}})).is_empty());
    let out = codex.hear(&over("completed"));
    assert_eq!(sent(&out)[0]["method"], "turn/start");
    assert_eq!(sent(&out)[0]["params"]["input"][0]["text"], "more");
}

#[test]
fn a_message_before_the_server_has_named_the_turn_waits_for_it() {
    let mut codex = AppServer::new(opening("go"));
    codex.open();
    codex.hear(&answer(1, json!({})));
    codex.hear(&answer(2, json!({"thread": {"id": "th"}})));
    assert!(sent(&codex.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() })).is_empty());
    assert!(sent(&codex.say(&Say::Interrupt { id: "i".to_owned() })).is_empty());
    assert_eq!(sent(&codex.hear(&answer(3, json!({"turn": {"id": "t"}}))))[0]["method"], "turn/interrupt");
}

#[test]
fn a_refused_command_is_declined_and_its_end_tells_why() {
    let mut codex = at_work(opening("go"));
    let item = json!({"type": "commandExecution", "id": "c", "command": "/bin/bash -lc 'make it'"});
    let out = codex.hear(&notice("item/started", json!({"item": item})));
    assert!(
        matches!(told(&out)[0], Event::ToolCall { name, input, .. } if name == "Bash" && input["command"] == "make it")
    );
    let out = codex.hear(&ask_command(0, Value::Null));
    let [Out::Judge(question)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((question.tool.as_str(), &question.input), ("Bash", &json!({"command": "make it"})));
    let out = codex.say(&Say::Deny { request: question.request.clone(), why: "not here".to_owned() });
    assert_eq!(sent(&out)[0]["result"], json!({"decision": "decline"}));
    let item = json!({"type": "commandExecution", "id": "c", "status": "declined"});
    let out = codex.hear(&notice("item/completed", json!({"item": item})));
    assert!(matches!(told(&out)[0], Event::ToolResult { text, end: CallEnd::Denied, .. } if text == "not here"));
}

#[test]
fn who_only_reads_never_leaves_the_sandbox() {
    for (access, refused) in [(Access::ReadOnly, true), (Access::Workspace, false)] {
        let mut codex = at_work(Opening { access, ..opening("go") });
        let out = codex.hear(&ask_command(0, json!("it needs the network")));
        assert_eq!(matches!(out.as_slice(), [Out::Send(answer)] if answer["result"]["decision"] == "decline"), refused);
    }
}

#[test]
fn a_patch_is_judged_by_every_path_in_it() {
    let mut codex = at_work(opening("go"));
    let changes = json!([{"path": "/a", "kind": {"type": "add"}, "diff": "x"}, {"path": "/b", "kind": {"type": "update", "move_path": "/c"}, "diff": "y"}]);
    codex.hear(&notice("item/started", json!({"item": {"type": "fileChange", "id": "f", "changes": changes}})));
    let ask = json!({"id": 1, "method": "item/fileChange/requestApproval", "params": {"itemId": "f"}});
    let out = codex.hear(&ask);
    let [Out::Judge(question)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((question.tool.as_str(), &question.input["paths"]), ("Edit", &json!(["/a", "/b", "/c"])));
}

#[test]
fn a_call_of_an_mcp_server_is_found_by_what_is_asked() {
    let mut codex = at_work(opening("go"));
    let item = json!({"type": "mcpToolCall", "id": "m", "server": "demo", "tool": "echo", "arguments": {"t": 1}});
    codex.hear(&notice("item/started", json!({"item": item})));
    let meta = json!({"codex_approval_kind": "mcp_tool_call", "tool_params": {"t": 1}});
    let params =
        json!({"serverName": "demo", "_meta": meta, "message": "Allow the demo MCP server to run tool \"echo\"?"});
    let out = codex.hear(&json!({"id": 5, "method": "mcpServer/elicitation/request", "params": params}));
    let [Out::Judge(question)] = out.as_slice() else { panic!("{out:?}") };
    assert_eq!((question.tool.as_str(), question.call.as_deref()), ("mcp__demo__echo", Some("m")));
    let out = codex.say(&Say::Allow { request: question.request.clone(), input: json!({"t": 1}) });
    assert_eq!(sent(&out)[0]["result"]["action"], "accept");
}

#[test]
fn a_form_of_an_mcp_server_and_a_wish_for_more_room_are_declined() {
    let mut codex = at_work(opening("go"));
    let out =
        codex.hear(&json!({"id": 5, "method": "mcpServer/elicitation/request", "params": {"serverName": "demo"}}));
    assert_eq!(sent(&out)[0]["result"], json!({"action": "decline"}));
    let out = codex.hear(&json!({"id": 6, "method": "item/permissions/requestApproval", "params": {}}));
    assert_eq!(sent(&out)[0]["result"], json!({"permissions": {}}));
}

#[test]
fn a_question_that_the_server_takes_back_is_not_answered() {
    let mut codex = at_work(opening("go"));
    codex.hear(&ask_command(7, Value::Null));
    let out = codex.hear(&notice("serverRequest/resolved", json!({"requestId": 7})));
    assert_eq!(told(&out), [&Event::Acknowledged { id: "ask-1".to_owned(), stage: Stage::Cancelled }]);
    assert!(codex.say(&Say::Allow { request: "ask-1".to_owned(), input: json!({"command": "make it"}) }).is_empty());
}

#[test]
fn every_mcp_server_is_told_of_once_all_are_up_or_not() {
    let server = |name: &str| McpServer {
        name: name.to_owned(),
        transport: McpTransport::Http { url: "http://x".to_owned(), headers: Default::default() },
    };
    let mut codex = at_work(Opening { mcp: vec![server("a"), server("b")], ..opening("go") });
    let status =
        |name: &str, status: &str| notice("mcpServer/startupStatus/updated", json!({"name": name, "status": status}));
    assert!(codex.hear(&status("a", "ready")).is_empty());
    let out = codex.hear(&status("b", "failed"));
    let Event::Started(started) = told(&out)[0] else { panic!("{out:?}") };
    let servers: Vec<_> = started.servers.iter().map(|server| (server.name.as_str(), server.status.as_str())).collect();
    assert_eq!(servers, [("a", "connected"), ("b", "failed")]);
}

#[test]
fn an_account_that_is_used_up_is_so_until_its_fullest_window_is_empty() {
    let mut codex = at_work(opening("go"));
    let limits = json!({"primary": {"usedPercent": 100.0, "windowDurationMins": 300, "resetsAt": 1_794_790_000}, "secondary": {"usedPercent": 20.0}});
    let out = codex.hear(&notice("account/rateLimits/updated", json!({"rateLimits": limits})));
    assert_eq!(told(&out).len(), 2);
    assert!(
        matches!(told(&out)[0], Event::RateLimited(RateLimited::Window { window: Some(name), .. }) if name == "five_hour")
    );
    let error = json!({"message": "You have hit your usage limit.", "codexErrorInfo": "usageLimitExceeded"});
    let out = codex.hear(&notice("turn/completed", json!({"turn": {"id": "t", "status": "failed", "error": error}})));
    let Ending::Failed { class: FailureClass::Quota { resets_at } } = &result(&out).ending else { panic!("{out:?}") };
    assert_eq!(resets_at.unwrap().as_second(), 1_794_790_000);
}

#[test]
fn errors_are_told_from_each_other() {
    let cases = [
        (json!("contextWindowExceeded"), FailureClass::ContextFull),
        (json!("rateLimitExceeded"), FailureClass::RateLimit),
        (json!("serverOverloaded"), FailureClass::Overloaded),
        (json!("unauthorized"), FailureClass::Auth),
        (json!("modelNotFound"), FailureClass::Invalid),
        (json!({"responseTooManyFailedAttempts": {"httpStatusCode": 429}}), FailureClass::RateLimit),
        (json!({"httpConnectionFailed": {"httpStatusCode": 500}}), FailureClass::Overloaded),
        (json!({"responseStreamDisconnected": {"httpStatusCode": null}}), FailureClass::Overloaded),
        (json!("other"), FailureClass::Crash),
    ];
    for (info, class) in cases {
        let mut codex = at_work(opening("go"));
        let error = json!({"message": "x", "codexErrorInfo": info});
        let out = codex.hear(&notice("turn/completed", json!({"turn": {"status": "failed", "error": error}})));
        assert_eq!(result(&out).ending, Ending::Failed { class }, "{info}");
    }
}

#[test]
fn a_thread_that_is_not_there_fails_as_such() {
    let mut codex =
        AppServer::new(Opening { conversation: Conversation::Resume { session: "old".to_owned() }, ..opening("go") });
    codex.open();
    let out = codex.hear(&answer(1, json!({})));
    assert_eq!(
        (&sent(&out)[1]["method"], &sent(&out)[1]["params"]["threadId"]),
        (&json!("thread/resume"), &json!("old"))
    );
    let out = codex.hear(&json!({"id": 2, "error": {"code": -32600, "message": "no rollout found for thread id old"}}));
    assert_eq!(result(&out).ending, Ending::Failed { class: FailureClass::NoSession });
    assert_eq!(out.last(), Some(&Out::Over));
}

#[test]
fn a_thread_is_begun_so_that_everything_is_asked_about() {
    let opening = Opening {
        access: Access::Workspace,
        writable: vec!["/repo/.git".into()],
        system_prompt: Some("be brief".to_owned()),
        mcp: vec![McpServer {
            name: "demo".to_owned(),
            transport: McpTransport::Stdio { command: "demo".to_owned(), args: vec![], env: Default::default() },
        }],
        ..opening("go")
    };
    let mut codex = AppServer::new(opening);
    codex.open();
    let out = codex.hear(&answer(1, json!({})));
    insta::assert_json_snapshot!(sent(&out)[1]);
}

#[test]
fn what_an_earlier_process_took_is_not_counted_again() {
    let used = |total: u64| {
        let usage = json!({"total": {"inputTokens": total}, "last": {"inputTokens": 10, "totalTokens": 10}});
        notice("thread/tokenUsage/updated", json!({"tokenUsage": usage}))
    };
    let counted = |out: &[Out]| match told(out).as_slice() {
        [Event::Usage(usage)] => usage.tokens.input,
        other => panic!("{other:?}"),
    };
    let mut anew = at_work(opening("go"));
    assert_eq!(counted(&anew.hear(&used(10))), 10);
    let mut again =
        at_work(Opening { conversation: Conversation::Resume { session: "th".to_owned() }, ..opening("go") });
    assert_eq!((counted(&again.hear(&used(10))), counted(&again.hear(&used(20)))), (0, 10));
}

#[test]
fn a_message_in_pieces_is_told_once() {
    let mut codex = at_work(opening("go"));
    for delta in ["hel", "lo"] {
        assert!(codex.hear(&notice("item/agentMessage/delta", json!({"itemId": "m", "delta": delta}))).is_empty());
    }
    let out =
        codex.hear(&notice("item/completed", json!({"item": {"type": "agentMessage", "id": "m", "text": "hello"}})));
    assert_eq!(told(&out), [&Event::Text { text: "hello".to_owned(), within: None }]);
    assert_eq!(result(&codex.hear(&over("completed"))).text, "hello");
}

#[test]
fn what_a_subagent_does_is_told_as_its_own() {
    let mut codex = at_work(opening("go"));
    let params = json!({"threadId": "other", "item": {"type": "agentMessage", "id": "m", "text": "hello"}});
    let out = codex.hear(&json!({"method": "item/completed", "params": params}));
    assert_eq!(told(&out), [&Event::Text { text: "hello".to_owned(), within: Some("other".to_owned()) }]);
    let params = json!({"threadId": "other", "turn": {"id": "t", "status": "completed"}});
    assert!(codex.hear(&json!({"method": "turn/completed", "params": params})).is_empty());
}

#[test]
fn stopping_interrupts_and_is_over_when_the_turn_is() {
    let mut codex = at_work(opening("go"));
    codex.hear(&ask_command(7, Value::Null));
    let out = codex.stop();
    assert_eq!(sent(&out)[0]["method"], "turn/interrupt");
    assert_eq!(sent(&out)[1]["result"], json!({"decision": "decline"}));
    let out = codex.hear(&over("interrupted"));
    assert_eq!(result(&out).ending, Ending::Failed { class: FailureClass::Interrupted });
    assert_eq!(out.last(), Some(&Out::Over));
}
