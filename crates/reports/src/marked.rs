//! The marked block: a report as text between two marks, as DevFleet's agents write it.
//!
//! The last whole block that has a known heading counts; one that was begun and not ended is not a report. Headings are
//! known in any case, with any apostrophe, as `##` or in bold; the text under an unknown heading belongs to
//! the part before it, so nothing is lost. [`write_marked`] puts a backslash before what would be taken for a mark or a
//! heading, and reading takes it off again.

use std::borrow::Cow;

use types::Said;

use crate::cut::clean;
use crate::said::{Section, Sections as _};

/// Begins a block.
pub const MARK_START: &str = "---DEVFLEET-REPORT-START---";
/// Ends a block.
pub const MARK_END: &str = "---DEVFLEET-REPORT-END---";
/// What both marks begin with.
const MARK: &str = "---DEVFLEET-REPORT-";

/// Why a text holds no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MarkedError {
    /// Nothing begins a block.
    #[error("there is no report: no line says {MARK_START}")]
    NoBlock,
    /// A block was begun and none was ended.
    #[error("the report breaks off: {MARK_START} is there, {MARK_END} after it is not")]
    NotEnded,
    /// No block has a known heading.
    #[error("the report has none of the headings it should have, such as \"## What's Done\"")]
    NoHeading,
    /// There are headings with nothing under them.
    #[error("the report is empty: its headings have nothing under them")]
    Empty,
}

/// Reads the last report in a text.
///
/// # Errors
/// Says why there is none.
pub fn read_marked(text: &str) -> Result<Said, MarkedError> {
    let (blocks, begun) = blocks(text);
    let mut error = if begun { MarkedError::NotEnded } else { MarkedError::NoBlock };
    for (nth, block) in blocks.into_iter().rev().enumerate() {
        match sections(block) {
            Ok(said) => return Ok(said),
            // What is wrong with the last block is what its writer should hear.
            Err(of_block) if nth == 0 => error = of_block,
            Err(_) => {}
        }
    }
    Err(error)
}

/// Writes a report as a marked block. Its claim is not written: a block is how a session says that it is done.
#[must_use]
pub fn write_marked(said: &Said) -> String {
    let mut block = format!("{MARK_START}\n");
    for section in Section::ALL {
        block.push_str(&format!("## {}\n{}\n\n", section.heading(), guard(said.text(section))));
    }
    block.push_str(MARK_END);
    block.push('\n');
    block
}

/// Everything between a start and the first end after it, and whether anything was begun. A second start begins anew.
fn blocks(text: &str) -> (Vec<&str>, bool) {
    let (mut blocks, mut open, mut begun) = (Vec::new(), None, false);
    for (at, _) in text.match_indices(MARK) {
        let (before, from) = text.split_at_checked(at).unwrap_or_default();
        if before.ends_with('\\') {
            continue;
        }
        if from.starts_with(MARK_START) {
            open = Some(at + MARK_START.len());
            begun = true;
        } else if from.starts_with(MARK_END)
            && let Some(block) = open.take().and_then(|start| text.get(start..at))
        {
            blocks.push(block);
        }
    }
    (blocks, begun)
}

fn sections(block: &str) -> Result<Said, MarkedError> {
    let block = clean(block);
    let block = unfenced(&block);
    let mut texts: [String; Section::ALL.len()] = Default::default();
    let (mut preamble, mut current) = (String::new(), None);
    for line in block.split('\n') {
        if let Some(section) = heading(line) {
            current = Some(section);
        }
        let text = match current {
            None => &mut preamble,
            Some(section) => texts.get_mut(section as usize).unwrap_or(&mut preamble),
        };
        // A heading that comes again continues with its part, after a blank line.
        text.push_str(if heading(line).is_some() { "" } else { unguard_line(line) });
        text.push('\n');
    }
    if current.is_none() {
        return Err(MarkedError::NoHeading);
    }
    let mut said = Said::default();
    for (section, text) in Section::ALL.into_iter().zip(&texts) {
        let text = if section == Section::Done { Cow::Owned(format!("{preamble}{text}")) } else { Cow::Borrowed(text) };
        said.put(section, &text.replace(&format!("\\{MARK}"), MARK));
    }
    if said.is_empty() { Err(MarkedError::Empty) } else { Ok(said) }
}

/// A block that is in a Markdown code block as a whole, without it.
fn unfenced(block: &str) -> &str {
    let inside = block.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    inside.and_then(|inside| inside.split_once('\n')).map_or(block, |(_, body)| body)
}

/// The part that a line is the heading of.
fn heading(line: &str) -> Option<Section> {
    let line = line.trim();
    let hashes = line.len() - line.trim_start_matches('#').len();
    let bold = line.strip_prefix("**").and_then(|rest| rest.trim_end_matches(':').strip_suffix("**"));
    let text = match hashes {
        1..=3 => line.trim_start_matches('#'),
        _ => bold?,
    };
    section_of(&plain(text))
}

fn section_of(name: &str) -> Option<Section> {
    Some(match name {
        "files changed" | "changed files" | "files modified" => Section::FilesChanged,
        "whats done" | "what is done" | "what was done" | "what done" => Section::Done,
        "whats open" | "what is open" | "what is still open" | "what open" => Section::Open,
        "whats tested" | "what is tested" | "what was tested" | "what tested" => Section::Tested,
        "whats not tested" | "whats untested" | "what is not tested" | "what was not tested" | "what untested" => {
            Section::Untested
        }
        "next steps" => Section::NextSteps,
        "errors and human input needed" | "errors encountered" | "errors" | "human input needed" => Section::Errors,
        "preview" | "preview url" => Section::Preview,
        _ => return None,
    })
}

/// A heading's words alone: lower case, no apostrophes, no decoration, `&` as a word.
fn plain(heading: &str) -> String {
    let mut words = String::new();
    for c in heading.chars() {
        match c {
            '\'' | '\u{2018}' | '\u{2019}' | '\u{02bc}' | '\u{00b4}' | '`' => {}
            '&' => words.push_str(" and "),
            c if c.is_alphabetic() => words.extend(c.to_lowercase()),
            _ => words.push(' '),
        }
    }
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text in which nothing is taken for a mark.
pub(crate) fn unmarked(text: &str) -> String {
    text.replace(MARK, &format!("\\{MARK}"))
}

fn guard(text: &str) -> String {
    let text = unmarked(text);
    let lines = text.split('\n').map(|line| if is_guarded(line) { format!("\\{line}") } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n")
}

fn unguard_line(line: &str) -> &str {
    line.strip_prefix('\\').filter(|_| is_guarded(line)).unwrap_or(line)
}

/// Whether a line is a heading behind any number of backslashes.
fn is_guarded(line: &str) -> bool {
    heading(line.trim_start_matches('\\')).is_some()
}

#[cfg(test)]
#[path = "marked_tests.rs"]
mod tests;
