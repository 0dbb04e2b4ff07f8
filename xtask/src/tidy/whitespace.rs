//! Rule: text ends with a line break, lines end with text, and Rust is indented with spaces.

use super::Complaint;
use super::tree::{TextFile, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in &tree.files {
        let mut complain = |line, message| complaints.push(Complaint::new(&file.path, line, "whitespace", message));
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            complain(file.text.lines().count(), "the file does not end with a line break");
        }
        for (at, line) in file.text.split('\n').enumerate() {
            if line.ends_with([' ', '\t', '\r']) && !may_trail(file) {
                complain(at + 1, "white space at the end of the line");
            }
            if line.contains('\t') && file.has_extension("rs") {
                complain(at + 1, "a tab; write \\t in a literal and spaces elsewhere");
            }
        }
    }
    complaints
}

/// In Markdown two spaces are a line break; a snapshot holds what the program printed.
fn may_trail(file: &TextFile) -> bool {
    file.has_extension("md") || file.has_extension("snap")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Tree::of(&[(path, text)])).into_iter().map(|complaint| complaint.line).collect()
    }

    #[test]
    fn a_missing_line_break_at_the_end_is_found() {
        assert_eq!(lines("a.toml", "x\ny"), [2]);
        assert_eq!(lines("a.toml", ""), [0; 0]);
    }

    #[test]
    fn white_space_at_the_end_of_a_line_is_found_but_in_markdown() {
        for text in ["a\nb \n", "a\nb\t\n", "a\nb\r\n"] {
            assert_eq!(lines("a.toml", text), [2], "{text:?}");
        }
        assert_eq!(lines("a.md", "a  \nb\n"), [0; 0]);
    }

    #[test]
    fn a_tab_is_found_in_rust_alone() {
        assert_eq!(lines("a.rs", "fn a() {\n\tb();\n}\n"), [2]);
        assert_eq!(lines("Makefile", "a:\n\tb\n"), [0; 0]);
    }
}
