//! What Fleet says of a session, at the place of its output where it happened: what its agent was told, what waits for a
//! person, how a process broke off.
//!
//! They are kept beside the output, a line each, in a file that agents do not reach. The session's task alone writes it,
//! in the order of the output; so a reader knows how far it is by how many it has shown.

use std::io;
use std::path::Path;

use schedule::Why;
use serde::{Deserialize, Serialize};
use types::{Approval, ApprovalState, Landing, LandingState, Obstacle, ParkReason, Session, Timestamp, Trouble};

use crate::files::Files;

/// Most notices of a session.
const COUNT_MAX: usize = 1_000;
/// Most characters of one.
const CHARS_MAX: usize = 8_000;
/// Lines of a program's output that are repeated.
const LINES_MAX: usize = 20;

/// Something that Fleet says of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Notice {
    /// The process, counted from one.
    pub(crate) run: u32,
    /// How many bytes of its output lie before.
    pub(crate) offset: u64,
    /// A sentence, and lines of evidence below it.
    pub(crate) text: String,
}

/// Reads the notices of a session; a line that was cut off by a crash is left out.
pub(crate) fn read(files: &dyn Files, path: &Path) -> io::Result<Vec<Notice>> {
    let bytes = files.read(path)?;
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| serde_json::from_slice(line).ok()).take(COUNT_MAX).collect())
}

/// Adds a notice to those that there are, in memory and on disk; returns whether there was room for it.
pub(crate) fn add(files: &dyn Files, path: &Path, known: &mut Vec<Notice>, mut notice: Notice) -> io::Result<bool> {
    if known.len() >= COUNT_MAX {
        return Ok(false);
    }
    if let Some((end, _)) = notice.text.char_indices().nth(CHARS_MAX) {
        notice.text.truncate(end);
    }
    let line = serde_json::to_string(&notice)?;
    match known.is_empty() {
        true => files.write(path, &format!("{line}\n"))?,
        // Begun on a line of its own, whatever a crash left of the one before.
        false => files.append(path, &format!("\n{line}\n"))?,
    }
    known.push(notice);
    Ok(true)
}

/// Says what an agent is told that goes on: why its work came back, if it did, else the words of the person.
pub(crate) fn told(landing: Option<&Landing>, prompt: &str) -> String {
    match landing.map(|landing| &landing.state) {
        Some(LandingState::Returned { obstacle, .. }) => {
            let output = match obstacle {
                Obstacle::Red { check } => check.output_tail.as_str(),
                Obstacle::Conflict { .. } | Obstacle::Failed { .. } => "",
            };
            with_lines(&format!("sent back to its agent: {obstacle}"), output)
        }
        _ => with_lines("its agent continues, and is told:", prompt),
    }
}

/// Says that a call waits for a person, with what answers it.
pub(crate) fn asked(approval: &Approval) -> String {
    let id = &approval.id;
    let what = one_line(&approval.wanted.summary);
    match &approval.wanted.hidden {
        None => {
            format!("waiting for you: approval {id}: {what} (`fleet approval allow {id}`, `fleet approval deny {id}`)")
        }
        Some(hidden) => {
            let hidden = one_line(hidden);
            format!(
                "waiting for you: approval {id}: {what}; it cannot be allowed ({hidden}): `fleet approval deny {id}`"
            )
        }
    }
}

/// Says what was decided on a call that waited; nothing while it waits.
pub(crate) fn answered(approval: &Approval) -> Option<String> {
    let id = &approval.id;
    match &approval.state {
        ApprovalState::Waiting => None,
        ApprovalState::Allowed { by, .. } => Some(format!("approval {id} was allowed by {by}")),
        ApprovalState::Denied { by, .. } => Some(format!("approval {id} was denied by {by}")),
        ApprovalState::Lapsed { why, .. } => Some(format!("approval {id} lapsed: {}", one_line(why))),
    }
}

/// Says how a process broke off, with the last lines of its standard error and when the next one starts.
pub(crate) fn broke_off(trouble: &Trouble, errors: &str, next: Option<Timestamp>) -> String {
    let (class, why) = (trouble.class.as_str(), one_line(&trouble.text));
    let next = next.map(|at| format!("; the next process starts at {at:.0}")).unwrap_or_default();
    let head = format!("its process failed ({class}): {why}{next}");
    // Where the reason is all that it wrote, that is not said twice.
    let below = errors.trim();
    if below.is_empty() || below == why {
        head
    } else {
        with_lines(&format!("{head}; its standard error ends:"), below)
    }
}

/// Says why a session has no process for now, in the words in which `fleet why` says it of its mission.
pub(crate) fn parked(session: &Session, why: ParkReason, until: Option<Timestamp>) -> String {
    let why = Why::Parked { why, until };
    session.mission.as_ref().map_or_else(|| why.to_string(), |held| why.of(&held.mission, None))
}

/// Puts the last lines of a text below a sentence.
fn with_lines(head: &str, text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = lines.get(lines.len().saturating_sub(LINES_MAX)..).unwrap_or_default();
    last.iter().fold(head.to_owned(), |whole, line| format!("{whole}\n{line}"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "notices_tests.rs"]
mod tests;
