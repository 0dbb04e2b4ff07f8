//! Conversations that no recording shows.

use serde_json::{Value, json};

use super::*;
use crate::{CallEnd, Conversation, Ending, FailureClass, McpServer, McpTransport, TurnResult};

fn opening(prompt: &str) -> Opening {
    Opening { prompt: prompt.to_owned(), prompt_id: Some("m-0".to_owned()), cwd: "/repo".into(), ..Opening::default() }
}

fn answer(id: u64, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
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

fn request(out: &[Out]) -> (String, Value) {
    let question =
        |out: &Out| if let Out::Judge(asked) = out { Some((asked.request.clone(), asked.input.clone())) } else { None };
    out.iter().find_map(question).unwrap()
}

/// An agent whose capabilities are these, in its first turn.
fn at_work(opening: Opening) -> Acp {
    let mut acp = Acp::new(opening);
    acp.open();
    acp.hear(&answer(1, json!({"protocolVersion": 1})));
    acp.hear(&answer(2, json!({"sessionId": "s"})));
    acp
}

fn ask(id: u64, options: Value) -> Value {
    let call = json!({"toolCallId": "c", "kind": "execute", "rawInput": {"command": "make"}});
    let params = json!({"sessionId": "s", "toolCall": call, "options": options});
    json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params})
}

fn once() -> Value {
    json!([
        {"optionId": "all", "kind": "allow_always"},
        {"optionId": "this", "kind": "allow_once"},
        {"optionId": "never", "kind": "reject_once"},
    ])
}

#[test]
fn what_is_said_while_a_turn_runs_is_said_after_it_and_in_order() {
    let mut acp = at_work(opening("go"));
    for id in ["m-1", "m-2"] {
        let out = acp.say(&Say::Message { id: id.to_owned(), text: format!("text of {id}") });
        assert_eq!(out, [Out::Tell(Event::Acknowledged { id: id.to_owned(), stage: Stage::Queued })]);
    }
    for (turn, id) in [(3, "m-1"), (4, "m-2")] {
        let out = acp.hear(&answer(turn, json!({"stopReason": "end_turn"})));
        assert_eq!(result(&out).ending, Ending::Completed);
        assert_eq!(sent(&out)[0]["params"]["prompt"][0]["text"], format!("text of {id}"));
        assert_eq!(out.last(), Some(&Out::Tell(Event::Acknowledged { id: id.to_owned(), stage: Stage::Begun })));
    }
}

#[test]
fn a_yes_is_for_one_call_wherever_it_stands_in_the_list() {
    let mut acp = at_work(opening("go"));
    let (name, input) = request(&acp.hear(&ask(7, once())));
    let out = acp.say(&Say::Allow { request: name.clone(), input });
    assert_eq!(sent(&out)[0]["result"]["outcome"]["optionId"], "this");
    assert!(acp.say(&Say::Deny { request: name, why: "late".to_owned() }).is_empty());
}

#[test]
fn what_can_only_be_allowed_for_ever_is_refused() {
    let mut acp = at_work(opening("go"));
    let (name, input) = request(&acp.hear(&ask(7, json!([{"optionId": "all", "kind": "allow_always"}]))));
    let out = acp.say(&Say::Allow { request: name, input });
    assert_eq!(sent(&out)[0]["result"]["outcome"], json!({"outcome": "cancelled"}));
    assert!(matches!(told(&out)[0], Event::ToolResult { end: CallEnd::Denied, .. }));
}

#[test]
fn a_call_that_was_allowed_with_another_input_does_not_run() {
    let mut acp = at_work(opening("go"));
    let (name, _) = request(&acp.hear(&ask(7, once())));
    let out = acp.say(&Say::Allow { request: name, input: json!({"command": "make safe"}) });
    assert_eq!(sent(&out)[0]["result"]["outcome"]["optionId"], "never");
}

#[test]
fn an_interrupt_answers_what_is_asked_and_the_turn_ends_as_interrupted() {
    let mut acp = at_work(opening("go"));
    acp.hear(&ask(7, once()));
    let out = acp.say(&Say::Interrupt { id: "i".to_owned() });
    assert_eq!(sent(&out)[0]["method"], "session/cancel");
    assert_eq!(sent(&out)[1]["result"]["outcome"]["outcome"], "cancelled");
    assert_eq!(sent(&acp.hear(&ask(8, once())))[0]["result"]["outcome"]["outcome"], "cancelled");
    let out = acp.hear(&answer(3, json!({"stopReason": "cancelled"})));
    assert_eq!(result(&out).ending, Ending::Failed { class: FailureClass::Interrupted });
    assert!(told(&out).contains(&&Event::Acknowledged { id: "i".to_owned(), stage: Stage::Finished }));
}

#[test]
fn an_agent_that_gives_up_over_a_refusal_is_asked_to_go_on_three_times_and_has_then_failed() {
    let mut acp = at_work(opening("go"));
    for turn in 3..7 {
        let (name, _) = request(&acp.hear(&ask(70 + turn, once())));
        acp.say(&Say::Deny { request: name, why: "not here".to_owned() });
        let out = acp.hear(&answer(turn, json!({"stopReason": "cancelled"})));
        if turn < 6 {
            let urge = sent(&out)[0]["params"]["prompt"][0]["text"].as_str().unwrap().to_owned();
            assert!(urge.starts_with("The call of `Bash` was refused: not here"), "{urge}");
        } else {
            assert_eq!(result(&out).ending, Ending::Failed { class: FailureClass::Denied });
            assert_eq!(result(&out).denials.len(), 4);
        }
    }
}

#[test]
fn an_agent_that_had_the_last_word_after_a_refusal_is_done() {
    let mut acp = at_work(opening("go"));
    let (name, _) = request(&acp.hear(&ask(7, once())));
    acp.say(&Say::Deny { request: name, why: "not here".to_owned() });
    let said = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "I cannot."}});
    acp.hear(&json!({"method": "session/update", "params": {"sessionId": "s", "update": said}}));
    let out = acp.hear(&answer(3, json!({"stopReason": "end_turn"})));
    assert_eq!((result(&out).ending.clone(), result(&out).text.as_str()), (Ending::Completed, "I cannot."));
}

#[test]
fn an_earlier_conversation_is_taken_up_in_the_best_way_the_agent_has() {
    let cases = [
        (json!({"loadSession": true, "sessionCapabilities": {"resume": {}}}), Some("session/resume")),
        (json!({"loadSession": true}), Some("session/load")),
        (json!({}), None),
    ];
    for (can, method) in cases {
        let conversation = Conversation::Resume { session: "old".to_owned() };
        let mut acp = Acp::new(Opening { conversation, ..opening("go") });
        acp.open();
        let out = acp.hear(&answer(1, json!({"protocolVersion": 1, "agentCapabilities": can})));
        match method {
            Some(method) => assert_eq!(
                (&sent(&out)[0]["method"], &sent(&out)[0]["params"]["sessionId"]),
                (&json!(method), &json!("old"))
            ),
            None => assert_eq!(result(&out).ending, Ending::Failed { class: FailureClass::NoSession }),
        }
    }
}

#[test]
fn what_is_told_again_while_a_conversation_is_loaded_is_not_heard() {
    let mut acp =
        Acp::new(Opening { conversation: Conversation::Resume { session: "old".to_owned() }, ..opening("go") });
    acp.open();
    acp.hear(&answer(1, json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}})));
    let said = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "long ago"}});
    assert!(acp.hear(&json!({"method": "session/update", "params": {"update": said}})).is_empty());
    let out = acp.hear(&answer(2, json!({})));
    assert!(matches!(told(&out)[0], Event::Started(started) if started.session.as_deref() == Some("old")));
    assert_eq!(sent(&out)[0]["method"], "session/prompt");
}

#[test]
fn what_is_told_again_after_a_conversation_is_loaded_is_not_heard_either() {
    let mut acp =
        Acp::new(Opening { conversation: Conversation::Resume { session: "old".to_owned() }, ..opening("go") });
    acp.open();
    acp.hear(&answer(1, json!({"protocolVersion": 1, "agentCapabilities": {"loadSession": true}})));
    let out = acp.hear(&answer(2, json!({"modes": {"currentModeId": "default"}})));
    assert_eq!((sent(&out)[0]["method"].clone(), told(&out).len()), (json!("session/set_mode"), 0));
    let said = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "long ago"}});
    assert!(acp.hear(&json!({"method": "session/update", "params": {"update": said}})).is_empty());
    let out = acp.hear(&answer(3, json!({})));
    assert!(matches!(told(&out)[0], Event::Started(started) if started.session.as_deref() == Some("old")));
    assert_eq!(sent(&out)[0]["method"], "session/prompt");
}

#[test]
fn a_conversation_that_is_not_there_fails_as_such_and_the_agent_can_go() {
    let mut acp = Acp::new(Opening { conversation: Conversation::Fork { session: "old".to_owned() }, ..opening("go") });
    acp.open();
    let can = json!({"sessionCapabilities": {"fork": {}}});
    acp.hear(&answer(1, json!({"protocolVersion": 1, "agentCapabilities": can})));
    let out = acp.hear(&json!({"id": 2, "error": {"code": -32002, "message": "Resource not found"}}));
    assert_eq!(result(&out).ending, Ending::Failed { class: FailureClass::NoSession });
    assert_eq!(out.last(), Some(&Out::Over));
}

#[test]
fn a_model_is_asked_for_where_the_agent_lets_one_choose() {
    let options = json!([{"id": "m", "category": "model", "currentValue": "small"}]);
    for (begun, method, key) in [
        (json!({"sessionId": "s", "configOptions": options}), "session/set_config_option", "value"),
        (json!({"sessionId": "s", "models": {"currentModelId": "small"}}), "session/set_model", "modelId"),
    ] {
        let mut acp = Acp::new(Opening { model: Some("big".to_owned()), ..opening("go") });
        acp.open();
        acp.hear(&answer(1, json!({"protocolVersion": 1})));
        let out = acp.hear(&answer(2, begun));
        assert_eq!((&sent(&out)[0]["method"], &sent(&out)[0]["params"][key]), (&json!(method), &json!("big")));
        assert_eq!(sent(&acp.hear(&answer(3, json!({}))))[0]["method"], "session/prompt");
    }
}

#[test]
fn closing_lets_the_turn_and_what_waits_come_to_their_end() {
    let mut acp = at_work(opening("go"));
    acp.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() });
    assert!(acp.close().is_empty());
    assert!(!acp.hear(&answer(3, json!({"stopReason": "end_turn"}))).contains(&Out::Over));
    assert_eq!(acp.hear(&answer(4, json!({"stopReason": "end_turn"}))).last(), Some(&Out::Over));
}

#[test]
fn stopping_breaks_the_turn_off_and_forgets_what_waits() {
    let mut acp = at_work(opening("go"));
    acp.say(&Say::Message { id: "m-1".to_owned(), text: "more".to_owned() });
    assert_eq!(sent(&acp.stop())[0]["method"], "session/cancel");
    let out = acp.hear(&answer(3, json!({"stopReason": "cancelled"})));
    assert_eq!(out.last(), Some(&Out::Over));
    assert!(sent(&out).is_empty());
}

#[test]
fn errors_are_told_from_each_other() {
    let cases = [
        (json!({"code": -32000, "message": "Authentication required"}), FailureClass::Auth),
        (json!({"code": 429, "message": "Too many requests"}), FailureClass::RateLimit),
        (
            json!({"code": -32603, "message": "x", "data": {"details": "You have exhausted your daily quota"}}),
            FailureClass::Quota { resets_at: None },
        ),
        (json!({"code": 500, "message": "Internal"}), FailureClass::Overloaded),
        (json!({"code": -32603, "message": "Internal error"}), FailureClass::Crash),
    ];
    for (error, class) in cases {
        let mut acp = at_work(opening("go"));
        let out = acp.hear(&json!({"id": 3, "error": error}));
        assert_eq!(result(&out).ending, Ending::Failed { class }, "{error}");
    }
}

#[test]
fn tools_go_by_one_set_of_names() {
    let demo = McpTransport::Http { url: "http://x".to_owned(), headers: Default::default() };
    let servers = vec![McpServer { name: "demo".to_owned(), transport: demo }];
    let diff = |path: &str, old: Value| json!([{"type": "diff", "path": path, "oldText": old, "newText": "n"}]);
    let cases = [
        (
            json!({"toolCallId": "c", "kind": "execute", "rawInput": {"command": ["/bin/bash", "-lc", "rm x"]}}),
            "Bash",
            "command",
            json!("rm x"),
        ),
        (json!({"toolCallId": "c", "kind": "execute", "title": "rm x"}), "Bash", "command", json!("rm x")),
        (
            json!({"toolCallId": "c", "kind": "edit", "content": diff("/a", Value::Null)}),
            "Write",
            "file_path",
            json!("/a"),
        ),
        (
            json!({"toolCallId": "c", "kind": "edit", "content": diff("/a", json!("o"))}),
            "Edit",
            "file_path",
            json!("/a"),
        ),
        (
            json!({"toolCallId": "c", "kind": "edit", "rawInput": {"changes": {"/a": {}, "/b": {}}}}),
            "Edit",
            "paths",
            json!(["/a", "/b"]),
        ),
        (json!({"toolCallId": "c", "kind": "read", "locations": [{"path": "/a"}]}), "Read", "file_path", json!("/a")),
        (
            json!({"toolCallId": "c", "kind": "other", "title": "demo_echo", "rawInput": {"t": 1}}),
            "mcp__demo__echo",
            "t",
            json!(1),
        ),
        (json!({"toolCallId": "mcp_demo_echo__c1", "kind": "other"}), "mcp__demo__echo", "t", Value::Null),
        (json!({"toolCallId": "c", "title": "echo (demo MCP Server)"}), "mcp__demo__echo", "t", Value::Null),
        (
            json!({"toolCallId": "c", "rawInput": {"invocation": {"server": "demo", "tool": "echo", "arguments": {"t": 2}}}}),
            "mcp__demo__echo",
            "t",
            json!(2),
        ),
        (json!({"toolCallId": "c", "name": "Task", "rawInput": {"t": 3}}), "Task", "t", json!(3)),
    ];
    for (call, tool, key, value) in cases {
        let mut acp = at_work(Opening { mcp: servers.clone(), ..opening("go") });
        let params = json!({"toolCall": call, "options": once()});
        let out = acp.hear(&json!({"id": 9, "method": "session/request_permission", "params": params}));
        let Some(Out::Judge(question)) = out.last() else { panic!("{out:?}") };
        assert_eq!((question.tool.as_str(), &question.input[key]), (tool, &value), "{call}");
    }
}

#[test]
fn what_was_said_in_pieces_is_told_in_lines() {
    let mut acp = at_work(opening("go"));
    let text: String = (0..400).map(|line| format!("line {line}\n")).collect();
    let mut events = Vec::new();
    for piece in text.as_bytes().chunks(7) {
        let piece = std::str::from_utf8(piece).unwrap();
        let said = json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": piece}});
        events.extend(acp.hear(&json!({"method": "session/update", "params": {"update": said}})));
    }
    let out = acp.hear(&answer(3, json!({"stopReason": "end_turn"})));
    assert_eq!(result(&out).text, text);
    events.extend(out);
    let texts: Vec<&str> = told(&events)
        .into_iter()
        .filter_map(|event| if let Event::Text { text, .. } = event { Some(text.as_str()) } else { None })
        .collect();
    assert!(texts.len() > 1 && texts.len() < 10, "{}", texts.len());
    assert_eq!(texts.join("\n"), text);
}
