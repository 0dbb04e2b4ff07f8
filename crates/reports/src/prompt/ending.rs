//! The last part of every prompt: commit, do not push, report.
//!
//! The marks of the text report are named here one after the other with no heading between them, so that a prompt which
//! comes back as an agent's output is never taken for a report.

use super::PromptParts;
use crate::marked::{MARK_END, MARK_START};
use crate::said::Section;

pub(super) fn ending(parts: &PromptParts<'_>) -> String {
    let mut text = commit(parts).to_owned();
    if !parts.checks.is_empty() && parts.expectation.checks_due {
        text.push_str(" The project's checks run on your commits and must pass: run them yourself first.");
    }
    text.push_str("\n\n");
    if parts.preview {
        text.push_str(
            "If your work can be viewed in a browser, start a server for it, leave it running, and put its URL into the \
             report.\n\n",
        );
    }
    text.push_str(&report());
    text
}

fn commit(parts: &PromptParts<'_>) -> &'static str {
    if parts.expectation.commit_due {
        "Commit your work on the current branch. Do not push and do not switch branches. Uncommitted work does not count."
    } else {
        "No commit is needed; your report is the result. If you did change files, commit them on the current branch. Do \
         not push and do not switch branches."
    }
}

fn report() -> String {
    let mut text =
        "Then call the tool `submit_report` once. Be accurate: your commits are inspected and the checks are run. Its \
         fields:\n"
            .to_owned();
    for section in Section::ALL {
        text.push_str(&format!("- `{}`: {}\n", section.key(), meaning(section)));
    }
    let headings = Section::ALL.map(|section| format!("`## {}`", section.heading())).join(", ");
    text.push_str(&format!(
        "\nIf you do not have that tool, end your last message with a block of text between a line `{MARK_START}` and a \
         line `{MARK_END}`. In it, write each of these headings on its own line, with its text below: {headings}.\n"
    ));
    text
}

fn meaning(section: Section) -> &'static str {
    match section {
        Section::FilesChanged => "the files you changed, one path per line",
        Section::Done => "what you did",
        Section::Open => "what is left to do",
        Section::Tested => "what you tested, how, and the result",
        Section::Untested => "what you did not test",
        Section::NextSteps => "recommended next steps",
        Section::Errors => "errors, and what a person must decide or do",
        Section::Preview => "URL of your work, if there is one",
    }
}
