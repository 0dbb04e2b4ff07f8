//! The permissions of a session: everything that its agent's calls are judged by.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize};
use types::{Handle, ProjectId, Rule, TeamName, Timestamp};

use crate::call::{ASKED_MAX, Call, Dialect};
use crate::decide::Verdict;
use crate::paths::Reach;

/// The version of the permissions that this program knows.
///
/// A reader passes over fields that it does not know, so a field that only describes may be added as it is. One that
/// *restricts* (a rule of a new form, another condition) raises the version: a reader that does not know it would allow too
/// much, and refuses every call instead.
pub(crate) const VERSION: u32 = 1;

/// What an agent may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionPermissions {
    /// The version that a reader must know to understand them. The first is not written down: readers that know no other
    /// take it for a field which they do not know.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub version: u32,
    /// The folder it works in.
    pub root: PathBuf,
    /// Its tools, as patterns; none for whatever there is.
    // Said, for a field that is missing is not a wish for all of them.
    #[serde(deserialize_with = "said")]
    pub tools: Option<Vec<String>>,
    /// The rules that concern it; see [`concerning`].
    pub rules: Vec<Rule>,
    /// What people answered so far.
    #[serde(default)]
    pub answers: Vec<Answer>,
    /// What happens to a call that needs approval.
    #[serde(default)]
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

/// What happens to a call that needs approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnAsk {
    /// The agent's process ends, and the call is made again when it was answered.
    Defer,
    /// The agent's process waits for the answer.
    Wait,
    /// There is no way to wait, or only one that this version does not know: the call is refused, and the agent may make it
    /// again.
    #[default]
    #[serde(other)]
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
    /// The call; with long texts cut, unless a person is to be asked about it.
    pub call: Call,
    /// What was decided.
    pub verdict: Verdict,
}

impl Judged {
    /// Writes down a decision.
    ///
    /// A call that a person is asked about is kept whole as far as it can be shown whole: who asks must see all of it.
    #[must_use]
    pub fn new(at: Timestamp, id: Option<String>, call: &Call, verdict: Verdict) -> Self {
        let whole = matches!(verdict, Verdict::Ask { .. }) && call.size() <= ASKED_MAX;
        let kept = if whole { call.clone() } else { call.shortened() };
        Self { at, key: call.key(), id, call: kept, verdict }
    }

    /// Returns the call that this line is about, read again from what it was called with: the agent can write
    /// lines too, and say anything else in them.
    #[must_use]
    pub fn read_again(&self, dialect: Dialect) -> Call {
        Call::of(dialect, &self.call.raw_tool, &self.call.input)
    }
}

const fn first() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks in this form")]
const fn is_first(version: &u32) -> bool {
    *version <= 1
}

fn said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    Option::deserialize(deserializer)
}

impl SessionPermissions {
    /// Permissions that allow everything.
    #[must_use]
    pub fn open(root: PathBuf) -> Self {
        Self {
            version: VERSION,
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
