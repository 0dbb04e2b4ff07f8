//! Reports under `/api/reports` and `/api/missions`, and the tools that write and read them.

use api_macros::{input, output};
use types::{MissionId, ProjectId, ReportId};

use super::evidence_views::CommitView;
use super::landings::CheckView;
use super::report_views::{ReportRow, ReportTexts, ReportVerdict};
use super::session_views::SessionRow;
use super::words::MissionStatus;
use crate::{Code, Error, Listing, Page, SqlTime};

/// List reports, newest first
#[input(Default)]
pub struct ListReports {
    /// Only reports of this project
    pub project_id: Option<ProjectId>,
    /// Only reports of this mission
    pub mission_id: Option<MissionId>,
    #[group]
    pub page: Page,
}

/// Show a report
#[input]
pub struct GetReport {
    /// The report
    pub report: ReportId,
}

/// Show what the last run of a mission reported, and the end of its logs
#[input]
pub struct GetMissionReport {
    /// The mission
    pub mission: MissionId,
    /// How much of each log to show
    #[serde(default = "four_kib")]
    #[schemars(range(min = 0, max = 1_000_000))]
    pub log_tail_bytes: u32,
}

fn four_kib() -> u32 {
    4096
}

/// Draft the mission that follows from the last report of a mission
#[input]
pub struct GenerateNext {
    /// The mission
    pub mission: MissionId,
}

/// Put the work of a mission that did not land into the landing queue again
#[input]
pub struct RecoverMission {
    /// The mission
    pub mission: MissionId,
}

/// A mission whose work is in the landing queue again
#[output]
pub struct Recovered {
    /// Always true
    pub ok: bool,
    /// The mission
    pub mission_id: MissionId,
    /// The branch
    pub branch_merged: String,
    /// Always null: no checkout is touched
    pub stash_warning: Option<String>,
    /// The way the branch goes
    pub landing_id: types::LandingId,
    /// Its state: queued, or landed if it was there before
    pub landing_status: String,
}

/// Report what you did; a second report takes the place of the first
#[input]
pub struct SubmitReport {
    /// The files you changed, one path a line
    #[schemars(length(max = 100_000))]
    pub files_changed: String,
    /// What you did
    #[schemars(length(max = 100_000))]
    pub what_done: String,
    /// What is left to do
    #[schemars(length(max = 100_000))]
    pub what_open: String,
    /// What you tested, how, and what came of it
    #[schemars(length(max = 100_000))]
    pub what_tested: String,
    /// What you did not test
    #[schemars(length(max = 100_000))]
    pub what_untested: String,
    /// What should be done next
    #[schemars(length(max = 100_000))]
    pub next_steps: String,
    /// What went wrong, and what a person must decide or do
    #[schemars(length(max = 100_000))]
    pub errors_encountered: String,
    /// Where your work can be looked at
    #[schemars(length(max = 10_000))]
    pub preview_url: Option<String>,
    /// The mission, for callers that Fleet did not start on it
    pub mission_id: Option<MissionId>,
}

/// A report that was taken
#[output]
pub struct SubmittedReport {
    /// Says so
    pub message: String,
    /// The mission it is about
    pub mission_id: Option<MissionId>,
}

/// Read what earlier sessions of a mission reported, newest first
#[input(Default)]
pub struct ReadReports {
    /// The mission; your own, when unset
    pub mission_id: Option<MissionId>,
    /// Most reports
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: u32,
}

fn five() -> u32 {
    5
}

/// Show the mission you work on, with its last report
#[input(Default)]
pub struct GetMissionContext {
    /// The mission; your own, when unset
    pub mission_id: Option<MissionId>,
}

/// What the last run of a mission reported
#[output]
pub struct MissionReport {
    /// The mission
    pub mission_id: MissionId,
    /// What it is called
    pub title: String,
    /// Its state
    pub status: MissionStatus,
    /// The model
    pub model: String,
    /// When it was stated
    pub created_at: SqlTime,
    /// When it last changed
    pub updated_at: SqlTime,
    /// Its newest run
    pub session: Option<ReportedSession>,
    /// What that reported
    pub report: Option<ReportRow>,
    /// Its newest landing: the work is done only once that has landed
    pub landing: Option<super::landings::LandingView>,
}

/// A run of a mission with the end of its logs
#[output]
pub struct ReportedSession {
    /// Its id
    pub session_id: types::SessionId,
    /// When it was started
    pub started_at: SqlTime,
    /// When it ended
    pub ended_at: Option<SqlTime>,
    /// What its last process returned
    pub exit_code: Option<i32>,
    /// What it has cost
    pub total_cost_usd: f64,
    /// Set if its agent reports no price, so that what it has cost is unknown
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// Tokens it has taken
    pub total_tokens: u64,
    /// The end of what it wrote to its standard error
    pub error_log_tail: String,
    /// The end of what it said
    pub output_log_tail: String,
    /// Whether it said more than that
    pub output_log_truncated: bool,
    /// Of what kind the last trouble was
    pub error_type: String,
    /// What went wrong last
    pub last_error: String,
}

/// A report, for tools
#[output]
pub struct ToolReport {
    /// The mission
    pub mission_id: Option<MissionId>,
    /// What was said
    #[serde(flatten)]
    pub texts: ReportTexts,
    /// Whether Fleet counts the work as done
    pub verdict: ReportVerdict,
    /// Why it does not
    pub reasons: Vec<String>,
    /// Commits that Fleet saw on the branch, newest first
    pub commits: Vec<CommitView>,
    /// Checks that Fleet ran
    pub checks: Vec<CheckView>,
    /// When it was made
    pub created_at: SqlTime,
}

/// The end of what a mission's newest session said and did
#[output]
pub struct MissionLogs {
    /// The mission
    pub mission_id: MissionId,
    /// Its state
    pub status: MissionStatus,
    /// Its newest session; none if it was never started
    pub session_id: Option<types::SessionId>,
    /// The end of what the agent said and did
    pub output_tail: String,
    /// Whether it said more than that
    pub truncated: bool,
    /// The end of what it wrote to its standard error
    pub error_tail: String,
    /// What went wrong last
    pub last_error: String,
}

impl From<MissionReport> for MissionLogs {
    fn from(report: MissionReport) -> Self {
        let MissionReport { mission_id, status, session, .. } = report;
        match session {
            Some(session) => Self {
                mission_id,
                status,
                session_id: Some(session.session_id),
                output_tail: session.output_log_tail,
                truncated: session.output_log_truncated,
                error_tail: session.error_log_tail,
                last_error: session.last_error,
            },
            None => {
                let none = String::new;
                let (session_id, truncated) = (None, false);
                let (output_tail, error_tail, last_error) = (none(), none(), none());
                Self { mission_id, status, session_id, output_tail, truncated, error_tail, last_error }
            }
        }
    }
}

/// Reports of a mission
#[output]
pub struct PastReports {
    /// The newest first
    pub reports: Vec<ToolReport>,
    /// How many are listed
    pub count: usize,
}

impl From<Listing<ReportRow>> for PastReports {
    fn from(list: Listing<ReportRow>) -> Self {
        Self { count: list.items.len(), reports: list.items.into_iter().map(Into::into).collect() }
    }
}

impl TryFrom<MissionReport> for ToolReport {
    type Error = Error;

    fn try_from(mission: MissionReport) -> Result<Self, Error> {
        let missing = || no_report(&mission.mission_id);
        mission.report.map(Into::into).ok_or_else(missing)
    }
}

/// Refuses to show the report of a mission that has none.
#[must_use]
pub fn no_report(mission: &MissionId) -> Error {
    Error::new(Code::REPORT_MISSING, format!("No report found for mission `{mission}`"))
        .hint(format!("`fleet why {mission}` shows its state; a report is made when its session ends."))
}

impl ReportedSession {
    /// Shows a run with the last characters of its logs.
    #[must_use]
    pub fn of(row: SessionRow, chars_max: usize) -> Self {
        let tail = |text: &str| {
            let skip = text.chars().count().saturating_sub(chars_max);
            (text.chars().skip(skip).collect::<String>(), skip > 0)
        };
        let (output_log_tail, output_log_truncated) = tail(&row.output_log);
        Self {
            session_id: row.id,
            started_at: row.started_at,
            ended_at: row.ended_at,
            exit_code: row.exit_code,
            total_cost_usd: row.total_cost_usd,
            cost_unknown: row.cost_unknown,
            total_tokens: row.total_tokens,
            error_log_tail: tail(&row.error_log).0,
            output_log_tail,
            output_log_truncated,
            error_type: row.error_type,
            last_error: row.last_error,
        }
    }
}
