//! Secrets in a command that a person is shown: what it does stays, what it logs in with goes.
//!
//! Only characters that no shell acts on are ever cut: letters, digits and a few signs. Quotes, blanks, line breaks,
//! `;`, `|`, `&`, `$`, backticks, brackets and redirections stay where they are, so a cut never hides a command.

/// The text in place of a secret.
pub const CUT: &str = "[secret]";

/// What the name of a variable or an option contains whose value is a secret.
const NAMES: [&str; 7] = ["token", "secret", "passw", "apikey", "api_key", "api-key", "credential"];

/// How well-known keys begin.
const KEYS: [&str; 9] = ["sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA"];

/// Words before the secret of a header.
const BEFORE: [&str; 2] = ["bearer", "basic"];

/// The least length of a key that is known by its beginning.
const KEY_MIN: usize = 12;

/// Whether no shell acts on a character, in any position.
pub(crate) fn is_inert(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '=' | ':' | '@' | '%' | ',')
}

/// A command, or what a tool is called with, as a person is shown it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The text with [`CUT`] in place of secrets.
    pub text: String,
    /// Whether something was cut that may be no secret: not the value of an assignment, the login of an address or the
    /// value of a header. A branch behind `--token` looks like one.
    pub doubtful: bool,
}

/// What the run of characters after this one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Anything.
    Anything,
    /// The argument of an option, behind blanks or quotes: `--password hunter2`.
    Argument,
    /// The value of a header, behind blanks or quotes, and the quotation mark that the header began with.
    Header(Option<char>),
    /// A value, behind a quotation mark alone: `TOKEN="abc"`; and whether the name is one of a variable or an option.
    Quoted { named: bool },
}

/// Returns a command without what looks like a secret.
#[must_use]
pub fn without_secrets(command: &str) -> String {
    cut_out(command).text
}

/// Cuts what looks like a secret out of a command, and judges the cuts.
pub(crate) fn cut_out(command: &str) -> Shown {
    let mut shown = Shown { text: String::with_capacity(command.len()), doubtful: false };
    let mut next = Next::Anything;
    // The quotation mark before a run that ended with a colon, as the name of a header does.
    let mut colon = None;
    let mut rest = command;
    while !rest.is_empty() {
        let (between, behind) = rest.split_at(rest.find(is_inert).unwrap_or(rest.len()));
        let (run, behind) = behind.split_at(behind.find(|c| !is_inert(c)).unwrap_or(behind.len()));
        shown.text.push_str(between);
        let announced = announces(run, between, colon);
        let (cut, doubtful) = match next {
            _ if run.is_empty() || announced != Next::Anything => cut(run),
            // An option is never the argument of another one.
            Next::Argument if is_gap(between) && !run.starts_with('-') => (CUT.to_owned(), true),
            Next::Header(quote) if is_gap(between) && !run.starts_with('-') => {
                let is_whole = quote.is_some_and(|quote| behind.starts_with(quote)) && !between.contains(['"', '\'']);
                (CUT.to_owned(), !is_whole)
            }
            Next::Quoted { named } if matches!(between, "\"" | "'") => (CUT.to_owned(), !named || run.contains(':')),
            Next::Anything | Next::Argument | Next::Header(_) | Next::Quoted { .. } => cut(run),
        };
        shown.text.push_str(&cut);
        shown.doubtful |= doubtful;
        colon = run.ends_with(':').then(|| quote_before(between));
        next = announced;
        rest = behind;
    }
    shown
}

/// Whether only blanks and quotes are between two runs.
fn is_gap(between: &str) -> bool {
    !between.is_empty() && between.chars().all(|c| matches!(c, ' ' | '\t' | '"' | '\''))
}

fn quote_before(between: &str) -> Option<char> {
    between.chars().last().filter(|c| matches!(c, '"' | '\''))
}

/// Returns what follows: `--password`, `Authorization: Bearer`, `Api-Key:` and `TOKEN=` announce a secret.
fn announces(run: &str, between: &str, colon: Option<Option<char>>) -> Next {
    let plain = run.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    let named = NAMES.iter().any(|name| plain.contains(name));
    let option = run.starts_with('-') && !run.contains('=');
    if BEFORE.contains(&plain.as_str()) {
        // In a sentence, or as the name of a branch, it announces nothing.
        let in_json = between.contains(':') && between.chars().all(|c| matches!(c, ' ' | ':' | '"' | '\'' | '\\'));
        return match colon {
            Some(quote) if is_gap(between) => Next::Header(quote),
            Some(_) | None if in_json => Next::Header(quote_before(between)),
            Some(_) | None => Next::Anything,
        };
    }
    match run.chars().last() {
        Some('=') if named => Next::Quoted { named: is_name(run.trim_end_matches('=')) },
        Some(':') if named => Next::Header(quote_before(between)),
        _ if option && named => Next::Argument,
        _ => Next::Anything,
    }
}

/// Whether a text is the name of a variable or of an option.
fn is_name(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Cuts the secret out of one run of characters, and returns whether that may be something else.
fn cut(run: &str) -> (String, bool) {
    if let Some((name, value)) = run.split_once(['=', ':'])
        && !value.is_empty()
        && !value.starts_with("//")
        && NAMES.iter().any(|secret| name.to_ascii_lowercase().contains(secret))
    {
        let sign = run.get(name.len()..=name.len()).unwrap_or_default();
        // What git pushes to is behind a colon.
        let is_assignment = sign == "=" && is_name(name) && !value.contains(':');
        return (format!("{name}{sign}{CUT}"), !is_assignment);
    }
    let run = without_login(run);
    match KEYS.iter().filter_map(|key| run.find(key)).min() {
        Some(at) if run.len() - at >= KEY_MIN => {
            let (before, key) = run.split_at(at);
            let after = key.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            let is_assignment = before.strip_suffix('=').is_some_and(is_name);
            (format!("{before}{CUT}{after}"), !is_assignment)
        }
        Some(_) | None => (run, false),
    }
}

/// Cuts name and password out of an address.
fn without_login(run: &str) -> String {
    let Some((scheme, rest)) = run.split_once("://") else { return run.to_owned() };
    let end = rest.find('/').unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    match host.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://{CUT}@{host}{path}"),
        None => run.to_owned(),
    }
}

#[cfg(test)]
#[path = "command_tests.rs"]
mod tests;
