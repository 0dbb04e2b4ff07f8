use proptest::prelude::*;

use super::*;

fn plain(command: &str) -> Vec<Vec<String>> {
    let parts = parts(command).unwrap_or_else(|odd| panic!("{command}: {odd}"));
    parts.into_iter().map(|part| part.words.into_iter().map(|word| word.text).collect()).collect()
}

#[test]
fn commands_are_told_apart_however_they_are_joined() {
    for joined in
        ["a b;c", "a b&&c", "a b || c", "a b|c", "a b |& c", "a b & c", "a b\nc", "a b &&\n\n c;", "a b\\\n ; c"]
    {
        assert_eq!(plain(joined), [vec!["a", "b"], vec!["c"]], "{joined:?}");
    }
}

#[test]
fn quotes_are_no_part_of_a_word() {
    assert_eq!(plain(r#"git 'a b'"c d"\ e"#), [["git", "a bc d e"]]);
    assert_eq!(plain(r#"echo '$(x) `y` #' "\$a \"b\"""#), [["echo", "$(x) `y` #", "$a \"b\""]]);
    assert_eq!(plain("git log a#b ''"), [["git", "log", "a#b", ""]]);
    assert_eq!(plain("git diff HEAD@{1}..HEAD@{0}"), [["git", "diff", "HEAD@{1}..HEAD@{0}"]]);
}

#[test]
fn what_goes_nowhere_is_no_redirection() {
    for quiet in ["a 2>&1", "a >/dev/null", "a 2> /dev/null", "a &>/dev/null", "a >>/dev/null 2>&1", "a 1>&2"] {
        assert_eq!(plain(quiet), [["a"]], "{quiet}");
    }
}

#[test]
fn what_a_shell_would_change_is_refused() {
    let odd = [
        "a $(b)",
        "a `b`",
        "a \"$(b)\"",
        "a $x",
        "a ${x}",
        "a $'b'",
        "a <(b)",
        "a >(b)",
        "a <b",
        "a <<E",
        "a > b",
        "a >> b",
        "a >| b",
        "a 2>b",
        "a &> b",
        "a >&b",
        "a 2>&1x",
        "(a)",
        "{ a; }",
        "a {b,c}",
        "a {1..3}",
        "a {x{y},z}",
        "a # it's\nb\n'",
        "a 'b",
        "a \"b",
        "a \\",
        "a && ",
        "; a",
        "a ;; b",
        "a | | b",
        "a \u{1b}[0m",
        "a\rb",
        "a >/dev/null/../x",
        "a >\"/dev/null\"x",
    ];
    for command in odd {
        assert!(parts(command).is_err(), "{command:?}: {:?}", parts(command));
    }
}

proptest! {
    #[test]
    fn any_text_is_taken_apart_or_refused(text in ".{0,60}", more in "[ab'\"\\\\ $`;&|<>(){}#=,.\n-]{0,40}") {
        for text in [text, more] {
            let _ = parts(&text);
        }
    }

    #[test]
    fn words_in_single_quotes_come_out_as_they_went_in(words in prop::collection::vec("[^'\\p{C}]{0,12}", 1..6)) {
        let command = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        prop_assert_eq!(plain(&command), vec![words]);
    }
}
