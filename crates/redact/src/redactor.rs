//! Finding secrets in a text, in one pass.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::command::{Shown, cut_out};
use crate::shape::{SHAPES, Shape, is_word};

/// Replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// The shortest value that is looked for: shorter ones stand everywhere.
const SHORTEST: usize = 8;

/// Parts of the names of variables whose values are secrets.
const NAMES: [&str; 8] =
    ["API_KEY", "APIKEY", "AUTH_TOKEN", "ACCESS_KEY", "PASSWORD", "PRIVATE_KEY", "SECRET", "TOKEN"];

/// Returns whether a variable of this name holds a secret.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // A path to a secret is none.
    let is_path = ["_FILE", "_PATH", "_DIR"].iter().any(|end| name.ends_with(end));
    !is_path && (NAMES.iter().any(|part| name.contains(part)) || name.ends_with("_KEY") || name.ends_with("_PASS"))
}

/// Takes secrets out of texts.
#[derive(Clone)]
pub struct Redactor {
    /// The beginnings of all shapes, then the values that are known.
    wanted: Option<AhoCorasick>,
    known: Vec<String>,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sought {
    /// Values that are known.
    Known,
    /// Those, and what has the shape of a secret.
    All,
}

/// What a place in a text was found to be.
enum Found {
    Secret { length: usize },
    Nothing,
}

/// What it knows is shown nowhere.
impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

impl Default for Redactor {
    fn default() -> Self {
        Self::new(Vec::<String>::new())
    }
}

impl Redactor {
    /// Makes one that knows some values, beside all shapes.
    #[must_use]
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let values = values.into_iter().map(Into::into).filter(|value: &String| value.trim().len() >= SHORTEST);
        // In JSON a value is written with escapes.
        let known: Vec<String> = values.flat_map(|value| [escaped(&value), value]).collect();
        let wanted = SHAPES.iter().map(|shape| shape.start).chain(known.iter().map(String::as_str));
        let wanted = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(wanted).ok();
        Self { wanted, known }
    }

    /// Returns the text without its secrets; the very same if it has none.
    #[must_use]
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.replaced(text, Sought::All)
    }

    /// Returns a command, or what a tool is called with, as a person is shown it who is to approve it. Values that
    /// are known are cut first: they are secrets wherever they are.
    #[must_use]
    pub fn command(&self, command: &str) -> Shown {
        let cut = cut_out(&self.replaced(command, Sought::Known));
        let text = self.text(&cut.text).into_owned();
        Shown { doubtful: cut.doubtful || text != cut.text, text }
    }

    fn replaced<'a>(&self, text: &'a str, sought: Sought) -> Cow<'a, str> {
        // Only an absurd amount of values makes none, and then everything may be a secret.
        let Some(wanted) = &self.wanted else { return Cow::Borrowed(REDACTED) };
        let mut shown = String::new();
        let (mut kept, mut at) = (0, 0);
        while let Some(found) = text.get(at..).and_then(|rest| wanted.find(rest)) {
            let start = at + found.start();
            let is_shape = found.pattern().as_usize() < SHAPES.len();
            let judged = match sought {
                Sought::Known if is_shape => Found::Nothing,
                Sought::Known | Sought::All => self.judge(text, start, found.pattern().as_usize(), found.len()),
            };
            match judged {
                Found::Secret { length } => {
                    shown.push_str(text.get(kept..start).unwrap_or_default());
                    shown.push_str(REDACTED);
                    at = start + length;
                    kept = at;
                }
                Found::Nothing => at = start + found.len(),
            }
        }
        if kept == 0 && shown.is_empty() {
            return Cow::Borrowed(text);
        }
        shown.push_str(text.get(kept..).unwrap_or_default());
        Cow::Owned(shown)
    }

    /// Returns bytes without their secrets; invalid UTF-8 is shown as such.
    #[must_use]
    pub fn bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let text = String::from_utf8_lossy(&bytes);
        match self.text(&text) {
            Cow::Borrowed(_) => bytes,
            Cow::Owned(shown) => shown.into_bytes(),
        }
    }

    /// The longest value that is known.
    pub(crate) fn longest(&self) -> usize {
        self.known.iter().map(String::len).max().unwrap_or(0)
    }

    /// Returns whether a value that is known begins with a text and continues.
    pub(crate) fn may_begin_with(&self, text: &str) -> bool {
        self.known.iter().any(|value| value.len() > text.len() && value.starts_with(text))
    }

    fn judge(&self, text: &str, start: usize, pattern: usize, length: usize) -> Found {
        let Some(shape) = SHAPES.get(pattern).copied() else { return Found::Secret { length } };
        if shape.needs_edge() && continues_word(text, start) {
            return Found::Nothing;
        }
        measured(shape, text, start)
    }
}

fn measured(shape: Shape, text: &str, start: usize) -> Found {
    let length = text.get(start..).and_then(|rest| shape.length(rest));
    length.map_or(Found::Nothing, |length| Found::Secret { length })
}

/// `task-1` has `sk-` in it; an escape of JSON ends in a letter that is not part of the word.
fn continues_word(text: &str, start: usize) -> bool {
    let mut before = text.as_bytes().get(..start).unwrap_or_default().iter().rev();
    match (before.next(), before.next()) {
        (Some(b'n' | b't' | b'r'), Some(b'\\')) => false,
        (Some(byte), _) => is_word(*byte),
        (None, _) => false,
    }
}

/// Writes a value as it appears between the quotes of JSON.
fn escaped(value: &str) -> String {
    value.chars().fold(String::with_capacity(value.len()), |mut text, letter| {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            other => text.push(other),
        }
        text
    })
}

#[cfg(test)]
#[path = "redactor_tests.rs"]
mod tests;
