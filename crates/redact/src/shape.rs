//! Secrets that are known by how they look: a beginning that nothing else has, and enough after it.

/// One shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// How it begins.
    pub(crate) start: &'static str,
    end: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// At least so many letters, digits, `_` and `-`.
    Word(usize),
    /// Two more words, each after a dot.
    Jwt,
    /// Everything up to the line that ends it.
    KeyBlock,
}

const fn word(start: &'static str, least: usize) -> Shape {
    Shape { start, end: Ending::Word(least) }
}

/// Every shape; the beginnings are what providers document.
pub(crate) const SHAPES: &[Shape] = &[
    word("sk-", 20),
    word("sk_live_", 16),
    word("sk_test_", 16),
    word("rk_live_", 16),
    word("ghp_", 20),
    word("gho_", 20),
    word("ghu_", 20),
    word("ghs_", 20),
    word("ghr_", 20),
    word("github_pat_", 20),
    word("glpat-", 16),
    word("npm_", 30),
    word("pypi-", 40),
    word("hf_", 30),
    word("xoxb-", 20),
    word("xoxp-", 20),
    word("xoxa-", 20),
    word("xoxs-", 20),
    word("AIza", 30),
    word("AKIA", 16),
    word("ASIA", 16),
    word("dop_v1_", 40),
    Shape { start: "eyJ", end: Ending::Jwt },
    Shape { start: BEGIN, end: Ending::KeyBlock },
];

/// The fewest characters of each part of a JWT after its beginning.
const JWT_PART: usize = 8;

pub(crate) const BEGIN: &str = "-----BEGIN ";
pub(crate) const END: &str = "-----END ";
const KEY: &str = "PRIVATE KEY";
const DASHES: &str = "-----";

/// Lines before a key that say how it is encrypted.
const HEADERS: [&str; 2] = ["Proc-Type: ", "DEK-Info: "];

/// The least length of a line that is taken for a key whatever its letters.
const LINE_MIN: usize = 32;

/// The longest kind of key, with the words after it.
const LABEL_MAX: usize = 40;

impl Shape {
    /// Returns the length of the secret at the start of `text`, in bytes; none if there is no secret.
    pub(crate) fn length(self, text: &str) -> Option<usize> {
        let rest = text.get(self.start.len()..)?;
        match self.end {
            Ending::Word(least) => {
                let length = run(rest);
                let plausible = length >= least && has_both(rest.get(..length)?);
                plausible.then_some(self.start.len() + length)
            }
            Ending::Jwt => jwt(text),
            Ending::KeyBlock => key_block(text),
        }
    }

    /// Returns whether it can begin only where no word is going on.
    pub(crate) const fn needs_edge(self) -> bool {
        match self.end {
            Ending::Word(_) | Ending::Jwt => true,
            Ending::KeyBlock => false,
        }
    }
}

/// Returns whether a byte can be of a word.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Returns whether a byte can be of a key as text, in a file or in JSON.
pub(crate) const fn is_key_text(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte.is_ascii_whitespace()
        || matches!(byte, b'+' | b'/' | b'=' | b'\\' | b':' | b',' | b'-')
}

fn run(text: &str) -> usize {
    text.bytes().take_while(|byte| is_word(*byte)).count()
}

/// Names and sentences with dashes have no digits; numbers have no letters.
fn has_both(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit()) && word.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn jwt(text: &str) -> Option<usize> {
    let mut length = 0;
    for part in 0..3 {
        if part > 0 {
            text.get(length..)?.starts_with('.').then_some(())?;
            length += 1;
        }
        let part = run(text.get(length..)?);
        (part >= JWT_PART).then_some(())?;
        length += part;
    }
    Some(length)
}

/// A block that is cut off is a secret too, as far as it is a key: a line that is none ends it, and is shown.
fn key_block(text: &str) -> Option<usize> {
    let mut end = BEGIN.len() + label(text.get(BEGIN.len()..)?)?;
    loop {
        let rest = text.get(end..)?;
        let line = end + line_break(rest);
        let rest = text.get(line..)?;
        if let Some(label) = rest.strip_prefix(END).and_then(label) {
            return Some(line + END.len() + label);
        }
        match key_line(rest) {
            Some(length) if line > end => end = line + length,
            Some(_) | None => return Some(end),
        }
    }
}

/// Returns how long a line break is, with blanks around it, in a file or in JSON; nothing if there is none.
fn line_break(text: &str) -> usize {
    let mut length = 0;
    let mut broken = false;
    while let Some(rest) = text.get(length..) {
        let written = ["\\n", "\\r", "\n", "\r", " ", "\t"].into_iter().find(|sign| rest.starts_with(sign));
        let Some(sign) = written else { break };
        broken |= sign.ends_with('n') || sign == "\n";
        length += sign.len();
    }
    if broken { length } else { 0 }
}

/// Returns how long a line of a key is: letters and digits as keys have them, or a header such as `DEK-Info: …`.
fn key_line(text: &str) -> Option<usize> {
    if let Some(header) = HEADERS.iter().find(|header| text.starts_with(**header)) {
        let rest = text.get(header.len()..)?;
        let value = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b',' | b'-'));
        return Some(header.len() + value.count());
    }
    let length =
        text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')).count();
    let line = text.get(..length)?;
    // A short word in small letters is a command as well as it is a key.
    let plausible = length >= LINE_MIN || line.bytes().any(|byte| !byte.is_ascii_lowercase());
    let ends = text.get(length..).is_some_and(|rest| rest.is_empty() || !rest.starts_with([' ', ';', '|', '&', '$']));
    (length > 0 && plausible && ends).then_some(length)
}

/// Returns how long the rest of a line is that says which kind of private key begins or ends.
fn label(rest: &str) -> Option<usize> {
    let kind = rest.bytes().take(LABEL_MAX).take_while(|byte| byte.is_ascii_uppercase() || *byte == b' ').count();
    let (kind, dashes) = rest.split_at_checked(kind)?;
    (kind.ends_with(KEY) && dashes.starts_with(DASHES)).then_some(kind.len() + DASHES.len())
}
