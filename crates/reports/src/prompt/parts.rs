//! The parts of a prompt that differ from mission to mission, each as plain text.

use types::{CheckRun, Mission, Project, Said};

use super::{Answer, DependencyReport, LINE_MAX, Mail, SentBack};
use crate::cut::{clean, head, tail};
use crate::evidence::{Digest, OUTPUT_TAIL_MAX};
use crate::said::{Section, Sections as _, says_nothing};

/// The most files, checks or tags that are listed; the rest is counted.
const LISTED_MAX: usize = 25;
/// The most bytes that are quoted of one text: as much as the largest part has room for.
const QUOTED_MAX: usize = 16 * 1024;
/// The least that is shown of each of many things.
const SHARE_MIN: usize = 300;

/// A text as one short line.
pub(super) fn one_line(text: &str) -> String {
    // Cut first, so that a text of megabytes costs no more than a line.
    let line = clean(&head(text, 8 * LINE_MAX)).split_whitespace().collect::<Vec<_>>().join(" ");
    head(&line, LINE_MAX).replace('\n', " ")
}

pub(super) fn mission(mission: &Mission) -> String {
    let mut text = format!("Kind: {}\n", one_line(mission.kind.as_str()));
    if !mission.tags.is_empty() {
        text.push_str(&format!("Tags: {}\n", listed(&mission.tags, ", ")));
    }
    text.push_str(&format!("\n{}", mission.prompt.trim()));
    text
}

pub(super) fn project(project: Option<&Project>, checks: &[String]) -> String {
    let mut text = String::new();
    if let Some(project) = project {
        text.push_str(&format!("Name: {}\n", one_line(&project.name)));
        let description = head(project.description.trim(), 2 * 1024);
        text.push_str(&format!("{description}\n"));
    }
    if !checks.is_empty() {
        let checks: Vec<_> = checks.iter().map(|check| format!("`{}`", one_line(check))).collect();
        text.push_str(&format!("\nChecks that must pass:\n- {}\n", listed(&checks, "\n- ")));
    }
    text
}

pub(super) fn dependencies(reports: &[DependencyReport<'_>], bytes_max: usize) -> String {
    let texts = reports.iter().map(|report| {
        let said = report.said.filter(|said| !said.is_empty()).map(words);
        let said = said.map_or_else(|| "No report.\n".to_owned(), |words| quoted(&words));
        // No heading: a title that is the name of a report's part must not begin one.
        format!("From \"{}\": {}\n{said}", one_line(report.title), seen(&report.evidence))
    });
    shared(&texts.collect::<Vec<_>>(), bytes_max)
}

pub(super) fn last_report(said: &Said) -> String {
    if said.is_empty() {
        return String::new();
    }
    format!("Continue from there; do not repeat what is done.\n\n{}", quoted(&words(said)))
}

pub(super) fn answers(answers: &[Answer<'_>], bytes_max: usize) -> String {
    let texts = answers.iter().map(|answer| {
        let question = quoted(&head(&clean(answer.question), 2 * LINE_MAX));
        format!("You asked:\n{question}\nThe answer:\n{}", quoted(answer.answer))
    });
    shared(&texts.collect::<Vec<_>>(), bytes_max)
}

pub(super) fn mail(mail: &[Mail<'_>], bytes_max: usize) -> String {
    let texts = mail.iter().map(|mail| format!("From {}:\n{}", one_line(mail.from), quoted(mail.text)));
    shared(&texts.collect::<Vec<_>>(), bytes_max)
}

pub(super) fn sent_back(why: SentBack<'_>) -> String {
    match why {
        SentBack::Conflict { target, files } => format!(
            "Your branch does not merge into `{}`: conflicts in these files:\n- {}\n\nMerge `{0}` into your branch, keep the \
             intent of both sides, run the checks, and commit.",
            one_line(target),
            listed(files, "\n- "),
        ),
        SentBack::RedCheck { check } => red_check(check),
        SentBack::NotDone { reasons } => {
            let reasons: Vec<_> = reasons.iter().map(ToString::to_string).collect();
            format!("The task does not count as done:\n- {}", listed(&reasons, "\n- "))
        }
    }
}

fn red_check(check: &CheckRun) -> String {
    // The end of the output is where the failure is, so it is cut before anything else can cut it.
    let output = clean(&tail(&check.output_tail, OUTPUT_TAIL_MAX));
    let output = if output.is_empty() { "It printed nothing.".to_owned() } else { quoted(&output) };
    let outcome = one_line(&check.outcome.to_string());
    format!(
        "The check `{}` {outcome}. The end of its output:\n\n{output}\nFind the cause, fix it, run the check, and commit.",
        one_line(&check.command),
    )
}

/// What a report says, without the parts that say nothing.
fn words(said: &Said) -> String {
    let parts = Section::ALL.into_iter().map(|section| (section.heading(), said.text(section)));
    let parts = parts.filter(|(_, text)| !says_nothing(text));
    parts.map(|(heading, text)| format!("{heading}:\n{}", text.trim())).collect::<Vec<_>>().join("\n\n")
}

fn seen(evidence: &Digest) -> String {
    let mut text =
        format!("{} and {}", counted(evidence.commits, "commit"), counted(evidence.files_total, "changed file"));
    if !evidence.files.is_empty() {
        let shown: Vec<_> = evidence.files.iter().take(LISTED_MAX).map(|file| one_line(file)).collect();
        let more = evidence.files_total.saturating_sub(shown.len());
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        text.push_str(&format!(" ({}{more})", shown.join(", ")));
    }
    text.push_str(".\n");
    if !evidence.checks.is_empty() {
        text.push_str(&format!("Checks: {}.\n", listed(&evidence.checks, "; ")));
    }
    text
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn listed(items: &[String], between: &str) -> String {
    let mut lines: Vec<_> = items.iter().take(LISTED_MAX).map(|item| one_line(item)).collect();
    if items.len() > LISTED_MAX {
        lines.push(format!("and {} more", items.len() - LISTED_MAX));
    }
    lines.join(between)
}

fn quoted(text: &str) -> String {
    clean(&head(text, QUOTED_MAX)).lines().map(|line| format!("> {line}\n")).collect()
}

/// Puts texts together so that each has an equal share of the room. Where even that is too little, the last ones are
/// left out and counted.
fn shared(texts: &[String], bytes_max: usize) -> String {
    let share = (bytes_max / texts.len().max(1)).max(SHARE_MIN);
    let fitting = (bytes_max / share).min(texts.len());
    let shown: Vec<_> = texts.iter().take(fitting).map(|text| head(text.trim_end(), share)).collect();
    let mut all = shown.join("\n\n");
    if texts.len() > shown.len() {
        all.push_str(&format!("\n\n[left out by Fleet: {} more]", texts.len() - shown.len()));
    }
    all
}
