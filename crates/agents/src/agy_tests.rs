use types::Limits;

use super::*;
use crate::{Account, McpServer, McpTransport, Meter, Outcome, judge_by};

fn brief() -> Brief {
    Brief {
        prompt: "--help\nand more".to_owned(),
        cwd: "/srv/tree".into(),
        limits: Limits::default(),
        ..Brief::default()
    }
}

#[test]
fn its_command_line_is_the_contracts_and_the_bypass_is_only_for_full_access() {
    let argv = |access| Agy::default().launch(&Brief { access, ..brief() }).unwrap().argv;
    assert_eq!(argv(Access::Workspace), ["agy", "-p", "--help\nand more"]);
    assert_eq!(argv(Access::Full), ["agy", "-p", "--help\nand more", "--dangerously-skip-permissions"]);
}

#[test]
fn what_it_cannot_do_is_refused() {
    let transport = McpTransport::Http { url: String::new(), headers: std::collections::BTreeMap::new() };
    for brief in [
        Brief { prompt: String::new(), ..brief() },
        Brief { conversation: Conversation::Resume { session: "x".to_owned() }, ..brief() },
        Brief { mcp: vec![McpServer { name: "x".to_owned(), transport }], ..brief() },
    ] {
        assert!(matches!(Agy::default().launch(&brief), Err(LaunchError::Incapable { .. })));
    }
}

/// What follows from a process that wrote these lines.
fn outcome(lines: &[&str], exit: Exit) -> Outcome {
    let (mut reader, mut account) = (Agy::default().reader(), Account::new(Meter::new()));
    for event in lines.iter().flat_map(|line| reader.feed(line.as_bytes())) {
        account.read(&event);
    }
    judge_by(&Agy::default(), &account, exit, None, "")
}

#[test]
fn words_are_text_and_what_it_returns_decides() {
    let said = Agy::default().reader().feed(b"All done.");
    assert_eq!(said, [Event::Text { text: "All done.".to_owned(), within: None }]);
    assert!(matches!(outcome(&["All done."], Exit::Code { code: 0 }), Outcome::Succeeded { .. }));
    for exit in [Exit::Code { code: 1 }, Exit::Unseen, Exit::Signal { signal: 9 }] {
        assert!(matches!(outcome(&["All done."], exit), Outcome::Failed { class: FailureClass::Crash, .. }));
    }
}

#[test]
fn a_result_like_that_of_claude_code_beats_what_it_returns() {
    let failed =
        r#"{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","api_error_status":429}"#;
    let outcome = outcome(&[failed], Exit::Code { code: 0 });
    assert!(matches!(outcome, Outcome::Failed { class: FailureClass::RateLimit, .. }), "{outcome:?}");
}
