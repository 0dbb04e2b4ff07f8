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

/// The longest kind of key, with the words after it.
const LABEL_MAX: usize = 40;

impl Shape {
    /// Returns how many bytes the secret has whose beginning stands at the start of `text`; none if it is none.
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

    /// Tells whether it can begin only where no word is going on.
    pub(crate) const fn needs_edge(self) -> bool {
        match self.end {
            Ending::Word(_) | Ending::Jwt => true,
            Ending::KeyBlock => false,
        }
    }
}

/// Tells whether a byte can be of a word.
pub(crate) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Tells whether a byte can be of a key as text, in a file or in JSON.
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

/// A block that is cut off is a secret too, as far as it goes.
fn key_block(text: &str) -> Option<usize> {
    let body = BEGIN.len() + label(text.get(BEGIN.len()..)?)?;
    let written = text.get(body..)?.bytes().take_while(|byte| is_key_text(*byte)).count();
    let inner = text.get(body..body + written)?;
    Some(match inner.find(END) {
        Some(at) => {
            let after = body + at + END.len();
            after + text.get(after..).and_then(label).unwrap_or(0)
        }
        None => body + written,
    })
}

/// Returns how long the rest of a line is that says which kind of private key begins or ends.
fn label(rest: &str) -> Option<usize> {
    let kind = rest.bytes().take(LABEL_MAX).take_while(|byte| byte.is_ascii_uppercase() || *byte == b' ').count();
    let (kind, dashes) = rest.split_at_checked(kind)?;
    (kind.ends_with(KEY) && dashes.starts_with(DASHES)).then_some(kind.len() + DASHES.len())
}
