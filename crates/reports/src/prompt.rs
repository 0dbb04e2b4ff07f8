//! The prompt of an agent, built from its mission.
//!
//! The order is fixed: the task; its acceptance criteria; the project with its checks; reports of the
//! missions it depends on; the report of the session before; answers of people; mail; why it comes back; what to do at
//! the end. Parts that have nothing to say are left out. Each part has a length of its own and says so where it is cut,
//! so no part can push out another, and all of it fits the one argument ([`PROMPT_MAX`]) that some agents take it in.
//!
//! Text of others (reports, mail, output of checks) is quoted line by line: an agent can distinguish it from
//! instructions, and none of it reads as a heading or as a report if the prompt is echoed.

mod ending;
mod parts;

use types::{CheckRun, Mission, Project, Reason, Said};

use crate::cut::head;
use crate::evidence::Digest;
use crate::judge::Expectation;
use crate::marked::unmarked;

/// The most bytes of a prompt: less than Linux takes as one argument.
pub const PROMPT_MAX: usize = 126 * 1024;

const KIB: usize = 1024;
const MISSION_MAX: usize = 56 * KIB;
const ACCEPTANCE_MAX: usize = 8 * KIB;
const PROJECT_MAX: usize = 4 * KIB;
const DEPENDENCIES_MAX: usize = 16 * KIB;
const LAST_REPORT_MAX: usize = 10 * KIB;
const ANSWERS_MAX: usize = 4 * KIB;
const MAIL_MAX: usize = 6 * KIB;
const SENT_BACK_MAX: usize = 15 * KIB;
/// For the title of a mission, a path, a command, a name.
const LINE_MAX: usize = 400;

/// Everything that goes into a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptParts<'a> {
    /// What to do.
    pub mission: &'a Mission,
    /// What it works on.
    pub project: Option<&'a Project>,
    /// Shell commands that must pass before its work lands.
    pub checks: &'a [String],
    /// What will be asked of it at the end.
    pub expectation: Expectation,
    /// What the missions it depends on have left.
    pub dependency_reports: &'a [DependencyReport<'a>],
    /// What the session before it on this mission said.
    pub last_report: Option<&'a Said>,
    /// What others wrote to it.
    pub mail: &'a [Mail<'a>],
    /// What people answered.
    pub answers: &'a [Answer<'a>],
    /// Why it gets the mission again.
    pub sent_back: Option<SentBack<'a>>,
    /// Whether to ask for a server on which the work can be looked at.
    pub preview: bool,
}

/// What a mission that this one depends on has left.
#[derive(Debug, Clone)]
pub struct DependencyReport<'a> {
    /// The mission's title.
    pub title: &'a str,
    /// What its agent said, if anything.
    pub said: Option<&'a Said>,
    /// What Fleet saw of it.
    pub evidence: Digest,
}

/// A message.
#[derive(Debug, Clone, Copy)]
pub struct Mail<'a> {
    /// Who wrote it.
    pub from: &'a str,
    /// What it says.
    pub text: &'a str,
}

/// A question that a person answered.
#[derive(Debug, Clone, Copy)]
pub struct Answer<'a> {
    /// What was asked.
    pub question: &'a str,
    /// What was answered.
    pub answer: &'a str,
}

/// Why an agent gets a mission again.
#[derive(Debug, Clone, Copy)]
pub enum SentBack<'a> {
    /// Its branch does not merge.
    Conflict {
        /// The branch it should land on.
        target: &'a str,
        /// The files in which both changed the same place.
        files: &'a [String],
    },
    /// A check did not pass.
    RedCheck {
        /// Which, and what it wrote.
        check: &'a CheckRun,
    },
    /// It was not done.
    NotDone {
        /// Why.
        reasons: &'a [Reason],
    },
}

impl<'a> PromptParts<'a> {
    /// Returns the parts of a mission about which nothing else is known.
    #[must_use]
    pub fn new(mission: &'a Mission) -> Self {
        Self {
            mission,
            project: None,
            checks: &[],
            expectation: Expectation::of(&mission.kind, false),
            dependency_reports: &[],
            last_report: None,
            mail: &[],
            answers: &[],
            sent_back: None,
            preview: false,
        }
    }
}

/// Writes the prompt of a new conversation.
#[must_use]
pub fn prompt(parts: &PromptParts<'_>) -> String {
    let mut text =
        "Work alone in this folder, which was created for this task. Finish the task. End with `submit_report`; the next \
         agent reads it. Ask a person with `ask_human` what you need to know and cannot find out.\n"
            .to_owned();
    let title = format!("Task: {}", parts::one_line(&parts.mission.title));
    section(&mut text, &title, &parts::mission(parts.mission), MISSION_MAX);
    section(&mut text, "Acceptance criteria", &parts.mission.acceptance, ACCEPTANCE_MAX);
    section(&mut text, "Project", &parts::project(parts.project, parts.checks), PROJECT_MAX);
    let dependencies = parts::dependencies(parts.dependency_reports, DEPENDENCIES_MAX - KIB);
    section(&mut text, "Work this builds on", &dependencies, DEPENDENCIES_MAX);
    let last = parts.last_report.map(parts::last_report).unwrap_or_default();
    section(&mut text, "Earlier work on this task", &last, LAST_REPORT_MAX);
    since_then(&mut text, parts);
    text
}

/// Writes the prompt of a resumed conversation: only what is new.
#[must_use]
pub fn again(parts: &PromptParts<'_>) -> String {
    let mut text = format!("Continue your task: {}.\n", unmarked(&parts::one_line(&parts.mission.title)));
    since_then(&mut text, parts);
    text
}

/// Writes the text for the system prompt: the project's, then what was asked for.
#[must_use]
pub fn system_prompt(project: Option<&Project>, asked: Option<&str>) -> Option<String> {
    let parts = project.map(|project| project.system_prompt.as_str()).into_iter().chain(asked);
    let text = parts.map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(text)
}

fn since_then(text: &mut String, parts: &PromptParts<'_>) {
    section(text, "Answers to questions", &parts::answers(parts.answers, ANSWERS_MAX - KIB), ANSWERS_MAX);
    section(text, "Mail", &parts::mail(parts.mail, MAIL_MAX - KIB), MAIL_MAX);
    let sent_back = parts.sent_back.map(parts::sent_back).unwrap_or_default();
    section(text, "Why you get it back", &sent_back, SENT_BACK_MAX);
    text.push_str(&format!("\n## When you are done\n\n{}", ending::ending(parts)));
}

/// Adds a part under its heading; heading and text together keep to the length. Nothing in it is a mark of a report.
fn section(text: &mut String, title: &str, body: &str, bytes_max: usize) {
    let body = unmarked(body.trim());
    if body.is_empty() {
        return;
    }
    let heading = format!("\n## {}\n\n", unmarked(title));
    let room = bytes_max.saturating_sub(heading.len() + 1);
    text.push_str(&heading);
    text.push_str(&head(&body, room));
    text.push('\n');
}

#[cfg(test)]
#[path = "prompt_tests.rs"]
mod tests;
