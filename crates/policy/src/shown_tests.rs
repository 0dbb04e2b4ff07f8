//! What a person is shown of a call, and what cannot be approved. Every attack has a control: the same call without
//! the trick can be approved.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::Dialect;

fn bash(command: &str) -> Call {
    Call::of(Dialect::Claude, "Bash", &json!({ "command": command }))
}

/// As sessions take secrets out.
fn redact(text: &str) -> Redacted {
    let redact::Shown { text, doubtful } = redact::Redactor::new(["hunter2-hunter2"]).command(text);
    Redacted { text, doubtful }
}

fn shown(command: &str) -> WantedCall {
    let call = bash(command);
    wanted(&call, &call.key(), redact)
}

#[test]
fn a_call_is_shown_whole_without_what_logs_in() {
    for (command, expected) in [
        ("git push origin main", "git push origin main"),
        ("GITHUB_TOKEN=abc gh pr create", "GITHUB_TOKEN=[secret] gh pr create"),
        ("curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer [secret]' x"),
        ("tool --token hunter2-hunter2; ls", "tool --token [redacted]; ls"),
        ("tool --token=abc; ls", "tool --token=[secret]; ls"),
        ("git push https://ann:pw@example.org/x", "git push https://[secret]@example.org/x"),
        ("git commit -m 'Add basic support'", "git commit -m 'Add basic support'"),
        ("git push origin basic --force", "git push origin basic --force"),
        ("find . -name basic -delete", "find . -name basic -delete"),
        ("tool --token --force", "tool --token --force"),
        ("rm [secret]", "rm [secret]"),
        ("echo hunter2-hunter2", "echo [redacted]"),
        ("a &&\n\tb", "a &&\n\tb"),
        ("$X", "$X"),
    ] {
        let shown = shown(command);
        assert_eq!((shown.command.as_deref(), shown.hidden), (Some(expected), None), "{command}");
    }
}

#[test]
fn a_call_whose_secret_may_be_something_else_cannot_be_approved() {
    for (attack, control) in [
        ("TOKEN=/tmp/evil; $TOKEN", "TOKEN=/tmp/evil; ls"),
        ("TOKEN=evil; eval $TOKEN", "TOKEN=evil; eval ls"),
        ("echo hunter2-hunter2 | sh", "echo hunter2-hunter2 | cat"),
        ("git push origin my-token:main", "git push origin my-branch:main"),
        ("git push origin my-token=x:main", "make my-token=x"),
        ("git push origin --token main", "git push origin --tags main"),
        ("git push origin sk-evil-branch-of-mine", "git push origin evil-branch-of-mine"),
        ("git push token: main", "git push 'token: main'"),
        ("bash -c 'tool --token evil'", "bash -c 'tool --token=evil'"),
        ("bash -c 'Authorization: Bearer evil'", "curl -H 'Authorization: Bearer evil' x"),
        ("for x in --token evil; do git push $x; done", "for x in --toke evil; do git push $x; done"),
        ("cat > --token evil", "cat > --toke evil"),
        ("TOKEN=a rm [secret]", "TOKEN=a rm [x]"),
        ("hunter2-hunter2 a", "echo hunter2-hunter2 a"),
    ] {
        assert!(shown(attack).hidden.is_some(), "{attack}: {:?}", shown(attack));
        assert_eq!(shown(control).hidden, None, "{control}: {:?}", shown(control));
    }
}

#[test]
fn words_that_looked_like_secrets_are_shown_and_can_be_approved() {
    for command in [
        "sudo -u basic evil",
        "nice -n basic evil",
        "timeout -s basic 9 evil",
        "bash -c 'sudo -u basic evil'",
        "for x in basic evil; do git push origin $x; done",
    ] {
        let shown = shown(command);
        assert_eq!((shown.command.as_deref(), shown.hidden), (Some(command), None));
    }
}

#[test]
fn a_tool_whose_input_hides_more_than_a_secret_cannot_be_approved() {
    for (attack, control) in [
        (json!({"args": "push origin --token main"}), json!({"args": "push origin --tags main"})),
        (json!({"args": ["push", "my-token:main"]}), json!({"args": ["push", "my-branch:main"]})),
        (json!({"branch": "sk-evil-branch-of-mine"}), json!({"branch": "hunter2-hunter2"})),
        (json!({"a": "TOKEN=b", "c": "[secret]"}), json!({"a": "TOKEN=b", "c": "[x]"})),
        (json!({"text": "push token: main now"}), json!({"header": "Authorization: Bearer main"})),
    ] {
        let hidden = |input: &Value| {
            let call = Call::of(Dialect::Claude, "mcp__ops__run", input);
            wanted(&call, &call.key(), redact).hidden
        };
        assert!(hidden(&attack).is_some(), "{attack}");
        assert_eq!(hidden(&control), None, "{control}");
    }
}

#[test]
fn a_call_with_invisible_characters_cannot_be_approved() {
    for sign in ["\r", "\u{1b}[2K", "\u{8}", "\u{202e}", "\u{200b}", "\u{2066}", "\u{feff}"] {
        let attack = shown(&format!("git status{sign}"));
        assert!(attack.hidden.is_some_and(|why| why.contains("U+")), "{sign:?}");
    }
    assert_eq!(shown("git status ä").hidden, None);
}

#[test]
fn a_call_that_is_too_long_or_is_not_what_is_approved_cannot_be_approved() {
    let long = |length: usize| format!("echo {}", "a".repeat(length - 5));
    assert_eq!(shown(&long(COMMAND_KEPT - 1)).hidden, None);
    assert!(shown(&long(COMMAND_KEPT)).hidden.is_some());
    let other = wanted(&bash("git status"), &bash("git push --force").key(), redact);
    assert_eq!(other.hidden.as_deref(), Some("what is shown is not the call that would be made"));
    let paths: Vec<String> = (0..21).map(|number| format!("/repo/{number}")).collect();
    let read = |paths: &[String]| Call::of(Dialect::Claude, "Read", &json!({ "paths": paths }));
    let shown = |call: Call| wanted(&call, &call.key(), redact).hidden;
    assert!(shown(read(&paths)).is_some());
    assert_eq!(shown(read(&paths[..20])), None);
    assert!(wanted(&read(&paths[..20]), &read(&paths[..19]).key(), redact).hidden.is_some());
}

#[test]
fn a_call_that_a_journal_keeps_is_known_by_the_same_key() {
    for length in [10, 3000, COMMAND_KEPT - 1] {
        let call = bash(&"a".repeat(length));
        assert_eq!(call.shortened().key(), call.key(), "{length}");
        assert_eq!(wanted(&call.shortened(), &call.key(), redact).hidden, None, "{length}");
    }
    let cut = bash(&"a".repeat(COMMAND_KEPT + 1)).shortened();
    assert!(cut.command.as_ref().is_some_and(|command| command.chars().count() < COMMAND_KEPT + 40));
}

#[test]
fn the_summary_is_one_line_that_shows_where_lines_and_the_text_end() {
    assert_eq!(shown("ls\nrm -rf x").summary, "Bash: ls ⏎ rm -rf x");
    assert!(shown(&"a".repeat(600)).summary.ends_with("aaa…"));
    let todo = Call::of(Dialect::Claude, "TodoWrite", &json!({}));
    assert_eq!(wanted(&todo, "", redact).summary, "TodoWrite");
}

proptest! {
    #[test]
    fn what_can_be_approved_runs_what_is_shown(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "TOKEN=", "--token", "basic", "a1", "evil", "\n", ";", " ", " ", "|", "$(", ")", "`", "\"", "'", "$TOKEN", "sudo",
            ]),
            0..14,
        ),
    ) {
        let command = words.concat();
        let shown = shown(&command);
        prop_assume!(shown.hidden.is_none());
        let text = shown.command.unwrap();
        if text != command {
            let text = text.replace("[secret]", CUT).replace("[redacted]", KNOWN);
            prop_assert!(is_shown_by(&command, &text), "{} {}", command, text);
        }
    }
}

#[test]
fn what_a_call_is_made_with_is_shown_whole_or_it_cannot_be_approved() {
    let made = |tool: &str, input: Value| {
        let call = Call::of(Dialect::Codex, tool, &input);
        wanted(&call, &call.key(), redact)
    };
    let plain = made("Bash", json!({"command": "git push", "description": "Push it"}));
    assert_eq!((plain.input, plain.hidden), (None, None));
    // The same command in another folder is not the same to the person who approves it.
    let elsewhere = made("shell", json!({"command": ["bash", "-lc", "git push"], "workdir": "/srv/other"}));
    assert_eq!(elsewhere.command.as_deref(), Some("git push"));
    assert_eq!(elsewhere.input.as_deref(), Some(r#"{"workdir":"/srv/other"}"#));
    let deploy =
        made("mcp__ops__deploy", json!({"target": "production", "key": "hunter2-hunter2", "sign": "a\u{202e}b"}));
    let shown = deploy.input.unwrap();
    assert!(shown.contains(r#""target":"production""#) && shown.contains("u202e"), "{shown}");
    assert!(!shown.contains("hunter2") && deploy.hidden.is_none());
    let long = made("Write", json!({"file_path": "a.txt", "content": "x".repeat(20_000)}));
    assert!(long.hidden.is_some_and(|why| why.contains("longer than")) && long.input.unwrap().len() < 17_000);
}
