//! What the rules know of one Rust file: its parts, its attributes, its functions, and which lines are tests.

use super::lexer::{self, Parts, is_word};

/// One Rust file, read once for all rules.
#[derive(Debug)]
pub(super) struct RustFile {
    pub(super) path: String,
    pub(super) code: String,
    pub(super) comments: String,
    pub(super) literals: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) functions: Vec<Function>,
    /// For each line, whether it belongs to a test.
    pub(super) test_lines: Vec<bool>,
}

/// An attribute, without its `#[` and `]`.
#[derive(Debug)]
pub(super) struct Attribute {
    end: usize,
    /// Whether it is about the item it is in (`#![…]`).
    inner: bool,
    pub(super) line: usize,
    pub(super) text: String,
}

/// A function with a body, from the line of its `fn` to the line of its last brace.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) line: usize,
    pub(super) lines: usize,
    pub(super) test: bool,
}

impl RustFile {
    pub(super) fn new(path: &str, text: &str) -> Self {
        let Parts { code, comments, literals } = lexer::split(text);
        let attributes = attributes(&code);
        let test_lines = test_lines(path, &code, &attributes);
        let functions = functions(&code, &test_lines);
        Self { path: path.to_owned(), code, comments, literals, attributes, functions, test_lines }
    }

    pub(super) fn lines(&self) -> usize {
        self.test_lines.len()
    }

    pub(super) fn test_line_count(&self) -> usize {
        self.test_lines.iter().filter(|test| **test).count()
    }

    pub(super) fn production_line_count(&self) -> usize {
        self.lines() - self.test_line_count()
    }

    /// Whether the whole file is a test, by its place or its name.
    pub(super) fn is_test(&self) -> bool {
        is_test_path(&self.path)
    }
}

/// The words of a text with their offsets.
pub(super) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let starts = (0..bytes.len()).filter(|at| is_word(bytes[*at]) && (*at == 0 || !is_word(bytes[at - 1])));
    starts.map(|start| (start, &text[start..end_of_word(bytes, start)]))
}

/// The line of an offset, counted from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}

fn end_of_word(bytes: &[u8], start: usize) -> usize {
    bytes[start..].iter().position(|byte| !is_word(*byte)).map_or(bytes.len(), |length| start + length)
}

fn is_test_path(path: &str) -> bool {
    path.split('/').any(|part| part == "tests") || path.ends_with("_tests.rs") || path.ends_with("/tests.rs")
}

fn attributes(code: &str) -> Vec<Attribute> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    for (start, _) in code.match_indices('#') {
        let inner = bytes.get(start + 1) == Some(&b'!');
        let open = start + 1 + usize::from(inner);
        if bytes.get(open) == Some(&b'[') {
            let end = closing(bytes, open);
            let text = code[open + 1..end - 1].trim().to_owned();
            found.push(Attribute { end, inner, line: line_of(code, start), text });
        }
    }
    found
}

/// The offset behind the bracket that closes the one at `open`; the end of the text if none does.
fn closing(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    bytes.len()
}

fn test_lines(path: &str, code: &str, attributes: &[Attribute]) -> Vec<bool> {
    let count = code.lines().count();
    let is_for_tests = |attribute: &&Attribute| {
        let words: Vec<_> = words(&attribute.text).map(|(_, word)| word).collect();
        words.first() == Some(&"cfg") && words.contains(&"test") && !words.contains(&"not")
    };
    if is_test_path(path) || attributes.iter().filter(is_for_tests).any(|attribute| attribute.inner) {
        return vec![true; count];
    }
    let mut lines = vec![false; count];
    for attribute in attributes.iter().filter(is_for_tests) {
        let last = line_of(code, end_of_item(code, attribute.end) - 1).min(count);
        lines[attribute.line - 1..last].fill(true);
    }
    lines
}

/// The offset behind the item that starts after an attribute: its semicolon or its last brace.
fn end_of_item(code: &str, start: usize) -> usize {
    let bytes = code.as_bytes();
    let first = words(&code[start..]).map(|(_, word)| word).find(|word| !matches!(*word, "pub" | "crate" | "super"));
    let ends_with_semicolon = matches!(first, Some("use" | "const" | "static" | "type" | "let"));
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b';' => return at + 1,
            b'{' if !ends_with_semicolon => return closing(bytes, at),
            b'(' | b'[' | b'{' => at = closing(bytes, at),
            _ => at += 1,
        }
    }
    bytes.len()
}

fn functions(code: &str, test_lines: &[bool]) -> Vec<Function> {
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    for (start, _) in words(code).filter(|(at, word)| *word == "fn" && !code[..*at].ends_with("r#")) {
        // `fn(…)` is a type; a name makes it a function, a brace before the semicolon gives it a body.
        let Some((gap, name)) = words(&code[start + 2..]).next() else { continue };
        if !code[start + 2..start + 2 + gap].trim().trim_end_matches("r#").is_empty() {
            continue;
        }
        let end = end_of_item(code, start + 2 + gap);
        if bytes[end - 1] == b'}' {
            let line = line_of(code, start);
            let lines = line_of(code, end - 1) - line + 1;
            let test = test_lines.get(line - 1).copied().unwrap_or(false);
            found.push(Function { name: name.to_owned(), line, lines, test });
        }
    }
    found
}

#[cfg(test)]
#[path = "rust_tests.rs"]
mod tests;
