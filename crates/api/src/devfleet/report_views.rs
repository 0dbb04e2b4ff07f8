//! How this dialect shows reports: the agent's words as texts of a row, and beside them what Fleet saw.

use api_macros::output;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Mission, MissionId, Report, ReportId, Said, SessionId, Source, Verdict};

use super::evidence_views::EvidenceView;
use super::reports::ToolReport;
use super::words::MissionStatus;
use crate::SqlTime;

/// What an agent said
#[output(Default)]
pub struct ReportTexts {
    /// Files it says it changed
    pub files_changed: String,
    /// What it did
    pub what_done: String,
    /// What is left to do
    pub what_open: String,
    /// What it tested
    pub what_tested: String,
    /// What it did not test
    pub what_untested: String,
    /// What it would do next
    pub next_steps: String,
    /// What went wrong, and what a person must see to
    pub errors_encountered: String,
    /// Where to look at the work
    pub preview_url: String,
}

/// A report
#[output]
pub struct ReportRow {
    /// Its id
    pub id: ReportId,
    /// The session it is of; none for an agent that Fleet did not start
    pub session_id: Option<SessionId>,
    /// The mission it is about
    pub mission_id: Option<MissionId>,
    /// What was said
    #[serde(flatten)]
    pub texts: ReportTexts,
    /// When it was made
    pub created_at: SqlTime,
    /// How the words came in
    pub source: ReportSource,
    /// Whether Fleet counts the work as done
    pub verdict: ReportVerdict,
    /// Why it does not
    pub reasons: Vec<String>,
    /// What Fleet saw
    pub evidence: EvidenceView,
    /// Where words and work differ
    pub discrepancies: Vec<String>,
    /// What the mission is called
    pub mission_title: Option<String>,
    /// What the project is called
    pub project_name: Option<String>,
}

/// How an agent's words came in
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportSource {
    /// Through the tool `submit_report`
    Submitted,
    /// In a file `result.json`
    ResultFile,
    /// In a broken `result.json`, as far as it could be read
    Salvaged,
    /// In a marked block of text
    MarkedText,
    /// As its last words
    LastWords,
    /// It said nothing
    None,
}

/// Whether Fleet counts work as done
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportVerdict {
    /// It is done
    Done,
    /// It is not
    NotDone,
    /// Fleet saw nothing of it
    Unseen,
}

/// A report in the dashboard
#[output]
pub struct RecentReport {
    /// Its id
    pub id: ReportId,
    /// When it was made
    pub created_at: SqlTime,
    /// What was done
    pub what_done: String,
    /// What is left to do
    pub what_open: String,
    /// What the mission is called
    pub mission_title: Option<String>,
    /// What the project is called
    pub project_name: Option<String>,
}

/// A mission as its agent sees it
#[output]
pub struct MissionContext {
    /// Its id
    pub mission_id: MissionId,
    /// One line
    pub title: String,
    /// What to do
    pub detailed_prompt: String,
    /// How to tell that it is done
    pub acceptance_criteria: String,
    /// Where it stands
    pub status: MissionStatus,
    /// The preset it runs under
    pub mission_type: String,
    /// The model to use
    pub model: String,
    /// What its last run reported
    pub latest_report: Option<ToolReport>,
}

impl From<Said> for ReportTexts {
    fn from(said: Said) -> Self {
        Self {
            files_changed: said.files_changed,
            what_done: said.what_done,
            what_open: said.what_open,
            what_tested: said.what_tested,
            what_untested: said.what_untested,
            next_steps: said.next_steps,
            errors_encountered: said.errors_encountered,
            preview_url: said.preview_url,
        }
    }
}

impl ReportRow {
    /// Shows a report with the names of what it is about.
    #[must_use]
    pub fn of(report: Report, mission_title: Option<String>, project_name: Option<String>) -> Self {
        let (verdict, reasons) = judged(report.verdict.as_ref());
        Self {
            id: report.id.clone(),
            session_id: report.session().cloned(),
            mission_id: report.mission.clone(),
            source: report.said.as_ref().map_or(ReportSource::None, |told| told.source.into()),
            texts: report.said.map(|told| told.said.into()).unwrap_or_default(),
            created_at: SqlTime(report.created_at),
            verdict,
            reasons,
            evidence: report.evidence.into(),
            discrepancies: report.discrepancies.iter().map(ToString::to_string).collect(),
            mission_title,
            project_name,
        }
    }
}

impl From<ReportRow> for RecentReport {
    fn from(row: ReportRow) -> Self {
        Self {
            id: row.id,
            created_at: row.created_at,
            what_done: row.texts.what_done,
            what_open: row.texts.what_open,
            mission_title: row.mission_title,
            project_name: row.project_name,
        }
    }
}

impl From<ReportRow> for ToolReport {
    fn from(row: ReportRow) -> Self {
        let ReportRow { mission_id, texts, verdict, reasons, created_at, evidence, .. } = row;
        let (commits, checks) = (evidence.commits, evidence.checks);
        Self { mission_id, texts, verdict, reasons, commits, checks, created_at }
    }
}

impl MissionContext {
    /// Shows a mission with the model it gets and its last report.
    #[must_use]
    pub fn of(mission: Mission, model: String, latest_report: Option<ReportRow>) -> Self {
        Self {
            status: MissionStatus::from(&mission.state),
            mission_id: mission.id,
            title: mission.title,
            detailed_prompt: mission.prompt,
            acceptance_criteria: mission.acceptance,
            mission_type: mission.kind.into(),
            model,
            latest_report: latest_report.map(Into::into),
        }
    }
}

impl From<Source> for ReportSource {
    fn from(source: Source) -> Self {
        match source {
            Source::Submitted => Self::Submitted,
            Source::ResultFile { salvaged: false } => Self::ResultFile,
            Source::ResultFile { salvaged: true } => Self::Salvaged,
            Source::MarkedText => Self::MarkedText,
            Source::LastWords => Self::LastWords,
        }
    }
}

/// Says whether Fleet counts work as done, and why not.
pub(super) fn judged(verdict: Option<&Verdict>) -> (ReportVerdict, Vec<String>) {
    match verdict {
        None => (ReportVerdict::Unseen, Vec::new()),
        Some(Verdict::Done) => (ReportVerdict::Done, Vec::new()),
        Some(Verdict::NotDone(reasons)) => (ReportVerdict::NotDone, reasons.iter().map(ToString::to_string).collect()),
    }
}
