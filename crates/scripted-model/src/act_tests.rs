use super::*;

fn choose(act: &Act, dialect: Dialect, tools: &[&str]) -> (String, Input) {
    let chosen = act.choose(&Request::for_test(dialect, "m", tools));
    (chosen.name, chosen.input)
}

#[test]
fn an_act_takes_the_tool_that_the_agent_has_for_it() {
    let write = Act::write("a.txt", "x\n");
    for (dialect, tools, name, input) in [
        (Dialect::Messages, &["Bash", "Write"][..], "Write", json!({"file_path": "a.txt", "content": "x\n"})),
        (Dialect::Gemini, &["write_file"], "write_file", json!({"file_path": "a.txt", "content": "x\n"})),
        (Dialect::Chat, &["bash", "write"], "write", json!({"filePath": "a.txt", "content": "x\n"})),
    ] {
        assert_eq!(choose(&write, dialect, tools), (name.to_owned(), Input::Object(input)));
    }
    let shell = Act::shell("ls");
    for (dialect, tool, input) in [
        (Dialect::Messages, "Bash", json!({"command": "ls", "description": "as scripted"})),
        (Dialect::Responses, "exec_command", json!({"cmd": "ls"})),
        (Dialect::Responses, "shell", json!({"command": ["bash", "-lc", "ls"]})),
        (Dialect::Gemini, "run_shell_command", json!({"command": "ls", "description": "as scripted"})),
    ] {
        assert_eq!(choose(&shell, dialect, &["other", tool]), (tool.to_owned(), Input::Object(input)));
    }
}

#[test]
fn a_tool_that_takes_text_gets_text() {
    let mut request = Request::for_test(Dialect::Responses, "m", &[]);
    let free = |name: &str| Tool { name: name.to_owned(), namespace: None, form: ToolForm::Free };
    request.heard.tools = vec![free("exec"), free("apply_patch")];
    let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** End Patch";
    assert_eq!(Act::write("a.txt", "one\ntwo\n").choose(&request).input, Input::Text(patch.to_owned()));
    let Input::Text(code) = Act::shell("ls").choose(&request).input else { panic!("no code") };
    assert!(code.contains(r#"tools.exec_command({"cmd":"ls"})"#), "{code}");
}

#[test]
fn without_a_tool_of_its_own_an_act_is_done_in_the_shell() {
    let (name, input) = choose(&Act::write("it's.txt", "x"), Dialect::Responses, &["exec_command"]);
    assert_eq!(name, "exec_command");
    assert_eq!(input, Input::Object(json!({"cmd": r"printf %s 'x' > 'it'\''s.txt'"})));
    let (_, input) = choose(&Act::read("a.txt"), Dialect::Responses, &["exec_command"]);
    assert_eq!(input, Input::Object(json!({"cmd": "cat 'a.txt'"})));
}

#[test]
fn a_tool_that_was_withheld_is_called_by_its_usual_name() {
    for dialect in Dialect::ALL {
        for act in [Act::shell("ls"), Act::write("a", "b"), Act::read("a")] {
            let (name, input) = choose(&act, dialect, &["other"]);
            assert_eq!(name, act.usual(dialect));
            assert!(input != Input::Object(json!({})), "{name} of {dialect:?} is given nothing");
        }
    }
}

#[test]
fn a_tool_of_an_mcp_server_is_found_however_the_agent_names_it() {
    let act = Act::mcp("fleet", "report", json!({"a": 1}));
    for (dialect, tool) in [
        (Dialect::Messages, "mcp__fleet__report"),
        (Dialect::Gemini, "mcp_fleet_report"),
        (Dialect::Chat, "fleet_report"),
    ] {
        assert_eq!(choose(&act, dialect, &["Bash", tool]), (tool.to_owned(), Input::Object(json!({"a": 1}))));
        assert_eq!(choose(&act, dialect, &["Bash"]).0, tool, "also when it is not declared");
    }
    let chosen = act.choose(&Request::for_test(Dialect::Responses, "m", &["exec_command"]));
    assert_eq!((chosen.name.as_str(), chosen.namespace.as_deref()), ("report", Some("mcp__fleet")));
}
