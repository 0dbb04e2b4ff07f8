//! Whether a script with its secrets cut out still shows all that the whole one does.
//!
//! Redaction cuts by how a text looks, a shell runs what it means: so both are parsed, and every word must be the same
//! but for secrets in places where no command has anything else.

use crate::script::{Script, Simple};

/// Stands for what looks like a secret.
pub(crate) const CUT: &str = "SECRET";

/// Stands for a secret that is known, wherever it is.
pub(crate) const KNOWN: &str = "KNOWN";

/// Words between the name of a header and its secret.
const SCHEMES: [&str; 2] = ["bearer", "basic"];

/// Where a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    /// The value of an assignment.
    Value,
    /// The argument of a command.
    Argument,
}

/// Whether a script certainly does what another one shows of it.
pub(crate) fn is_shown_by(whole: &str, shown: &str) -> bool {
    let (whole, shown) = (Script::of(whole), Script::of(shown));
    let certain = whole.unclear.is_none() && shown.unclear.is_none();
    certain
        && whole.targets == shown.targets
        && all(&whole.commands, &shown.commands, is_same_command)
        && all(&whole.others, &shown.others, |whole, shown| is_cut(whole, shown, Position::Value))
        && all(&whole.heredocs, &shown.heredocs, |whole, shown| {
            let [whole, shown] = [whole, shown].map(|text| text.split_whitespace().collect::<Vec<_>>());
            all(&whole, &shown, |whole, shown| is_cut(whole, shown, Position::Argument))
        })
}

fn all<T>(whole: &[T], shown: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    whole.len() == shown.len() && whole.iter().zip(shown).all(|(whole, shown)| same(whole, shown))
}

/// The program is never cut.
fn is_same_command(whole: &Simple, shown: &Simple) -> bool {
    whole.words.first() == shown.words.first()
        && all(&whole.words, &shown.words, |whole, shown| is_cut(&whole.text, &shown.text, Position::Argument))
}

/// Whether a word is the same as another one, but for secrets that were cut out of it.
fn is_cut(whole: &str, shown: &str, position: Position) -> bool {
    if whole == shown {
        return true;
    }
    let (mut rest, mut left, mut first) = (whole, shown, true);
    loop {
        let mark = [CUT, KNOWN].into_iter().filter_map(|mark| Some((left.find(mark)?, mark))).min();
        let Some((at, mark)) = mark else { return !first && rest.ends_with(left) };
        let (piece, behind) = left.split_at(at);
        let found = if first { rest.starts_with(piece).then_some(0) } else { rest.find(piece) };
        let Some(after) = found.and_then(|at| rest.get(at + piece.len()..)) else { return false };
        let behind = behind.strip_prefix(mark).unwrap_or_default();
        if mark == CUT && position == Position::Argument && !is_place_of_a_secret(piece, behind) {
            return false;
        }
        (rest, left, first) = (after, behind, false);
    }
}

/// Whether what is between two pieces of a word is the value of an assignment, the login of an address or the value of
/// a header.
fn is_place_of_a_secret(before: &str, after: &str) -> bool {
    if before.ends_with('=') || (before.ends_with("://") && after.starts_with('@')) {
        return true;
    }
    let Some((name, scheme)) = before.split_once(": ") else { return false };
    let scheme = scheme.trim().to_ascii_lowercase();
    let is_header = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    is_header && (scheme.is_empty() || SCHEMES.contains(&scheme.as_str())) && after.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_shown_by_one_with_the_same_words_but_for_places_of_secrets() {
        for (whole, shown) in [
            ("git push", "git push"),
            ("A=b gh pr create", "A=SECRET gh pr create"),
            ("env A=b gh pr create", "env A=SECRET gh pr create"),
            ("tool --token=b x", "tool --token=SECRET x"),
            ("git push https://a:b@c/d main", "git push https://SECRET@c/d main"),
            ("curl -H 'Authorization: Bearer a' x", "curl -H 'Authorization: Bearer SECRET' x"),
            ("tool --token hunter2", "tool --token KNOWN"),
            ("cat > k <<E\nA=b\nE", "cat > k <<E\nA=SECRET\nE"),
        ] {
            assert!(is_shown_by(whole, shown), "{whole:?} {shown:?}");
        }
        for (whole, shown) in [
            ("git push", "git pull"),
            ("git push origin basic --force", "git push origin basic SECRET"),
            ("git push origin my-token:main", "git push origin my-token:SECRET"),
            ("tool --token evil", "tool --token SECRET"),
            ("hunter2 x", "KNOWN x"),
            ("sh -c 'Authorization: Bearer evil'", "sh -c 'Authorization: Bearer SECRET'"),
            ("cat > a", "cat > SECRET"),
            ("cat <<E\nevil\nE", "cat <<E\nSECRET\nE"),
            ("echo a b", "echo SECRET"),
            ("A=b a c", "A=SECRET a d"),
            ("rm x", "ls x"),
            ("a; rm x", "a"),
            ("a $(rm x)", "a b"),
            ("sudo -u basic rm", "sudo -u basic SECRET"),
            ("$X", "$X"),
            ("a 'b", "a 'b"),
            ("/bin/rm x", "/opt/rm x"),
            ("sh -c 'rm x'", "sh -c 'ls x'"),
        ] {
            assert!(!is_shown_by(whole, shown), "{whole:?} {shown:?}");
        }
    }
}
