//! What a pattern with a `*` does not cover, though it begins with the right words.
//!
//! A pattern such as `Bash(git diff *)` covers what `git diff` is known for. Options that run another program or
//! write to a file, names that lie outside the folder, and words that a shell turns into something else are not that.

use std::path::Path;

use types::Access;

use crate::git_words;
use crate::paths::{self, Reach};
use crate::shell::{Part, Word, is_assignment};

/// Variables that change nothing but what is shown.
const HARMLESS: [&str; 5] = ["CI", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "RUST_BACKTRACE"];

/// Long options, of git and of others, that run a program or write to a file. Programs take them shortened, too.
const OPTIONS: [&str; 17] = [
    "checkpoint-action",
    "compress-program",
    "config",
    "exec",
    "ext-diff",
    "extcmd",
    "interactive",
    "open-files-in-pager",
    "output",
    "output-directory",
    "receive-pack",
    "separate-git-dir",
    "template",
    "to-command",
    "unsafe-paths",
    "upload-pack",
    "use-compress-program",
];

/// Options of `find` that run a program, write or remove something.
const FIND: [&str; 10] =
    ["-delete", "-exec", "-execdir", "-files0-from", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir"];

/// Drops what is set in front of a command; refuses what may change its behaviour.
pub(crate) fn command(part: &Part) -> Result<&[Word], String> {
    let mut words = part.words.as_slice();
    while let [first, rest @ ..] = words
        && is_assignment(&first.text)
    {
        let name = first.text.split('=').next().unwrap_or_default();
        if !HARMLESS.contains(&name) {
            return Err(format!("`{name}` is set in front of it, which may change what it does"));
        }
        words = rest;
    }
    Ok(words)
}

/// Says why words that a `*` stands for are not covered by it; nothing, if they are.
pub(crate) fn refuse(program: &[&str], words: &[Word], within: &Within<'_>) -> Option<String> {
    let first = program.first().copied().or_else(|| words.first().map(|word| word.text.as_str()))?;
    if matches!(first, "eval" | "source" | ".") {
        return Some(format!("`{first}` runs what cannot be seen here"));
    }
    for word in words {
        if word.glob && word.text.starts_with(['*', '?', '[', '-']) {
            return Some(format!("`{}` can become an option; quote it, or write `./` in front", word.text));
        }
        if let Some(option) = dangerous(&word.text) {
            return Some(format!("`--{option}` runs a program or writes to a file"));
        }
        if first == "find" && FIND.contains(&word.text.as_str()) {
            return Some(format!("`{}` runs a program, writes or removes something", word.text));
        }
        if let Some(path) = outside(&word.text, within) {
            return Some(format!("`{path}` lies outside the folder"));
        }
    }
    let all: Vec<&str> = program.iter().copied().chain(words.iter().map(|word| word.text.as_str())).collect();
    match all.split_first() {
        Some((&"git", rest)) => git_words::refuse(rest, within.access),
        Some(_) | None => None,
    }
}

/// What a command is held against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Within<'a> {
    pub(crate) reach: &'a Reach<'a>,
    pub(crate) access: Access,
}

/// Programs take a long option for any shorter form of it, so every beginning of a dangerous one counts.
fn dangerous(word: &str) -> Option<&'static str> {
    let name = word.strip_prefix("--")?;
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    OPTIONS.into_iter().find(|option| !name.is_empty() && option.starts_with(name))
}

/// Finds a name in a word that leads out of the folder, on its own or behind an option.
fn outside<'a>(word: &'a str, within: &Within<'_>) -> Option<&'a str> {
    let behind = word.split_once('=').map(|(_, value)| value);
    let joined = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| rest.get(1..));
    let candidates = [Some(word), behind, joined].into_iter().flatten();
    candidates.into_iter().find(|name| paths::leads_somewhere(name) && !within.reach.readable(Path::new(name)))
}
