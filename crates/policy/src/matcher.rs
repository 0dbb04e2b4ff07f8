//! Patterns of rules, made ready to be held against texts.
//!
//! Everything is linear in the text: globs become regular expressions, which the engine matches without going back.

use regex::{Regex, RegexBuilder};
use types::Pattern;

/// Bytes that a compiled pattern may take; a person writes no larger one.
const COMPILED_MAX: usize = 1 << 20;

/// Groups within groups that a pattern may have.
const NESTING_MAX: u32 = 50;

/// What the text is, which decides what a `*` does not go past.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A tool or a host: `*` is anything.
    Text,
    /// A command: `*` is anything, and behind a blank at the end also nothing.
    Command,
    /// A path: `*` ends at a `/`, `**` does not.
    Path,
}

/// Makes a pattern ready.
pub(crate) fn compile(pattern: &Pattern, kind: Kind) -> Result<Regex, String> {
    let text = match pattern {
        Pattern::Regex(text) => text.clone(),
        Pattern::Glob(text) => glob(text, kind),
    };
    let built = RegexBuilder::new(&text).size_limit(COMPILED_MAX).nest_limit(NESTING_MAX).build();
    built.map_err(|error| {
        if matches!(error, regex::Error::CompiledTooBig(_)) {
            return "it is too large once it is unfolded".to_owned();
        }
        // The message of the engine draws an arrow below the place; the last line says what is wrong.
        place(&error.to_string())
    })
}

/// Says in one line what is wrong, and at which character.
fn place(message: &str) -> String {
    let arrow = message.lines().find(|line| !line.trim().is_empty() && line.trim().chars().all(|c| c == '^'));
    let column = arrow.and_then(|line| line.find('^')).map(|column| column.saturating_sub(3));
    let what = message.lines().last().unwrap_or_default().trim();
    let what = what.strip_prefix("error: ").unwrap_or(what);
    match column {
        Some(column) => format!("{what}, at character {column}"),
        None => what.to_owned(),
    }
}

/// Writes a glob as a regular expression for the whole text.
fn glob(text: &str, kind: Kind) -> String {
    let mut written = String::from(r"(?s)\A");
    let (text, end) = match (kind, text.strip_suffix(" *")) {
        (Kind::Command, Some(begin)) => (begin, r"(?: .*)?\z"),
        (Kind::Command | Kind::Text | Kind::Path, _) => (text, r"\z"),
    };
    let mut rest = text.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '*' if kind == Kind::Path && rest.next_if_eq(&'*').is_some() => {
                // `**/x` is also `x` itself.
                let folders = rest.next_if_eq(&'/').is_some();
                written.push_str(if folders { "(?:.*/)?" } else { ".*" });
            }
            '*' if kind == Kind::Path => written.push_str("[^/]*"),
            '*' => written.push_str(".*"),
            '?' => written.push('.'),
            other => written.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    written.push_str(end);
    written
}

/// Holds a word against one in which `*` stands for anything.
pub(crate) fn word_fits(pattern: &str, word: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(first) = pieces.next() else { return word.is_empty() };
    let Some(mut rest) = word.strip_prefix(first) else { return false };
    let Some(last) = pieces.next_back() else { return rest.is_empty() };
    for piece in pieces {
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    rest.ends_with(last)
}
