use super::*;

fn stdio(command: &str) -> ServerConfig {
    ServerConfig { command: Some(command.to_owned()), ..ServerConfig::default() }
}

fn at(url: &str) -> ServerConfig {
    ServerConfig { url: Some(url.to_owned()), ..ServerConfig::default() }
}

fn one(name: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.to_owned(), value.to_owned())])
}

#[test]
fn a_name_can_stand_in_the_name_of_a_tool_and_is_not_fleets() {
    for name in ["github", "Linear-2", "a_b"] {
        assert!(name_refused(name).is_ok(), "{name}");
    }
    for name in ["", "a b", "a__b", "_a", "-a", "é", "a.b", "fleet", "Fleet", "context-mode", "devfleet-tools"] {
        assert!(name_refused(name).is_err(), "{name}");
    }
}

#[test]
fn each_type_takes_its_own_fields_and_no_others() {
    assert!(reach(ServerType::Stdio, stdio("npx"), None).is_ok());
    assert!(reach(ServerType::Http, at("https://tools.example/mcp"), None).is_ok());
    assert!(reach(ServerType::Sse, at("http://127.0.0.1:9/sse"), None).is_ok());
    for (kind, config) in [
        (ServerType::Stdio, ServerConfig::default()),
        (ServerType::Stdio, stdio(" ")),
        (ServerType::Stdio, stdio("--version")),
        (ServerType::Stdio, at("https://tools.example/mcp")),
        (ServerType::Stdio, ServerConfig { env: one("A-B", "c"), ..stdio("npx") }),
        (ServerType::Http, stdio("npx")),
        (ServerType::Http, ServerConfig::default()),
        (ServerType::Http, at("file:///etc/passwd")),
        (ServerType::Http, at("https://")),
        (ServerType::Sse, at("https://user:pass@tools.example/")),
        (ServerType::Http, ServerConfig { headers: one("X", "a\r\nY: b"), ..at("https://tools.example") }),
    ] {
        assert!(reach(kind, config.clone(), None).is_err(), "{kind:?} {config:?}");
    }
}

#[test]
fn a_hidden_value_stands_for_the_stored_one_and_for_nothing_else() {
    let before = reach(ServerType::Stdio, ServerConfig { env: one("KEY", "s3cret"), ..stdio("npx") }, None).unwrap();
    let again = ServerConfig { env: one("KEY", HIDDEN), ..stdio("other") };
    let ServerReach::Stdio { command, env, .. } = reach(ServerType::Stdio, again, Some(&before)).unwrap() else {
        panic!("it is a program")
    };
    assert_eq!((command.as_str(), env), ("other", one("KEY", "s3cret")));
    let unknown = ServerConfig { env: one("OTHER", HIDDEN), ..stdio("npx") };
    assert!(reach(ServerType::Stdio, unknown.clone(), Some(&before)).is_err());
    assert!(reach(ServerType::Stdio, unknown, None).is_err());
}

#[test]
fn a_refusal_does_not_repeat_a_value() {
    let config = ServerConfig { headers: one("X", "s3cret\n"), ..at("https://tools.example") };
    let refused = reach(ServerType::Http, config, None).unwrap_err().told();
    assert!(!format!("{refused:?}").contains("s3cret"), "{refused:?}");
}
