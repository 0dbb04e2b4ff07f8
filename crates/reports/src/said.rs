//! The parts of what a session says it did: every text is bounded and clean, however it came in.
//!
//! It is the agent's word and nothing else: nothing here is checked against anything.

use types::Said;

use crate::cut::{clean, head};

/// The most bytes of each text of a report.
pub const TEXT_MAX: usize = 12 * 1024;

/// The most bytes of an address. A longer one is dropped, for half an address leads somewhere else.
pub const URL_MAX: usize = 2000;

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

/// The parts of what was said, one by one.
pub trait Sections {
    /// Returns what it says in one part.
    fn text(&self, section: Section) -> &str;

    /// Sets one part, in the form and length in which it is kept.
    fn put(&mut self, section: Section, text: &str);
}

impl Sections for Said {
    fn text(&self, section: Section) -> &str {
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

    fn put(&mut self, section: Section, text: &str) {
        *field(self, section) = match section {
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
}

fn field(said: &mut Said, section: Section) -> &mut String {
    match section {
        Section::FilesChanged => &mut said.files_changed,
        Section::Done => &mut said.what_done,
        Section::Open => &mut said.what_open,
        Section::Tested => &mut said.what_tested,
        Section::Untested => &mut said.what_untested,
        Section::NextSteps => &mut said.next_steps,
        Section::Errors => &mut said.errors_encountered,
        Section::Preview => &mut said.preview_url,
    }
}

/// Returns whether a text is empty or a word for nothing, as agents fill in a part that they have nothing for.
#[must_use]
pub fn says_nothing(text: &str) -> bool {
    let word = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(word.as_str(), "" | "none" | "n/a" | "na" | "nothing" | "not applicable" | "no errors")
}

/// The first URL in a text. Bullets, labels and other schemes are not part of it: people click on it.
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
