//! JSON as agents write it when something goes wrong: with a comma too many, a line break inside a text, or cut off.
//!
//! What is whole is kept, what is not is left out, and every liberty taken is noted. It never guesses what would have
//! come next.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Deeper than any report; a bound for the stack.
const DEPTH_MAX: usize = 32;

/// A liberty that was taken in reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Repair {
    /// There was a Markdown code block or other text around it.
    Unwrapped,
    /// A comma was too many.
    ExtraComma,
    /// A comma was missing.
    MissingComma,
    /// A text had a line break or another control character in it.
    RawControl,
    /// A text had a backslash that means nothing.
    BadEscape,
    /// It ended in the middle.
    CutOff,
    /// From some place on it was no JSON.
    Unreadable,
}

/// What could be read.
#[derive(Debug, Default)]
pub(crate) struct Salvaged {
    pub(crate) object: Map<String, Value>,
    pub(crate) repairs: BTreeSet<Repair>,
    /// A text of the outermost object that was cut off: its key, and what is there of it.
    pub(crate) cut_text: Option<(String, String)>,
}

/// Reads the object that a text begins with, as far as it goes.
pub(crate) fn read(text: &str) -> Salvaged {
    let mut reader = Reader { rest: text, stopped: false, unfinished: None, found: Salvaged::default() };
    if let Some(Value::Object(object)) = reader.value(0) {
        reader.found.object = object;
    }
    reader.found
}

struct Reader<'a> {
    rest: &'a str,
    /// Set once nothing more can be read; everything then returns what it has.
    stopped: bool,
    /// The text in which it ended.
    unfinished: Option<String>,
    found: Salvaged,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let taken = chars.next();
        self.rest = chars.as_str();
        taken
    }

    fn note(&mut self, repair: Repair) {
        self.found.repairs.insert(repair);
    }

    fn stop(&mut self) {
        self.stopped = true;
        self.note(if self.rest.is_empty() { Repair::CutOff } else { Repair::Unreadable });
    }

    /// A value; a list or object that breaks off comes with what is whole of it, anything else not at all.
    fn value(&mut self, depth: usize) -> Option<Value> {
        match self.peek() {
            Some('{') if depth < DEPTH_MAX => Some(Value::Object(self.members(depth))),
            Some('[') if depth < DEPTH_MAX => Some(Value::Array(self.items(depth))),
            Some('"') => self.text().map(Value::String),
            Some(_) => self.word(),
            None => {
                self.stop();
                None
            }
        }
    }

    fn members(&mut self, depth: usize) -> Map<String, Value> {
        let mut members = Map::new();
        self.take();
        while self.goes_on('}', !members.is_empty()) {
            let Some(key) = self.key() else { break };
            let value = self.value(depth + 1);
            if let Some(text) = self.unfinished.take()
                && depth == 0
            {
                self.found.cut_text = Some((key.clone(), text));
            }
            if let Some(value) = value {
                members.insert(key, value);
            }
        }
        members
    }

    fn items(&mut self, depth: usize) -> Vec<Value> {
        let mut items = Vec::new();
        self.take();
        while self.goes_on(']', !items.is_empty()) {
            let item = self.value(depth + 1);
            // A list of which one item broke off is known up to that item.
            if self.stopped {
                self.unfinished = None;
                break;
            }
            items.extend(item);
        }
        items
    }

    /// Steps over commas; false at the end of the list or object, or of everything.
    fn goes_on(&mut self, end: char, after_one: bool) -> bool {
        if self.stopped {
            return false;
        }
        let mut commas = 0;
        while self.peek() == Some(',') {
            self.take();
            commas += 1;
        }
        let ended = self.peek() == Some(end);
        let wanted = usize::from(after_one && !ended);
        if commas > wanted {
            self.note(Repair::ExtraComma);
        }
        if ended {
            self.take();
            return false;
        }
        if self.rest.is_empty() {
            self.stop();
            return false;
        }
        if commas < wanted {
            self.note(Repair::MissingComma);
        }
        true
    }

    fn key(&mut self) -> Option<String> {
        let key = if self.peek() == Some('"') { self.text() } else { None };
        // A key that broke off is the beginning of nothing.
        self.unfinished = None;
        let key = key.filter(|_| self.peek() == Some(':'));
        if key.is_some() {
            self.take();
        } else if !self.stopped {
            self.stop();
        }
        key
    }

    fn text(&mut self) -> Option<String> {
        self.take();
        let mut text = String::new();
        while let Some(c) = self.take() {
            match c {
                '"' => return Some(text),
                '\\' => self.escape(&mut text),
                c => {
                    if c.is_control() {
                        self.note(Repair::RawControl);
                    }
                    text.push(c);
                }
            }
        }
        self.unfinished = Some(text);
        self.stop();
        None
    }

    fn escape(&mut self, text: &mut String) {
        match self.take() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some(c @ ('"' | '\\' | '/')) => text.push(c),
            Some('u') => self.code_point(text),
            Some(c) => {
                self.note(Repair::BadEscape);
                text.extend(['\\', c]);
            }
            None => {}
        }
    }

    /// The rest of `\uXXXX`, with the second half if it is the first of a pair. A half alone is shown as unknown.
    fn code_point(&mut self, text: &mut String) {
        let Some(first) = self.hex() else {
            self.note(Repair::BadEscape);
            return text.push_str("\\u");
        };
        let mut units = vec![first];
        if (0xd800..0xdc00).contains(&first)
            && let Some(rest) = self.rest.strip_prefix("\\u")
        {
            let before = std::mem::replace(&mut self.rest, rest);
            match self.hex() {
                Some(second) => units.push(second),
                None => self.rest = before,
            }
        }
        text.extend(char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)));
    }

    fn hex(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        let unit = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?;
        self.rest = rest;
        unit
    }

    /// A number, `true`, `false` or `null`. At the very end more of it may be missing, so it does not count there.
    fn word(&mut self) -> Option<Value> {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '}' | ']' | ':' | '"' | '{' | '[');
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(length).unwrap_or_default();
        let value = serde_json::from_str(word).ok().filter(|_| !rest.is_empty());
        if value.is_some() || rest.is_empty() {
            self.rest = rest;
        }
        if value.is_none() {
            self.stop();
        }
        value
    }
}

#[cfg(test)]
#[path = "salvage_tests.rs"]
mod tests;
