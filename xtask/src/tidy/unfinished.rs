//! Rule: no note of unfinished work; it is done, or it is an issue.

use super::Complaint;
use super::rust::{line_of, words};
use super::tree::Tree;

const UNFINISHED: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// Beside Rust, the files in which people leave such notes.
const OTHER: [&str; 8] = ["toml", "sh", "py", "yml", "yaml", "ts", "tsx", "css"];

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let rust = tree.rust.iter().map(|file| (&file.path, &file.comments));
    let other = tree.files.iter().filter(|file| OTHER.iter().any(|extension| file.has_extension(extension)));
    let texts = rust.chain(other.map(|file| (&file.path, &file.text)));
    texts.flat_map(|(path, text)| unfinished(path, text)).collect()
}

fn unfinished(path: &str, text: &str) -> Vec<Complaint> {
    let found = words(text).filter(|(_, word)| UNFINISHED.contains(word));
    let complain = |(at, word)| {
        Complaint::new(
            path,
            line_of(text, at),
            "unfinished",
            format!("{word}: do it, or file an issue and drop the note"),
        )
    };
    found.map(complain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn a_note_in_a_comment_is_found() {
        for word in UNFINISHED {
            assert_eq!(lines("a.rs", &format!("fn a() {{}}\n// {word}: later\n")), [2]);
            assert_eq!(lines("a.py", &format!("# {word}(me)\n")), [1]);
        }
    }

    #[test]
    fn a_string_a_longer_word_and_prose_pass() {
        assert_eq!(lines("a.rs", "const A: &str = \"TODO\"; // TODOS, todo, XXXXXX\n"), [0; 0]);
        assert_eq!(lines("a.md", "No TODO without an issue.\n"), [0; 0]);
    }
}
