//! Where an agent's words about files and git's account of them differ.
//!
//! Words are loose, so this reads them loosely: a folder stands for what is in it, a name for the file of that name.
//! What it finds is shown to people and decides nothing.

use std::collections::BTreeSet;

use types::{ChangeKind, Discrepancy, Evidence, Said};

/// The most differences that are listed; the rest is counted.
pub const DISCREPANCIES_MAX: usize = 100;

/// Lists where report and git differ about files: first what git does not show, then what the report does not name.
#[must_use]
pub fn discrepancies(said: &Said, evidence: &Evidence) -> Vec<Discrepancy> {
    let shown = Shown::of(evidence);
    let named = Named::in_text(&said.files_changed, &shown);
    // With files left out of the list, a name that is not on it proves nothing.
    let listed_all = evidence.left_out.files == 0;
    let not_changed = named.paths.iter().filter(|path| listed_all && !shown.covers(path));
    let not_changed = not_changed.map(|path| Discrepancy::NotChanged { path: path.clone() });
    let not_named = evidence.files.iter().filter(|file| !named.covers(&file.path));
    let not_named = not_named.map(|file| Discrepancy::NotNamed { path: file.path.clone() });
    let mut all: Vec<_> = not_changed.chain(not_named).collect();
    if all.len() > DISCREPANCIES_MAX {
        let count = all.len() - (DISCREPANCIES_MAX - 1);
        all.truncate(DISCREPANCIES_MAX - 1);
        all.push(Discrepancy::More { count });
    }
    all
}

/// What a text says of files.
#[derive(Default)]
struct Named {
    /// What is surely meant as a path.
    paths: BTreeSet<String>,
    /// Everything that might be one.
    mentioned: BTreeSet<String>,
}

impl Named {
    fn in_text(text: &str, shown: &Shown) -> Self {
        let mut named = Self::default();
        for line in text.lines() {
            let line =
                line.trim().trim_start_matches(|c: char| matches!(c, '-' | '*' | '+' | '•') || c.is_whitespace());
            let quoted = line.split('`').skip(1).step_by(2);
            let subject = [" - ", " — ", " – ", ": "]
                .into_iter()
                .fold(line, |line, mark| line.split_once(mark).map_or(line, |(before, _)| before));
            named.mention(subject);
            if shown.covers(trimmed(subject)) {
                // One name for all of the line; it may have spaces in it.
            } else if line.contains('`') {
                quoted.for_each(|path| named.name(path));
            } else {
                subject.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).for_each(|word| named.name(word));
            }
        }
        named
    }

    fn name(&mut self, word: &str) {
        let word = trimmed(word);
        self.mention(word);
        if looks_like_path(word) {
            self.paths.insert(word.to_owned());
        }
    }

    /// Notes a word and, if it is the full path of a file, each of its ends: one of them is the path git knows.
    fn mention(&mut self, word: &str) {
        let word = trimmed(word);
        if word.starts_with('/') {
            self.mentioned.extend(ends(word).map(str::to_owned));
        }
        self.mentioned.insert(word.trim_end_matches('/').to_owned());
    }

    fn covers(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
        [path, name].into_iter().chain(folders).any(|path| self.mentioned.contains(path))
    }
}

/// What git shows.
struct Shown(BTreeSet<String>);

impl Shown {
    /// Every path, with each of its folders and its name alone.
    fn of(evidence: &Evidence) -> Self {
        let mut all = BTreeSet::new();
        for file in &evidence.files {
            let from = match &file.kind {
                ChangeKind::Renamed { from } => Some(from),
                ChangeKind::Added | ChangeKind::Modified | ChangeKind::Deleted | ChangeKind::Retyped => None,
            };
            for path in from.into_iter().chain([&file.path]) {
                all.extend(path.match_indices('/').filter_map(|(at, _)| path.get(..at)).map(str::to_owned));
                all.extend(path.rsplit('/').next().map(str::to_owned));
                all.insert(path.clone());
            }
        }
        Self(all)
    }

    fn covers(&self, named: &str) -> bool {
        let named = named.trim_end_matches('/');
        self.0.contains(named) || (named.starts_with('/') && ends(named).any(|end| self.0.contains(end)))
    }
}

/// What follows each slash.
fn ends(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(at, _)| path.get(at + 1..)).filter(|end| !end.is_empty())
}

fn trimmed(word: &str) -> &str {
    let word =
        word.trim_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '`' | '"' | '\'' | '(' | ')' | ',' | ';'));
    let word = word.trim_end_matches([':', '.']);
    word.strip_prefix("./").unwrap_or(word)
}

/// Whether a word is surely a path: it has a folder or an ending, and is not an address, pattern or option.
fn looks_like_path(word: &str) -> bool {
    let ending = word.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty() && (1..=8).contains(&ending.len()) && ending.starts_with(|c: char| c.is_ascii_alphabetic())
    });
    let plain = !word.contains("://") && !word.contains(['*', '{', '<', '=']) && !word.starts_with(['-', '+', '~']);
    let folder =
        word.contains('/') && word.chars().any(char::is_alphanumeric) && !matches!(word, "and/or" | "n/a" | "N/A");
    plain
        && word.len() <= 500
        && (folder || (ending && word.chars().all(|c| c.is_alphanumeric() || "._-@+".contains(c))))
}

#[cfg(test)]
#[path = "claims_tests.rs"]
mod tests;
