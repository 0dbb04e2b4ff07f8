use super::*;
use crate::{Conversation, McpServer, McpTransport};

fn brief() -> Brief {
    let demo = McpTransport::Stdio { command: "demo".to_owned(), args: vec![], env: Default::default() };
    Brief {
        prompt: "go".to_owned(),
        cwd: "/repo".into(),
        program: "/bin/fleet".into(),
        private_dir: Some("/private".into()),
        mcp: vec![McpServer { name: "demo".to_owned(), transport: demo }],
        ..Brief::default()
    }
}

fn all() -> [Bridged; 4] {
    let setup = Setup { model: Some("m".to_owned()), ..Setup::default() };
    let other = Setup { binary: Some("/bin/other".to_owned()), args: vec!["--acp".to_owned()], ..Setup::default() };
    [
        Bridged::codex(setup.clone()),
        Bridged::gemini(setup.clone()),
        Bridged::opencode(setup),
        Bridged::acp("other", other),
    ]
}

#[test]
fn every_agent_is_started_behind_the_bridge() {
    for adapter in all() {
        insta::assert_json_snapshot!(adapter.name().to_owned(), adapter.launch(&brief()).unwrap());
    }
}

#[test]
fn without_a_place_for_its_fence_none_is_started() {
    for adapter in all() {
        let nowhere = Brief { private_dir: None, ..brief() };
        assert!(matches!(adapter.launch(&nowhere), Err(LaunchError::Incapable { .. })), "{adapter:?}");
    }
}

#[test]
fn nobody_switches_off_what_is_asked_about() {
    let setup = Setup { args: vec!["--yolo".to_owned()], ..Setup::default() };
    for adapter in [Bridged::codex(setup.clone()), Bridged::gemini(setup.clone()), Bridged::acp("other", setup)] {
        assert!(matches!(adapter.launch(&brief()), Err(LaunchError::Bypass { .. })), "{adapter:?}");
    }
}

#[test]
fn an_agent_that_is_asked_nothing_waits_to_be_told() {
    for adapter in all() {
        let idle = Brief { prompt: String::new(), ..brief() };
        assert!(adapter.launch(&idle).is_ok(), "{adapter:?}");
        assert!(adapter.capabilities().live_input);
        assert_eq!(adapter.say(&Say::Interrupt { id: "i".to_owned() }).unwrap(), r#"{"say":"interrupt","id":"i"}"#);
    }
}

#[test]
fn a_conversation_of_gemini_is_not_taken_up_in_the_minute_in_which_it_was_begun() {
    let brief = Brief { conversation: Conversation::Resume { session: "s".to_owned() }, ..brief() };
    for adapter in all() {
        let opening = adapter.launch(&brief).unwrap().opening.remove(0);
        assert_eq!(opening.contains("next_minute"), adapter.name() == "gemini", "{opening}");
        let rested = Brief { rested_secs: Some(60), ..brief.clone() };
        assert!(!adapter.launch(&rested).unwrap().opening.remove(0).contains("next_minute"));
    }
}
