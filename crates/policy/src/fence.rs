//! The fence of a session: all that its agent's calls are judged by.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use types::{Handle, ProjectId, Rule, TeamName, Timestamp};

use crate::call::Call;
use crate::decide::Verdict;
use crate::paths::Reach;

/// What an agent may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// The folder it works in.
    pub root: PathBuf,
    /// Its tools, as patterns; none for whatever there is.
    pub tools: Option<Vec<String>>,
    /// The rules that concern it; see [`concerning`].
    pub rules: Vec<Rule>,
    /// What people answered so far.
    pub answers: Vec<Answer>,
    /// What becomes of a call that a person is to be asked about.
    pub on_ask: OnAsk,
    /// Folders besides the root that its tools may read.
    #[serde(default)]
    pub readable: Vec<PathBuf>,
    /// Folders besides the root that its tools may write to.
    #[serde(default)]
    pub writable: Vec<PathBuf>,
    /// What `~` stands for; without it nothing behind a `~` is known.
    #[serde(default)]
    pub home: Option<PathBuf>,
}

/// What becomes of a call that a person is to be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnAsk {
    /// The agent's process ends, and the call is made again when it was answered.
    Defer,
    /// The agent's process waits for the answer.
    Wait,
    /// There is no way to wait: the call is refused, and the agent may make it again.
    Refuse,
}

/// What a person answered about one call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The call, by its [`Call::key`].
    pub key: String,
    /// Whether it may run.
    pub allow: bool,
    /// Who answered.
    pub by: Handle,
    /// What the agent is told.
    #[serde(default)]
    pub why: Option<String>,
}

/// One line of the journal: a call, and what was decided about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// When.
    pub at: Timestamp,
    /// The call, by its [`Call::key`].
    pub key: String,
    /// What the agent calls this one call, if it says so.
    #[serde(default)]
    pub id: Option<String>,
    /// The call, with long texts cut.
    pub call: Call,
    /// What was decided.
    pub verdict: Verdict,
}

impl Judged {
    /// Writes down a decision.
    #[must_use]
    pub fn new(at: Timestamp, id: Option<String>, call: &Call, verdict: Verdict) -> Self {
        Self { at, key: call.key(), id, call: call.shortened(), verdict }
    }
}

impl Fence {
    /// A fence in which everything is let through.
    #[must_use]
    pub fn open(root: PathBuf) -> Self {
        Self {
            root,
            tools: None,
            rules: Vec::new(),
            answers: Vec::new(),
            on_ask: OnAsk::Refuse,
            readable: Vec::new(),
            writable: Vec::new(),
            home: None,
        }
    }

    pub(crate) fn reach(&self) -> Reach<'_> {
        Reach { root: &self.root, home: self.home.as_deref(), readable: &self.readable, writable: &self.writable }
    }
}

/// Chooses the rules for a session: those that count, of its team, for its project or for all.
#[must_use]
pub fn concerning(rules: &[Rule], team: &TeamName, project: Option<&ProjectId>) -> Vec<Rule> {
    let concerns =
        |rule: &&Rule| rule.enabled && rule.team == *team && rule.project.as_ref().is_none_or(|of| Some(of) == project);
    rules.iter().filter(concerns).cloned().collect()
}
