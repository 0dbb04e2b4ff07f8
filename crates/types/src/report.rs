//! A report: what a session says it did, what Fleet saw of it, and what follows from the two.
//!
//! What was said is the agent's word and nothing else. How it is read, bounded and judged is the part of crate
//! `reports`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{CheckOutcome, Evidence, Handle, MissionId, ProjectId, ReportId, SessionId, TeamName};

/// What is known of a piece of work once its agent is through with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// Its id.
    pub id: ReportId,
    /// The team that sees it.
    pub team: TeamName,
    /// The project it is about.
    pub project: Option<ProjectId>,
    /// The mission it is about.
    pub mission: Option<MissionId>,
    /// Whose work it is.
    pub author: Author,
    /// What was said; none if nothing was.
    pub said: Option<Told>,
    /// What Fleet saw.
    pub evidence: Evidence,
    /// Whether the work is done; none where Fleet could see nothing of it.
    pub verdict: Option<Verdict>,
    /// Where the two differ.
    pub discrepancies: Vec<Discrepancy>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When something was last added to it.
    pub updated_at: Timestamp,
}

/// Whose work a report is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Author {
    /// A session that Fleet runs.
    Session {
        /// Which.
        session: SessionId,
        /// The process at whose end it was made.
        run: u32,
    },
    /// A running agent or a person that claimed the mission.
    Agent {
        /// Its handle.
        handle: Handle,
        /// The generation of its hold.
        generation: u64,
    },
}

/// What was said, and how it came in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// How it came in.
    pub source: Source,
    /// What it says.
    pub said: Said,
}

/// How words of an agent came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// Through the tool `submit_report`.
    Submitted,
    /// In a file `result.json`.
    ResultFile {
        /// Whether it was broken, and this is what could be read of it.
        salvaged: bool,
    },
    /// In a marked block of text.
    MarkedText,
    /// They are its last output, which was not marked as a report.
    LastWords,
}

/// What a session has submitted while it is at work; the end of its process makes a report of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Who.
    pub session: SessionId,
    /// In which of its processes.
    pub run: u32,
    /// What.
    pub said: Said,
    /// When.
    pub at: Timestamp,
}

/// What a session says it did, in its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// What it says about how far it got.
    #[serde(default)]
    pub claim: Claim,
    /// Files it says it changed.
    pub files_changed: String,
    /// What it did.
    pub what_done: String,
    /// What is left to do.
    pub what_open: String,
    /// What it tested, and how that went.
    pub what_tested: String,
    /// What it did not test.
    pub what_untested: String,
    /// What it would do next.
    pub next_steps: String,
    /// What went wrong, and what a person must see to.
    pub errors_encountered: String,
    /// Where to look at the work: an `http` or `https` address, or empty.
    pub preview_url: String,
}

/// What a session says about how far it got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// It is done.
    #[default]
    Done,
    /// It looked, and nothing needed doing.
    NothingToDo,
    /// It could not go on.
    Blocked,
    /// Its words were cut off before it said so.
    Unclear,
}

/// Whether the work is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", content = "reasons", rename_all = "snake_case")]
pub enum Verdict {
    /// Everything that is due is there.
    Done,
    /// Something is not; never without a reason.
    NotDone(Vec<Reason>),
}

/// Why work is not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    /// The agent says that it could not go on.
    #[error("the agent says that it is blocked: {why}")]
    Blocked {
        /// In its words.
        why: String,
    },
    /// Its session came to no good end.
    #[error("its session did not come to its end: {why}")]
    NotFinished {
        /// Why.
        why: String,
    },
    /// Its branch could not be looked at.
    #[error("Fleet could not look at the work: {why}")]
    Unseen {
        /// Why.
        why: String,
    },
    /// Nothing was reported where the report is the work.
    #[error("there is no report, and a report is what this mission is for")]
    NoReport,
    /// Nothing was committed.
    #[error("a commit is due and there is none{}", if *kept { "; what was left uncommitted has been kept" } else { "" })]
    NoCommit {
        /// Whether there is uncommitted work, kept by Fleet.
        kept: bool,
    },
    /// Nothing was committed, and the agent says that nothing had to be.
    #[error("a commit is due and there is none; the agent says that nothing needed doing")]
    NothingToDo,
    /// There are commits, and together they change nothing.
    #[error("the commits change no file")]
    NothingChanged,
    /// No check ran.
    #[error("checks are due and none ran")]
    ChecksMissing,
    /// A check ran and did not pass, or could not be run.
    #[error("the check `{command}` {outcome}")]
    CheckRed {
        /// Which.
        command: String,
        /// How it ended.
        outcome: CheckOutcome,
    },
}

/// A difference between what was said and what is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Discrepancy {
    /// The report names a file that did not change.
    #[error("the report names {path}, which did not change")]
    NotChanged {
        /// As the report has it.
        path: String,
    },
    /// A file changed that the report does not name.
    #[error("{path} changed, and the report does not name it")]
    NotNamed {
        /// As git has it.
        path: String,
    },
    /// The agent had none of Fleet's tools, so it could not have reported with them.
    #[error("the agent's MCP server `{server}` was {status}: it had none of Fleet's tools")]
    NoTools {
        /// The server's name.
        server: String,
        /// The agent's word for how it was.
        status: String,
    },
    /// There are more than are listed.
    #[error("and {count} more")]
    More {
        /// How many.
        count: usize,
    },
}

impl Report {
    /// Returns the session it is about, if it is about one.
    #[must_use]
    pub fn session(&self) -> Option<&SessionId> {
        match &self.author {
            Author::Session { session, .. } => Some(session),
            Author::Agent { .. } => None,
        }
    }

    /// Returns what was said, if anything was.
    #[must_use]
    pub fn words(&self) -> Option<&Said> {
        self.said.as_ref().map(|told| &told.said)
    }
}

impl Said {
    /// Returns whether it is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self {
            claim: _,
            files_changed,
            what_done,
            what_open,
            what_tested,
            what_untested,
            next_steps,
            errors_encountered,
            preview_url,
        } = self;
        let work = [files_changed, what_done, what_open, what_tested, what_untested];
        work.into_iter().chain([next_steps, errors_encountered, preview_url]).all(|text| text.trim().is_empty())
    }
}
