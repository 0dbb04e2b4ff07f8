use proptest::prelude::*;

use super::*;

/// Values of each shape that are not real secrets; put together here, so that no file has one.
fn samples() -> Vec<String> {
    let words = "aB3".repeat(20);
    let mut samples: Vec<String> =
        ["sk-", "sk-ant-api03-", "sk-proj-", "ghp_", "github_pat_", "glpat-", "npm_", "AIza", "xoxb-"]
            .iter()
            .map(|start| format!("{start}{words}"))
            .collect();
    samples.push(format!("AKIA{}", "Q3R5".repeat(4)));
    samples.push(["eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiJzY291dCJ9", "c2lnbmF0dXJl-_"].join("."));
    let (begin, end) = ("-----BEGIN RSA PRIVATE", "-----END RSA PRIVATE");
    samples.push(format!("{begin} KEY-----\nMIIEpAIB\nAAKC+/==\n{end} KEY-----"));
    samples
}

#[test]
fn every_shape_is_taken_out_of_prose_and_of_json() {
    let redactor = Redactor::default();
    for sample in samples() {
        let prose = format!("the key is {sample}, use it");
        assert_eq!(redactor.text(&prose), format!("the key is {REDACTED}, use it"));
        let json = serde_json::json!({ "text": format!("line\n{sample}\nline"), "more": [1, 2] }).to_string();
        let shown = redactor.text(&json);
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read["text"], format!("line\n{REDACTED}\nline"), "{shown}");
        assert_eq!(read["more"], serde_json::json!([1, 2]));
    }
}

#[test]
fn a_known_value_is_taken_out_wherever_it_stands() {
    let redactor = Redactor::new(["correct horse \"battery\"", "short", "hunter2-hunter2"]);
    assert_eq!(redactor.text("xhunter2-hunter2x short"), format!("x{REDACTED}x short"));
    let json = serde_json::json!({ "said": "it is correct horse \"battery\"" }).to_string();
    assert_eq!(redactor.text(&json), format!("{{\"said\":\"it is {REDACTED}\"}}"));
}

#[test]
fn words_that_only_look_alike_stay() {
    let redactor = Redactor::default();
    for text in [
        "task-1234567890123456789012 is done",
        "the desk-mounted-keyboard-tray-of-the-office",
        "sk-short1",
        "sk-is-the-beginning-of-many-keys-they-say",
        "AKIA",
        "eyJhbGciOiJIUzI1NiJ9 alone",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "npm_config_registry",
        "m-x7k2m s-abc12 /api/sessions/s-abc12",
    ] {
        assert!(matches!(redactor.text(text), Cow::Borrowed(same) if same == text), "{text}");
    }
}

#[test]
fn a_block_that_is_cut_off_is_taken_out_as_far_as_it_goes_and_no_further() {
    let redactor = Redactor::default();
    let text = format!("{{\"a\":\"-----BEGIN {} KEY-----\\nMIIEpAIB\",\"b\":1}}", "RSA PRIVATE");
    assert_eq!(redactor.text(&text), format!("{{\"a\":\"{REDACTED}\",\"b\":1}}"));
}

#[test]
fn names_tell_which_variables_hold_secrets() {
    for name in ["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "MY_SECRET", "aws_secret_access_key", "STRIPE_KEY"]
    {
        assert!(is_secret_name(name), "{name}");
    }
    for name in ["PATH", "HOME", "KEYBOARD", "SSH_KEY_PATH", "FLEET_TOKEN_FILE", "LANG"] {
        assert!(!is_secret_name(name), "{name}");
    }
}

proptest! {
    #[test]
    fn a_text_without_a_secret_stays_as_it_is(text in "[ -~\n]{0,200}") {
        let redactor = Redactor::new(["a value that is in no text ö"]);
        let begins = SHAPES.iter().any(|shape| text.contains(shape.start));
        prop_assume!(!begins);
        prop_assert!(matches!(redactor.text(&text), Cow::Borrowed(same) if same == text));
    }

    #[test]
    fn whatever_comes_redacting_twice_changes_nothing_more(text in "(sk-|ghp_|eyJ|\\.|-----BEGIN |[a-z0-9 ]){0,60}") {
        let redactor = Redactor::default();
        let once = redactor.text(&text).into_owned();
        prop_assert_eq!(redactor.text(&once).into_owned(), once);
    }

    #[test]
    fn no_known_value_is_left(values in prop::collection::vec("[a-z]{8,12}", 1..5), text in "[a-z ]{0,80}") {
        let redactor = Redactor::new(values.clone());
        let text = format!("{text}{}{text}", values.concat());
        let shown = redactor.text(&text).into_owned();
        // What is put in the place of one may complete another.
        let pieces: Vec<&str> = shown.split(REDACTED).collect();
        for value in &values {
            prop_assert!(pieces.iter().all(|piece| !piece.contains(value.as_str())), "{}", shown);
        }
    }
}

#[test]
fn the_time_it_takes_grows_with_the_text_and_not_faster() {
    let redactor = Redactor::default();
    // Each of these begins a shape at every step; read again from each of them, a million would take hours.
    for step in ["sk-", "eyJ", "eyJaaaaaaaa.", "-----BEGIN ", "-----BEGIN RSA ", "AKIA "] {
        let text = step.repeat((1 << 20) / step.len());
        let _ = redactor.text(&text);
    }
}
