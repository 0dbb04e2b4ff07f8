use serde_json::json;

use super::*;

#[test]
fn one_that_goes_on_plays_the_end_of_its_script_whatever_it_is_told_and_another_script_instead() {
    let script = "```sim\nstep = []\nresume = [{ do = \"say\", text = \"on\" }]\n```";
    let conversation = Conversation::Resume { session: "s".to_owned() };
    let first_prompt = Some(script.to_owned());
    let opening = |prompt: &str| {
        let prompt = prompt.to_owned();
        let brief = Brief {
            prompt,
            first_prompt: first_prompt.clone(),
            conversation: conversation.clone(),
            ..Brief::default()
        };
        Sim::default().launch(&brief).unwrap().opening.concat()
    };
    assert!(opening("The check is red.").contains("text = \\\"on\\\""));
    let other = "```sim\nstep = []\n```";
    assert!(!opening(other).contains("text = "));
}
use crate::{Account, Event, Exit, FailureClass, Meter, Outcome, Permissions, judge};

fn brief(prompt: &str) -> Brief {
    Brief { prompt: prompt.to_owned(), cwd: "/srv/tree".into(), ..Brief::default() }
}

fn scripted(script: &str) -> String {
    format!("Please do:\n```sim\n{script}\n```\nThank you.")
}

#[test]
fn a_launch_gives_the_order_on_standard_input() {
    insta::assert_json_snapshot!(Sim::default().launch(&brief("write a poem")).unwrap());
}

#[test]
fn the_conversation_of_an_order_is_the_one_asked_for() {
    let session = |conversation| session(&Brief { conversation, prompt_id: Some("p".to_owned()), ..brief("x") });
    let id = || "s".to_owned();
    assert_eq!(session(Conversation::New { session: Some(id()) }), "s");
    assert_eq!(session(Conversation::New { session: None }), "p");
    assert_eq!(session(Conversation::Resume { session: id() }), "s");
    assert_eq!(session(Conversation::Fork { session: id() }), "s-fork");
}

#[test]
fn an_order_says_whether_it_goes_on() {
    let resumed = |conversation| {
        let launch = Sim::default().launch(&Brief { conversation, ..brief("x") }).unwrap();
        serde_json::from_str::<Order>(&launch.opening[0]).unwrap().resumed
    };
    let session = || "s".to_owned();
    assert!(resumed(Conversation::Resume { session: session() }));
    assert!(!resumed(Conversation::New { session: Some(session()) }));
    // A copy has a prompt of its own, with work to do.
    assert!(!resumed(Conversation::Fork { session: session() }));
    let before = r#"{"prompt": "x", "session": "s", "model": "sim"}"#;
    assert!(!serde_json::from_str::<Order>(before).unwrap().resumed);
}

#[test]
fn a_malformed_script_is_refused_before_anything_starts() {
    for script in [
        "step = 3",
        "[[step]]\ndo = \"dance\"",
        "[[step]]\ndo = \"say\"\ntext = \"a\"\nloud = true",
        "[[step]]\ndo = \"write\"\npath = \"../a\"\ntext = \"\"",
        "[[step]]\ndo = \"write\"\npath = \"/etc/passwd\"\ntext = \"\"",
        "[[step]]\ndo = \"write\"\npath = \".git/config\"\ntext = \"\"",
        "[[resume]]\ndo = \"write\"\npath = \"../a\"\ntext = \"\"",
        "[[step]]\ndo = \"repeat\"\ntimes = 2\nstep = [{ do = \"write\", path = \"a/../../b\", text = \"\" }]",
    ] {
        let refused = Sim::default().launch(&brief(&scripted(script)));
        assert!(matches!(refused, Err(LaunchError::Prompt { .. })), "{script}: {refused:?}");
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let transport = crate::McpTransport::Http { url: "x".to_owned(), headers: [].into() };
    let mcp = vec![crate::McpServer { name: "a".to_owned(), transport }];
    let refused = Sim::default().launch(&Brief { mcp, permissions: Permissions::Ask, ..brief("x") });
    assert_eq!(refused, Err(LaunchError::Incapable { agent: "sim".to_owned(), what: "use MCP servers" }));
}

/// Plays a script as its adapter would read it; returns the outcome's name and how the process went.
fn outcome(script: &str) -> (String, Option<Exit>) {
    let order = Order { prompt: String::new(), session: "s".to_owned(), model: "sim".to_owned(), ..Order::default() };
    let mut account = Account::new(Meter::new());
    let (mut reader, mut exit) = (Sim::default().reader(), None);
    for effect in Stepper::new(order, Script::parse(script).unwrap()) {
        match effect {
            Effect::Print { line } => reader.feed(line.as_bytes()).iter().for_each(|event| account.read(event)),
            Effect::Exit { code } => exit = Some(Exit::Code { code }),
            Effect::Abort => exit = Some(Exit::Signal { signal: 9 }),
            Effect::Flood { .. }
            | Effect::Write { .. }
            | Effect::Commit { .. }
            | Effect::Sleep { .. }
            | Effect::Listen
            | Effect::Terminal
            | Effect::Try { .. }
            | Effect::IgnoreTerm
            | Effect::ForkOff { .. }
            | Effect::Hang => {}
        }
    }
    let name = match judge(&account, exit.unwrap_or(Exit::Signal { signal: 9 }), None) {
        Outcome::Succeeded { text, .. } => format!("succeeded: {text}"),
        Outcome::Asking { .. } => "asking".to_owned(),
        Outcome::Failed { class, .. } => class.as_str().to_owned(),
    };
    (name, exit)
}

#[test]
fn every_way_to_end_is_read_as_what_it_is() {
    let code = |code| Some(Exit::Code { code });
    for (script, expected, exit) in [
        ("", "succeeded: done", code(0)),
        ("do = \"finish\"\ntext = \"well\"", "succeeded: well", code(0)),
        ("do = \"pretend\"\npath = \"a\"", "succeeded: done", code(0)),
        ("do = \"fail\"\nclass = { name = \"rate_limit\" }", "rate_limit", code(1)),
        ("do = \"fail\"\nclass = { name = \"quota\", resets_at = \"2026-11-16T00:46:40Z\" }", "quota", code(1)),
        ("do = \"fail\"\nclass = { name = \"context_full\" }", "context_full", code(1)),
        ("do = \"crash\"", "crash", Some(Exit::Signal { signal: 9 })),
        ("do = \"vanish\"", "crash", code(0)),
        ("do = \"hang\"", "crash", None),
    ] {
        let script = if script.is_empty() { String::new() } else { format!("[[step]]\n{script}") };
        assert_eq!(outcome(&script), (expected.to_owned(), exit), "{script}");
    }
}

#[test]
fn an_agent_cannot_say_that_it_is_gone() {
    let line = serde_json::to_string(&Event::Ended { exit: Exit::Code { code: 0 } }).unwrap();
    assert_eq!(Sim::default().reader().feed(line.as_bytes()), [Event::Raw { line }]);
}

#[test]
fn what_it_is_told_is_json() {
    let say = Say::Message { id: "u".to_owned(), text: "a\nb".to_owned() };
    let line = Sim::default().say(&say).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), json!({"say": "message", "id": "u", "text": "a\nb"}));
    assert!(!line.contains('\n'));
}

#[test]
fn failure_classes_are_written_in_scripts_by_name() {
    let script =
        Script::parse("[[step]]\ndo = \"retry\"\nattempt = 1\ndelay_ms = 5\nclass = { name = \"overloaded\" }");
    let class = FailureClass::Overloaded;
    assert_eq!(script.unwrap().steps, [Step::Retry { attempt: 1, delay_ms: 5, class }]);
}
