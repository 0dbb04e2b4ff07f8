//! How failures read.

use insta::assert_snapshot;

use super::*;

#[test]
fn an_error_is_followed_by_its_hints_and_its_code() {
    let error = api::Error::new(Code::MISSION_HELD, "cannot delete mission `m-x7k2m`: agent `scout` works on it")
        .hint("Wait until it is done: `fleet mission show m-x7k2m`.")
        .hint("Or cancel it first.");
    assert_snapshot!(Failure::from(error).render(Style::Plain), @r"
    error: cannot delete mission `m-x7k2m`: agent `scout` works on it
      hint: Wait until it is done: `fleet mission show m-x7k2m`.
      hint: Or cancel it first.
      code: MISSION_HELD (fleet explain MISSION_HELD)
    ");
}

#[test]
fn colours_are_used_only_where_they_are_asked_for() {
    let failure = Failure::new(Kind::Invalid, "cannot do it").hint("Do not.");
    assert_eq!(failure.render(Style::Plain), "error: cannot do it\n  hint: Do not.\n");
    assert_eq!(
        failure.render(Style::Coloured),
        "\x1b[1;31merror:\x1b[0m cannot do it\n  \x1b[2mhint:\x1b[0m Do not.\n"
    );
}

#[test]
fn the_kind_of_an_error_is_what_the_process_ends_with() {
    let exit = |code| Failure::from(api::Error::new(code, "x")).exit_code();
    assert_eq!([Code::FIELDS_INVALID, Code::MISSION_NOT_FOUND, Code::SERVER_UNREACHABLE].map(exit), [2, 5, 8]);
}

#[test]
fn a_reader_that_has_had_enough_is_no_error() {
    assert_eq!((Failure::ReaderGone.exit_code(), Failure::ReaderGone.render(Style::Plain).as_str()), (0, ""));
}

#[test]
fn a_failure_of_the_settings_says_why_below_what() {
    let source = io::Error::from(io::ErrorKind::PermissionDenied);
    let failure = Failure::from(config::Error::Read { path: "/etc/x".into(), source });
    assert_eq!(failure, Failure::new(Kind::Internal, "cannot read `/etc/x`: permission denied"));
    let mistyped = config::Error::UnknownKey { key: "prot".to_owned(), suggestion: Some("port") };
    assert_eq!(Failure::from(mistyped).exit_code(), 2);
}

#[test]
fn what_an_agent_wrote_commands_no_terminal_by_an_error() {
    let evil = Failure::new(Kind::Invalid, "no branch `\u{1b}[2J\u{9b}31m`\n").hint("Remove `\u{1b}]0;title\u{7}`.");
    let shown = evil.render(Style::Plain);
    assert!(shown.chars().all(|letter| letter == '\n' || !letter.is_control()), "{shown:?}");
    // The control: without it the sequences are there.
    let Failure::Refused { message, .. } = &evil else { panic!("{evil:?}") };
    assert!(message.contains('\u{1b}'));
}

#[test]
fn json_of_an_agent_commands_no_terminal_and_means_the_same() {
    let value = serde_json::json!({ "title": "a\u{9b}2J\u{7f}\u{1b}[2Jb" });
    assert!(value.to_string().contains('\u{9b}'), "JSON itself leaves it as it is");
    let text = crate::terminal::escaped(&value.to_string());
    assert!(!text.chars().any(char::is_control), "{text:?}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
}
