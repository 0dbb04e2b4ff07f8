//! What is cut out of commands, and what never is. The attacks are tried on the cut that was there before, too: it hid
//! every one of them.

use proptest::prelude::*;

use super::*;

/// The cut as it was: whole words between blanks.
mod before {
    use super::super::{BEFORE, CUT, NAMES};

    pub(super) fn without_secrets(text: &str) -> String {
        let (mut shown, mut expected) = (String::new(), false);
        for word in text.split_inclusive(char::is_whitespace) {
            let bare = word.trim_end_matches(char::is_whitespace);
            let plain = bare.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
            let named = |text: &str| NAMES.iter().any(|name| text.to_ascii_lowercase().contains(name));
            let announces =
                BEFORE.contains(&plain.as_str()) || (bare.starts_with('-') && !bare.contains('=') && named(&plain));
            match bare.split_once(['=', ':']) {
                _ if expected && !bare.is_empty() && !announces => shown.push_str(CUT),
                Some((name, value)) if !value.is_empty() && named(name) => shown.push_str(&format!("{name}={CUT}")),
                Some(_) | None => shown.push_str(bare),
            }
            shown.push_str(word.get(bare.len()..).unwrap_or_default());
            expected = announces || (expected && bare.is_empty());
        }
        shown
    }
}

#[test]
fn what_logs_in_is_cut_out_and_the_rest_stays() {
    let cases = [
        ("git push origin main", "git push origin main"),
        ("git push https://ann:pw@example.org/x.git", "git push https://[secret]@example.org/x.git"),
        ("GITHUB_TOKEN=abc gh pr create", "GITHUB_TOKEN=[secret] gh pr create"),
        ("GITHUB_TOKEN='abc' gh pr create", "GITHUB_TOKEN='[secret]' gh pr create"),
        ("A_TOKEN= run", "A_TOKEN= run"),
        ("curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer [secret]' x"),
        ("curl -H \"X-Api-Key: abc\" x", "curl -H \"X-Api-Key: [secret]\" x"),
        ("mysql --password  hunter2 -e q", "mysql --password  [secret] -e q"),
        ("tool --api-key=abc", "tool --api-key=[secret]"),
        ("curl https://x.example/?token=abc&y=1", "curl https://x.example/?token=[secret]&y=1"),
        ("echo sk-ant-0123456789abcdef.", "echo [secret]."),
        ("sk-ip", "sk-ip"),
        ("tool --token --verbose", "tool --token --verbose"),
        ("git push origin basic --force", "git push origin basic --force"),
        ("git commit -m 'Add basic support'", "git commit -m 'Add basic support'"),
        (r#"{"Authorization": "Bearer abc"}"#, r#"{"Authorization": "Bearer [secret]"}"#),
        ("ls tokens/ https://example.org/a@b", "ls tokens/ https://example.org/a@b"),
        ("tool --secret-name --token abc", "tool --secret-name --token [secret]"),
    ];
    for (text, shown) in cases {
        assert_eq!(without_secrets(text), shown);
    }
}

#[test]
fn a_cut_that_may_hide_more_than_a_secret_is_doubtful() {
    for (text, doubtful) in [
        ("ls", false),
        ("TOKEN=abc ls", false),
        ("TOKEN='abc' ls", false),
        ("TOKEN=a:b ls", true),
        ("a/token=b", true),
        ("tool --token abc", true),
        ("tool --token --force", false),
        ("my-token:main", true),
        ("curl -H 'X-Api-Key: abc'", false),
        ("curl X-Api-Key: abc", true),
        ("curl -H 'X-Api-Key: abc def'", true),
        ("curl -H 'Authorization: Bearer abc'", false),
        (r#"{"Authorization": "Bearer abc"}"#, false),
        ("https://a:b@c/d", false),
        ("OPENAI=sk-ant-0123456789abcdef", false),
        ("echo sk-ant-0123456789abcdef", true),
    ] {
        assert_eq!(cut_out(text).doubtful, doubtful, "{text}");
    }
}

/// A command, and what of it runs and must be shown.
const ATTACKS: &[(&str, &str)] = &[
    ("TOKEN=a;rm${IFS}-rf${IFS}/ ls", ";rm${IFS}-rf${IFS}/"),
    ("TOKEN=$(rm${IFS}x) ls", "$(rm${IFS}x)"),
    ("TOKEN=`rm${IFS}x` ls", "`rm${IFS}x`"),
    ("TOKEN=a|sh ls", "|sh"),
    ("TOKEN=a&&reboot ls", "&&reboot"),
    ("TOKEN=a>/etc/passwd ls", ">/etc/passwd"),
    ("TOKEN=a<(reboot) ls", "<(reboot)"),
    ("API_KEY=\"$(reboot)\" ls", "$(reboot)"),
    ("tool --token $(reboot)", "$(reboot)"),
    ("tool --token `reboot`", "`reboot`"),
    ("tool --token ;reboot", ";reboot"),
    ("tool --token a;reboot", ";reboot"),
    ("tool --token\nreboot", "\nreboot"),
    ("tool --password\n\nreboot", "\nreboot"),
    ("echo basic\nreboot", "\nreboot"),
    ("echo bearer;reboot", "reboot"),
    ("echo basic a|sh", "|sh"),
    ("echo basic >/etc/passwd", ">/etc/passwd"),
    ("x-secret:a;reboot", ";reboot"),
    ("credential=a$(reboot)b ls", "$(reboot)"),
];

#[test]
fn no_cut_hides_what_runs_and_the_cut_before_did() {
    for (command, runs) in ATTACKS {
        let shown = without_secrets(command);
        assert!(shown.contains(runs), "{command:?} is shown as {shown:?}");
    }
    let hid = |(command, runs): &&(&str, &str)| !before::without_secrets(command).contains(runs);
    let shown_before: Vec<_> = ATTACKS.iter().filter(|attack| !hid(attack)).collect();
    assert_eq!(shown_before, [&ATTACKS[15]], "`;` directly behind the word was shown");
}

/// All that a shell acts on, in order.
fn skeleton(text: &str) -> String {
    text.replace(CUT, "").chars().filter(|c| !is_inert(*c)).collect()
}

proptest! {
    #[test]
    fn whatever_a_shell_acts_on_stays_where_it_is(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "TOKEN=", "--token", "basic", "Bearer ", "api_key:", "abc123", "sk-ant-0123456789abcdef", "https://a:b@c/",
                "\n", ";", " ", "|", "&", "$(", ")", "`", "\"", "'", ">", "<", "\\", "rm", "-rf", "*", "#", "!", "{", "}",
            ]),
            0..20,
        ),
    ) {
        let text = words.concat();
        let shown = without_secrets(&text);
        prop_assert_eq!(skeleton(&shown), skeleton(&text), "{:?} is shown as {:?}", text, shown);
    }

    #[test]
    fn no_value_of_a_secret_variable_is_shown(
        before in "[a-z ]{0,9}", value in "[a-zA-Z0-9]{6,20}", quote in "['\"]?", after in "( [a-z]{1,5}){0,3}",
    ) {
        let shown = without_secrets(&format!("{before} DEPLOY_TOKEN={quote}Q{value}{quote} run{after}"));
        let secret = format!("Q{value}");
        prop_assert!(!shown.contains(&secret), "{}", shown);
        prop_assert!(shown.ends_with(&format!(" run{after}")), "{}", shown);
    }

    #[test]
    fn cutting_twice_cuts_no_more(text in "[a-z=:;$()|\n \"'-]{0,40}") {
        let once = without_secrets(&text);
        prop_assert_eq!(without_secrets(&once), once);
    }
}
