//! The last part of every prompt: commit, do not push, report.
//!
//! The marks of the text report are named here one after the other with no heading between them, so that a prompt which
//! comes back as an agent's words is never taken for a report.

use super::PromptParts;
use crate::marked::{MARK_END, MARK_START};
use crate::said::Section;

pub(super) fn ending(parts: &PromptParts<'_>) -> String {
    let mut text = commit(parts).to_owned();
    if !parts.checks.is_empty() && parts.expectation.checks_due {
        text.push_str(
            " Fleet runs the project's checks on what you committed, and the mission is not done until they pass: run \
             them yourself first.",
        );
    }
    text.push_str("\n\n");
    if parts.preview {
        text.push_str(
            "If your work can be looked at in a browser, start a server for it, leave it running, and give its address \
             in the report.\n\n",
        );
    }
    text.push_str(&report());
    text
}

fn commit(parts: &PromptParts<'_>) -> &'static str {
    if parts.expectation.commit_due {
        "Commit your work on the branch you are on. Do not push it and do not switch branches: Fleet takes it from there. \
         Work that is not committed is not done."
    } else {
        "This mission needs no commit; your report is the result. If you did change files, commit them on the branch you \
         are on. Do not push and do not switch branches."
    }
}

fn report() -> String {
    let mut text =
        "Then report, once, with the tool `submit_report`. Say what is so: Fleet looks at the commits and runs \
                    the checks itself. Its fields:\n"
            .to_owned();
    for section in Section::ALL {
        text.push_str(&format!("- `{}`: {}\n", section.key(), meaning(section)));
    }
    let headings = Section::ALL.map(|section| format!("`## {}`", section.heading())).join(", ");
    text.push_str(&format!(
        "\nIf you do not have that tool, end your last message with a block of text between a line `{MARK_START}` and a \
         line `{MARK_END}`. In it, write each of these headings on a line of its own with its text below: {headings}.\n"
    ));
    text
}

fn meaning(section: Section) -> &'static str {
    match section {
        Section::FilesChanged => "the files you changed, one path a line",
        Section::Done => "what you did",
        Section::Open => "what is left to do",
        Section::Tested => "what you tested, how, and what came of it",
        Section::Untested => "what you did not test",
        Section::NextSteps => "what should be done next",
        Section::Errors => "what went wrong, and what a person must decide or do",
        Section::Preview => "where your work can be looked at; may be left out",
    }
}
