//! Rule: text uses plain words.
//!
//! Comments, string literals outside tests, and Markdown are compared with the words and phrases of `xtask/words.toml`.
//! `xtask/words-allowed.toml` has, per file that is not plain yet, how many may be left; `cargo xtask tidy --shrink`
//! lowers those counts. A file that is not listed may have none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::Complaint;
use super::rust::{RustFile, line_of, words};
use super::tree::Tree;

const LIST: &str = "xtask/words.toml";
pub(super) const ALLOWED: &str = "xtask/words-allowed.toml";
const RULE: &str = "plain-words";

/// Pages that quote the words, or record what was decided before there was a list.
const SKIPPED: [&str; 2] = ["docs/STYLE.md", "docs/decisions/"];

/// A phrase to avoid, as lower-case words, and what to write instead.
type Phrase = (Vec<String>, String);

/// The group of `xtask/words.toml` whose phrases are right although they contain one to avoid.
const EXCEPTIONS: &str = "exceptions";

/// One use of a phrase: its line, and the phrase.
type Use<'a> = (usize, &'a Phrase);

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let Some(list) = tree.text(LIST) else { return Vec::new() };
    let (phrases, allowed) = match phrases(list).and_then(|phrases| Ok((phrases, allowed(tree)?))) {
        Ok(both) => both,
        Err(error) => return vec![Complaint::new(LIST, 1, RULE, format!("{error:#}"))],
    };
    let mut complaints = Vec::new();
    let found = found(tree, &phrases);
    for (path, uses) in &found {
        if uses.len() > allowed.get(*path).copied().unwrap_or(0) {
            complaints.extend(uses.iter().map(|(line, (phrase, plain))| {
                Complaint::new(path, *line, RULE, format!("`{}`: write {plain}", phrase.join(" ")))
            }));
        }
    }
    complaints
}

/// The list of allowed counts, each lowered to what is left.
pub(super) fn shrunk(tree: &Tree) -> Result<String> {
    let phrases = phrases(tree.text(LIST).context("xtask/words.toml is missing")?)?;
    let found = found(tree, &phrases);
    let mut text =
        String::from("# Files that are not plain yet: how many words of xtask/words.toml each may still have.\n");
    text.push_str("# Counts only go down: `cargo xtask tidy --shrink`.\n\n");
    for (path, count) in allowed(tree)? {
        let left = found.get(path.as_str()).map_or(0, Vec::len).min(count);
        if left > 0 {
            writeln!(text, "\"{path}\" = {left}")?;
        }
    }
    Ok(text)
}

/// The phrases of the list, in order, so that those with one first word are side by side.
fn phrases(list: &str) -> Result<Vec<Phrase>> {
    let groups: BTreeMap<String, BTreeMap<String, String>> = toml::from_str(list)?;
    let split = |phrase: &str| words(phrase).map(|(_, word)| word.to_owned()).collect();
    let mut phrases = Vec::new();
    for (group, entries) in groups {
        // An exception is a phrase without a plainer one.
        let plainer = |plain: String| if group == EXCEPTIONS { String::new() } else { plain };
        phrases.extend(entries.into_iter().map(|(phrase, plain)| (split(&phrase), plainer(plain))));
    }
    phrases.retain(|(words, _): &Phrase| !words.is_empty());
    phrases.sort();
    Ok(phrases)
}

fn allowed(tree: &Tree) -> Result<BTreeMap<String, usize>> {
    Ok(toml::from_str(tree.text(ALLOWED).unwrap_or_default())?)
}

/// Every use of a phrase, by file.
fn found<'a>(tree: &'a Tree, phrases: &'a [Phrase]) -> BTreeMap<&'a str, Vec<Use<'a>>> {
    let rust = tree.rust.iter().map(|file| (file.path.as_str(), of_rust(file, phrases)));
    let pages = tree.files.iter().filter(|file| file.has_extension("md"));
    let pages = pages.map(|file| (file.path.as_str(), uses(&file.text, phrases)));
    let looked_at = |(path, uses): &(&str, Vec<Use<'_>>)| {
        !uses.is_empty() && !SKIPPED.iter().any(|skipped| path.starts_with(skipped))
    };
    rust.chain(pages).filter(looked_at).collect()
}

fn of_rust<'a>(file: &RustFile, phrases: &'a [Phrase]) -> Vec<Use<'a>> {
    let is_test = |line: usize| file.test_lines.get(line - 1).copied().unwrap_or(false);
    let literals = uses(&file.literals, phrases).into_iter().filter(|(line, _)| !is_test(*line));
    let mut all: Vec<_> = uses(&file.comments, phrases).into_iter().chain(literals).collect();
    all.sort();
    all
}

/// The phrases that begin with a word.
fn beginning<'a>(phrases: &'a [Phrase], word: &str) -> impl Iterator<Item = &'a Phrase> {
    let start = phrases.partition_point(|phrase| phrase.0[0].as_str() < word);
    let end = phrases.partition_point(|phrase| phrase.0[0].as_str() <= word);
    phrases[start..end].iter()
}

/// The uses of phrases in a text. The words of a phrase may be on two lines of one comment.
fn uses<'a>(text: &str, phrases: &'a [Phrase]) -> Vec<Use<'a>> {
    let words: Vec<(usize, String)> = words(text).map(|(at, word)| (at, word.to_ascii_lowercase())).collect();
    let follows = |first: &(usize, String), second: &(usize, String)| {
        let between = &text[first.0 + first.1.len()..second.0];
        between.chars().all(|character| character.is_whitespace() || "/!\\'".contains(character))
    };
    let mut found = Vec::new();
    let mut right = BTreeSet::new();
    for start in 0..words.len() {
        for phrase in beginning(phrases, &words[start].1) {
            let Some(here) = words.get(start..start + phrase.0.len()) else { continue };
            let same = here.iter().map(|(_, word)| word).eq(&phrase.0);
            if !same || !here.windows(2).all(|pair| follows(&pair[0], &pair[1])) {
                continue;
            }
            if phrase.1.is_empty() {
                right.extend(here.iter().map(|(at, _)| *at));
            } else {
                found.push((here[0].0, phrase));
            }
        }
    }
    found.retain(|(at, _)| !right.contains(at));
    found.into_iter().map(|(at, phrase)| (line_of(text, at), phrase)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "[a]\nfence = \"permissions\"\n\"goes by\" = \"is called\"\n\"is no\" = \"is not\"\n\
                         [exceptions]\n\"is no longer\" = \"\"\n";

    fn lines(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let files: Vec<_> = [(LIST, WORDS)].into_iter().chain(files.iter().copied()).collect();
        check(&Tree::of(&files)).into_iter().map(|complaint| (complaint.file, complaint.line)).collect()
    }

    #[test]
    fn a_word_in_a_comment_a_message_or_a_page_is_found() {
        assert_eq!(lines(&[("a.rs", "\n// The Fence.\n")]), [("a.rs".to_owned(), 2)]);
        assert_eq!(lines(&[("a.rs", "const A: &str = \"no fence\";\n")]), [("a.rs".to_owned(), 1)]);
        assert_eq!(lines(&[("docs/a.md", "It goes\nby a name.\n")]), [("docs/a.md".to_owned(), 1)]);
        assert_eq!(lines(&[("a.rs", "/// It goes\n/// by a name.\n")]), [("a.rs".to_owned(), 1)]);
    }

    #[test]
    fn code_a_test_s_text_a_longer_word_and_another_sentence_pass() {
        let text =
            "fn fence() {}\n// fences: it goes. By name.\n#[cfg(test)]\nmod tests { const A: &str = \"fence\"; }\n";
        assert_eq!(lines(&[("a.rs", text), ("docs/STYLE.md", "fence")]), []);
    }

    #[test]
    fn an_exception_passes_although_it_contains_a_phrase() {
        assert_eq!(lines(&[("a.md", "It is no longer there.\n")]), []);
        assert_eq!(lines(&[("a.md", "It is no longer so,\nit is no number.\n")]), [("a.md".to_owned(), 2)]);
    }

    #[test]
    fn a_listed_file_may_have_as_many_as_the_list_says_and_no_more() {
        let page = ("docs/a.md", "fence\n\nfence\n");
        assert_eq!(lines(&[page, (ALLOWED, "\"docs/a.md\" = 2\n")]), []);
        assert_eq!(lines(&[page, (ALLOWED, "\"docs/a.md\" = 1\n")]).len(), 2);
        assert_eq!(lines(&[(ALLOWED, "\"docs/gone.md\" = 1\n")]), [], "plainer than allowed is no complaint");
    }

    #[test]
    fn shrinking_lowers_counts_and_raises_none() {
        let files = [(LIST, WORDS), (ALLOWED, "\"a.md\" = 3\n\"b.md\" = 1\n\"c.md\" = 1\n")];
        let pages = [("a.md", "fence"), ("b.md", "fence fence"), ("c.md", "")];
        let files: Vec<_> = files.into_iter().chain(pages).collect();
        let text = shrunk(&Tree::of(&files)).unwrap();
        assert!(text.ends_with("\n\n\"a.md\" = 1\n\"b.md\" = 1\n"), "{text}");
    }
}
