//! `result.json`: a report as codefleet's agents leave it, whole or broken.
//!
//! Whether any of it is true is not asked here; see [`WorkResult::with_facts`] for what git puts in its place.

mod read;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use types::{Claim, Evidence, Said};

pub use self::read::read_result;
use crate::said::{Section, Sections as _};
use crate::salvage::Repair;

/// The most bytes of a result that are looked at.
pub const RESULT_MAX: usize = 1024 * 1024;

/// What an agent says it did, in codefleet's form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkResult {
    /// What was done; why not, if it is blocked.
    pub summary: String,
    /// How far it got; none if the text was cut off before that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<ResultStatus>,
    /// Paths.
    pub files_changed: Vec<String>,
    /// Tests that it says it ran.
    pub tests: Vec<TestClaim>,
    /// Names of commits.
    pub commits: Vec<String>,
    /// What to do next.
    pub next_steps: Vec<String>,
}

/// How far an agent says it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultStatus {
    /// It is done.
    Completed,
    /// Nothing needed doing.
    CompletedNoChanges,
    /// It could not continue.
    Blocked,
}

/// A test that an agent says it ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestClaim {
    /// Its command.
    pub command: String,
    /// `passed`, `failed`, `not_run`, or any other word.
    pub status: String,
    /// What there is to say.
    pub details: String,
}

/// A result, and what had to be done to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultReading {
    /// What was read.
    pub result: WorkResult,
    /// Liberties taken; none for a file that is as it should be.
    pub repairs: BTreeSet<Repair>,
}

/// Why a text is not a result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// There is nothing.
    #[error("the result is empty")]
    Empty,
    /// There is too much.
    #[error("the result has {bytes} bytes, more than {RESULT_MAX}")]
    TooLong {
        /// How much.
        bytes: usize,
    },
    /// There is no JSON object in it that says anything.
    #[error("the result holds no JSON object with a \"summary\"")]
    NoObject,
    /// A field is not there.
    #[error("the result lacks {field:?}")]
    Missing {
        /// Which.
        field: &'static str,
    },
    /// A field has another type.
    #[error("{field} must be {wanted}, not {found}")]
    WrongKind {
        /// Which.
        field: &'static str,
        /// What it should be.
        wanted: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// An unknown status.
    #[error("status must be completed, completed_no_changes or blocked, not {found:?}")]
    UnknownStatus {
        /// What it says; cut, if it is long.
        found: String,
    },
}

impl ResultReading {
    /// Returns whether it differs from what was written.
    #[must_use]
    pub fn salvaged(&self) -> bool {
        !self.repairs.is_empty()
    }

    /// Returns what the agent says, in the one form.
    #[must_use]
    pub fn said(&self) -> Said {
        self.result.said()
    }
}

/// Writes a result as the file that codefleet's clients read.
#[must_use]
pub fn write_result(result: &WorkResult) -> String {
    // Plain texts and lists always have a JSON form; an empty object is what an impossible failure would leave.
    serde_json::to_string_pretty(result).unwrap_or_else(|_| "{}".to_owned())
}

/// Returns the schema that agents which take one are given: every field must be there.
#[must_use]
pub fn result_schema() -> Value {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let test = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["command", "status", "details"],
        "properties": {
            "command": {"type": "string"},
            "status": {"type": "string", "enum": ["passed", "failed", "not_run"]},
            "details": {"type": "string"},
        },
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["summary", "status", "files_changed", "tests", "commits", "next_steps"],
        "properties": {
            "summary": {"type": "string"},
            "status": {"type": "string", "enum": ["completed", "completed_no_changes", "blocked"]},
            "files_changed": texts,
            "tests": {"type": "array", "items": test},
            "commits": texts,
            "next_steps": texts,
        },
    })
}

impl WorkResult {
    /// Returns it with what git shows in place of what the agent says of commits and files.
    #[must_use]
    pub fn with_facts(self, evidence: &Evidence) -> Self {
        Self {
            files_changed: evidence.files.iter().map(|file| file.path.clone()).collect(),
            commits: evidence.commits.iter().map(|commit| commit.oid.clone()).collect(),
            ..self
        }
    }

    /// Returns a result for an agent that left work and no readable word about it; none if it left no work either.
    #[must_use]
    pub fn from_evidence(evidence: &Evidence) -> Option<Self> {
        let summary = "The agent left no readable result. Fleet found these changes on its branch.".to_owned();
        let result = Self { summary, status: Some(ResultStatus::Completed), ..Self::default() };
        (!evidence.files.is_empty()).then(|| result.with_facts(evidence))
    }

    /// Returns what the agent says, in the one form. Its commits are left out: git knows them better.
    #[must_use]
    pub fn said(&self) -> Said {
        let claim = match self.status {
            Some(ResultStatus::Completed) => Claim::Done,
            Some(ResultStatus::CompletedNoChanges) => Claim::NothingToDo,
            Some(ResultStatus::Blocked) => Claim::Blocked,
            None => Claim::Unclear,
        };
        let (ran, not_run): (Vec<_>, Vec<_>) =
            self.tests.iter().partition(|test| !matches!(test.status.as_str(), "not_run" | "skipped"));
        let mut said = Said { claim, ..Said::default() };
        said.put(Section::FilesChanged, &bullets(self.files_changed.iter().cloned()));
        said.put(if claim == Claim::Blocked { Section::Errors } else { Section::Done }, &self.summary);
        said.put(Section::Tested, &bullets(ran.into_iter().map(line)));
        said.put(Section::Untested, &bullets(not_run.into_iter().map(line)));
        said.put(Section::NextSteps, &bullets(self.next_steps.iter().cloned()));
        said
    }
}

fn bullets(items: impl Iterator<Item = String>) -> String {
    items.map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

fn line(test: &TestClaim) -> String {
    let details = if test.details.is_empty() { String::new() } else { format!(" ({})", test.details) };
    format!("`{}`: {}{details}", test.command, test.status)
}

#[cfg(test)]
#[path = "result_tests.rs"]
mod tests;
