use serde_json::json;

use super::*;

fn said(by: Speaker, text: &str) -> Said {
    Said { by, text: text.to_owned() }
}

/// The same conversation, as each dialect has it: a word of the system, a task, words and a call, and its result.
fn bodies() -> [(Dialect, Value); 4] {
    let messages = json!({
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I go."},
                {"type": "tool_use", "id": "c1", "name": "shell", "input": {}},
            ]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "fine"}]},
        ],
        "tools": [{"name": "shell", "input_schema": {}}],
    });
    let responses = json!({
        "instructions": "Be brief.",
        "input": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I go."}]},
            {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": "fine"},
        ],
        "tools": [{"type": "function", "name": "shell", "parameters": {}}],
    });
    let chat = json!({
        "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "I go.", "tool_calls": [{"id": "c1"}]},
            {"role": "tool", "tool_call_id": "c1", "content": "fine"},
        ],
        "tools": [{"type": "function", "function": {"name": "shell"}}],
    });
    let gemini = json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "I go."}, {"functionCall": {"id": "c1"}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "shell", "response": {"output": "fine"}}}]},
        ],
        "tools": [{"functionDeclarations": [{"name": "shell"}]}],
    });
    [(Dialect::Messages, messages), (Dialect::Responses, responses), (Dialect::Chat, chat), (Dialect::Gemini, gemini)]
}

#[test]
fn one_conversation_is_heard_alike_in_every_dialect() {
    for (dialect, body) in bodies() {
        let heard = ParsedRequest::of(dialect, &body);
        assert_eq!(heard.said, [said(Speaker::User, "go"), said(Speaker::Model, "I go.")], "{dialect:?}");
        assert_eq!(heard.results, [("c1".to_owned(), "fine".to_owned())].into(), "{dialect:?}");
        let shell = Tool { name: "shell".to_owned(), namespace: None, form: ToolForm::Function };
        assert_eq!(heard.tools, [shell], "{dialect:?}");
        let system = if dialect == Dialect::Chat { "" } else { "Be brief." };
        assert_eq!(heard.system, system, "{dialect:?}");
    }
}

#[test]
fn codex_has_tools_in_groups_tools_that_take_text_and_tools_it_names_later() {
    let body = json!({
        "tools": [
            {"type": "custom", "name": "apply_patch"},
            {"type": "namespace", "name": "mcp__fleet", "tools": [{"type": "function", "name": "submit_report"}]},
            {"type": "web_search"},
        ],
        "input": [{"type": "additional_tools", "tools": [{"type": "function", "name": "late"}]}],
    });
    let heard = ParsedRequest::of(Dialect::Responses, &body);
    let tool = |name: &str, namespace: Option<&str>, form| Tool {
        name: name.to_owned(),
        namespace: namespace.map(str::to_owned),
        form,
    };
    let expected = [
        tool("apply_patch", None, ToolForm::Free),
        tool("submit_report", Some("mcp__fleet"), ToolForm::Function),
        tool("web_search", None, ToolForm::Hosted),
        tool("late", None, ToolForm::Function),
    ];
    assert_eq!(heard.tools, expected);
}

#[test]
fn what_is_no_conversation_says_nothing() {
    for dialect in Dialect::ALL {
        for body in [Value::Null, json!([1]), json!({"messages": 3, "input": {}, "contents": "x", "tools": "y"})] {
            let heard = ParsedRequest::of(dialect, &body);
            assert!(heard.tools.is_empty() && heard.results.is_empty() && heard.said.is_empty(), "{dialect:?} {body}");
        }
    }
}
