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

/// Words before a secret.
const BEFORE: [&str; 2] = ["bearer", "basic"];

/// The least length of a key that is known by its beginning.
const KEY_MIN: usize = 12;

/// Whether no shell acts on a character, in any position.
pub(crate) fn is_inert(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+' | '=' | ':' | '@' | '%' | ',')
}

/// What the run of characters after this one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Anything.
    Anything,
    /// A secret, behind blanks or quotes: `--password hunter2`.
    Secret,
    /// A secret, behind a quotation mark alone: `TOKEN="abc"`.
    Quoted,
}

/// Returns a command without what looks like a secret.
#[must_use]
pub fn without_secrets(command: &str) -> String {
    let mut shown = String::with_capacity(command.len());
    let mut next = Next::Anything;
    let mut rest = command;
    while !rest.is_empty() {
        let (between, behind) = rest.split_at(rest.find(is_inert).unwrap_or(rest.len()));
        let (run, behind) = behind.split_at(behind.find(|c| !is_inert(c)).unwrap_or(behind.len()));
        shown.push_str(between);
        let secret = match next {
            Next::Anything => false,
            Next::Secret => !between.is_empty() && between.chars().all(|c| matches!(c, ' ' | '\t' | '"' | '\'')),
            Next::Quoted => matches!(between, "\"" | "'"),
        };
        let told = announces(run);
        match secret && told == Next::Anything && !run.is_empty() {
            true => shown.push_str(CUT),
            false => shown.push_str(&cut(run)),
        }
        next = told;
        rest = behind;
    }
    shown
}

/// Returns what follows: `--password`, `Bearer`, `Api-Key:` and `TOKEN=` announce a secret.
fn announces(run: &str) -> Next {
    let plain = run.trim_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    let named = NAMES.iter().any(|name| plain.contains(name));
    let option = run.starts_with('-') && !run.contains('=');
    match run.chars().last() {
        _ if BEFORE.contains(&plain.as_str()) => Next::Secret,
        Some('=') if named => Next::Quoted,
        Some(':') if named => Next::Secret,
        _ if option && named => Next::Secret,
        _ => Next::Anything,
    }
}

/// Cuts the secret out of one run of characters.
fn cut(run: &str) -> String {
    if let Some((name, value)) = run.split_once(['=', ':'])
        && !value.is_empty()
        && !value.starts_with("//")
        && NAMES.iter().any(|secret| name.to_ascii_lowercase().contains(secret))
    {
        let sign = run.get(name.len()..=name.len()).unwrap_or_default();
        return format!("{name}{sign}{CUT}");
    }
    let run = without_login(run);
    match KEYS.iter().filter_map(|key| run.find(key)).min() {
        Some(at) if run.len() - at >= KEY_MIN => {
            let (before, key) = run.split_at(at);
            let after = key.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            format!("{before}{CUT}{after}")
        }
        Some(_) | None => run,
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
