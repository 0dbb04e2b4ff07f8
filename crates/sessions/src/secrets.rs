//! Cutting secrets out of what people are shown of a call: people must see what it does, not what it is let in with.

/// What stands where a secret was.
const CUT: &str = "[secret]";

/// What the name of a variable or an option holds whose value is a secret.
const NAMES: [&str; 7] = ["token", "secret", "passw", "apikey", "api_key", "api-key", "credential"];

/// How well-known keys begin.
const KEYS: [&str; 9] = ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA"];

/// What comes before a secret, as a word of its own.
const BEFORE: [&str; 2] = ["bearer", "basic"];

/// The least length of a key that is known by its beginning.
const KEY_MIN: usize = 12;

/// Returns the text without what looks like a secret.
pub(crate) fn without_secrets(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut expected = false;
    for word in text.split_inclusive(char::is_whitespace) {
        let bare = word.trim_end_matches(char::is_whitespace);
        let space = word.get(bare.len()..).unwrap_or_default();
        let announces = announces(bare);
        if expected && !bare.is_empty() && !announces {
            shown.push_str(&quoted(bare));
        } else {
            shown.push_str(&cut(bare));
        }
        shown.push_str(space);
        expected = announces || (expected && bare.is_empty());
    }
    shown
}

/// Tells whether the next word is a secret: `--password`, `Authorization: Bearer`.
fn announces(word: &str) -> bool {
    let plain = word.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    BEFORE.contains(&plain.as_str())
        || (word.starts_with('-') && !word.contains('=') && NAMES.iter().any(|name| plain.contains(name)))
}

/// Keeps the quotation mark that ends after the secret.
fn quoted(word: &str) -> String {
    let end: String = word.chars().rev().take_while(|c| matches!(c, '"' | '\'')).collect();
    format!("{CUT}{end}")
}

/// Cuts the secret out of one word.
fn cut(word: &str) -> String {
    if let Some((name, value)) = word.split_once(['=', ':'])
        && !value.is_empty()
        && !value.starts_with("//")
        && NAMES.iter().any(|secret| name.to_ascii_lowercase().contains(secret))
    {
        let sign = word.get(name.len()..=name.len()).unwrap_or_default();
        return format!("{name}{sign}{}", quoted(value));
    }
    let word = without_login(word);
    match KEYS.iter().filter_map(|key| word.find(key)).min() {
        Some(at) if word.len() - at >= KEY_MIN => {
            let (before, key) = word.split_at(at);
            let after = key.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            format!("{before}{CUT}{after}")
        }
        Some(_) | None => word,
    }
}

/// Cuts name and password out of an address.
fn without_login(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{CUT}@{host}{path}"),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_lets_somebody_in_is_cut_out_and_the_rest_stays() {
        let cases = [
            ("git push origin main", "git push origin main"),
            ("git push https://ann:pw@example.org/x.git", "git push https://[secret]@example.org/x.git"),
            ("GITHUB_TOKEN=abc gh pr create", "GITHUB_TOKEN=[secret] gh pr create"),
            ("curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer [secret]' x"),
            ("mysql --password  hunter2 -e q", "mysql --password  [secret] -e q"),
            ("tool --api-key=abc", "tool --api-key=[secret]"),
            ("echo sk-ant-0123456789abcdef.", "echo [secret]."),
            ("sk-ip", "sk-ip"),
            ("ls tokens/ https://example.org/a@b", "ls tokens/ https://example.org/a@b"),
        ];
        for (text, shown) in cases {
            assert_eq!(without_secrets(text), shown);
        }
    }

    proptest! {
        #[test]
        fn no_value_of_a_secret_variable_is_shown(before in "[a-z ]{0,9}", value in "[a-zA-Z0-9]{6,20}", after in "( [a-z]{1,5}){0,3}") {
            let shown = without_secrets(&format!("{before} DEPLOY_TOKEN=Q{value} run{after}"));
            let secret = format!("Q{value}");
            prop_assert!(!shown.contains(&secret), "{}", shown);
            prop_assert!(shown.ends_with(&format!(" run{after}")), "{}", shown);
        }
    }
}
