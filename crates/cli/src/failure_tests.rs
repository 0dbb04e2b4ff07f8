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
