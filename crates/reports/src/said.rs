//! What a session says it did.
//!
//! It is the agent's word and nothing else: nothing here is checked against anything. Every text is bounded and clean,
//! however it came in.

use serde::{Deserialize, Serialize};

use crate::cut::{clean, head};

/// The most bytes of each text of a report.
pub const TEXT_MAX: usize = 12 * 1024;

/// The most bytes of an address. A longer one is dropped, for half an address leads somewhere else.
pub const URL_MAX: usize = 2000;

/// What a session says it did, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// What it says about how far it got.
    #[serde(default)]
    pub claim: Claim,
    /// Files it says it changed.
    pub files_changed: String,
    /// What it did.
    pub what_done: String,
    /// What is left to do.
    pub what_open: String,
    /// What it tested, and how that went.
    pub what_tested: String,
    /// What it did not test.
    pub what_untested: String,
    /// What it would do next.
    pub next_steps: String,
    /// What went wrong, and what a person must see to.
    pub errors_encountered: String,
    /// Where to look at the work: an `http` or `https` address, or empty.
    pub preview_url: String,
}

/// What a session says about how far it got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// It is done.
    #[default]
    Done,
    /// It looked, and nothing needed doing.
    NothingToDo,
    /// It could not go on.
    Blocked,
    /// Its words were cut off before it said so.
    Unclear,
}

/// The parts of a report, in the order in which they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// See [`Said::files_changed`].
    FilesChanged,
    /// See [`Said::what_done`].
    Done,
    /// See [`Said::what_open`].
    Open,
    /// See [`Said::what_tested`].
    Tested,
    /// See [`Said::what_untested`].
    Untested,
    /// See [`Said::next_steps`].
    NextSteps,
    /// See [`Said::errors_encountered`].
    Errors,
    /// See [`Said::preview_url`].
    Preview,
}

impl Section {
    /// Every part, in order.
    pub const ALL: [Self; 8] = [
        Self::FilesChanged,
        Self::Done,
        Self::Open,
        Self::Tested,
        Self::Untested,
        Self::NextSteps,
        Self::Errors,
        Self::Preview,
    ];

    /// Returns the name of its field, in tools and documents.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::FilesChanged => "files_changed",
            Self::Done => "what_done",
            Self::Open => "what_open",
            Self::Tested => "what_tested",
            Self::Untested => "what_untested",
            Self::NextSteps => "next_steps",
            Self::Errors => "errors_encountered",
            Self::Preview => "preview_url",
        }
    }

    /// Returns the heading that agents are told to write.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Self::FilesChanged => "Files Changed",
            Self::Done => "What's Done",
            Self::Open => "What's Open",
            Self::Tested => "What's Tested",
            Self::Untested => "What's Not Tested",
            Self::NextSteps => "Next Steps",
            Self::Errors => "Errors & Human Input Needed",
            Self::Preview => "Preview",
        }
    }
}

impl Said {
    /// Returns what it says in one part.
    #[must_use]
    pub fn text(&self, section: Section) -> &str {
        match section {
            Section::FilesChanged => &self.files_changed,
            Section::Done => &self.what_done,
            Section::Open => &self.what_open,
            Section::Tested => &self.what_tested,
            Section::Untested => &self.what_untested,
            Section::NextSteps => &self.next_steps,
            Section::Errors => &self.errors_encountered,
            Section::Preview => &self.preview_url,
        }
    }

    /// Tells whether it says nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        Section::ALL.into_iter().all(|section| self.text(section).trim().is_empty())
    }

    /// Sets one part, in the form and length in which it is kept.
    pub(crate) fn put(&mut self, section: Section, text: &str) {
        *self.field(section) = match section {
            Section::Preview => address_in(text),
            Section::FilesChanged
            | Section::Done
            | Section::Open
            | Section::Tested
            | Section::Untested
            | Section::NextSteps
            | Section::Errors => head(&clean(text), TEXT_MAX).into_owned(),
        };
    }

    fn field(&mut self, section: Section) -> &mut String {
        match section {
            Section::FilesChanged => &mut self.files_changed,
            Section::Done => &mut self.what_done,
            Section::Open => &mut self.what_open,
            Section::Tested => &mut self.what_tested,
            Section::Untested => &mut self.what_untested,
            Section::NextSteps => &mut self.next_steps,
            Section::Errors => &mut self.errors_encountered,
            Section::Preview => &mut self.preview_url,
        }
    }
}

/// Tells whether a text is empty or a word for nothing, as agents fill in a part that they have nothing for.
#[must_use]
pub fn says_nothing(text: &str) -> bool {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(word.as_str(), "" | "none" | "n/a" | "na" | "nothing" | "not applicable" | "no errors")
}

/// The first address of a web page in a text. Bullets, labels and other schemes are no part of it: people click on it.
fn address_in(text: &str) -> String {
    let text = clean(text);
    let lower = text.to_ascii_lowercase();
    let start = [lower.find("http://"), lower.find("https://")].into_iter().flatten().min();
    let Some(found) = start.and_then(|at| text.get(at..)) else { return String::new() };
    let end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '`' | ')' | ']' | '|');
    let address = found.split(end).next().unwrap_or_default();
    let address = address.trim_end_matches(['.', ',', ';', ':', '*', '_', '!', '?']);
    let host = address.split_once("://").map_or("", |(_, host)| host);
    if host.is_empty() || address.len() > URL_MAX { String::new() } else { address.to_owned() }
}

#[cfg(test)]
#[path = "said_tests.rs"]
mod tests;
