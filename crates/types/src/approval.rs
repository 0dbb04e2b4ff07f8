//! An approval: a tool call that an agent may not make before a person has said so.
//!
//! There is one for each call of a session, however often the call is made: whoever has answered it once is not asked
//! again. What is kept of the call is what people are shown; an answer names the call by its key.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ApprovalId, Handle, MissionId, RuleId, SessionId, TeamName};

/// A tool call that waits for a person, or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The team that sees it.
    pub team: TeamName,
    /// The session whose agent wants to make the call.
    pub session: SessionId,
    /// The mission that it works on.
    pub mission: Option<MissionId>,
    /// The name of the agent.
    pub handle: Handle,
    /// Which of the session's processes asked first.
    pub run: u32,
    /// Whether that process waits for the answer; one that does not is gone, and is started again.
    pub held: bool,
    /// What the call is known by: the same for the same tool with the same input.
    pub key: String,
    /// What is asked, as far as people are shown it.
    pub wanted: WantedCall,
    /// The rule that says to ask.
    pub rule: Option<RuleId>,
    /// Why it does, in its own words; empty where it gives none.
    pub why: String,
    /// Where it stands.
    pub state: ApprovalState,
    /// When it was asked.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A call as people are shown it: secrets are cut out, and what is long is cut off.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedCall {
    /// The tool, by its canonical name.
    pub tool: String,
    /// One line that says what the call does.
    pub summary: String,
    /// The command that it would run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The files that it would touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// The hosts that it would speak to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// What else it would be called with, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Why the call cannot be shown whole; such a call cannot be allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<String>,
}

/// Where an approval stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "snake_case")]
pub enum ApprovalState {
    /// Nobody has answered.
    Waiting,
    /// The call may run.
    Allowed {
        /// Who said so.
        by: Handle,
        /// When.
        at: Timestamp,
    },
    /// The call may not run.
    Denied {
        /// Who said so.
        by: Handle,
        /// When.
        at: Timestamp,
        /// Why, for the agent to read; empty where nothing was said.
        why: String,
    },
    /// Nobody answered in time, and no answer would help any more.
    Lapsed {
        /// When.
        at: Timestamp,
        /// What came first.
        why: String,
    },
}

/// The name of an approval's state without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStateName {
    /// See [`ApprovalState::Waiting`].
    Waiting,
    /// See [`ApprovalState::Allowed`].
    Allowed,
    /// See [`ApprovalState::Denied`].
    Denied,
    /// See [`ApprovalState::Lapsed`].
    Lapsed,
}

impl ApprovalState {
    /// Returns the state's name.
    #[must_use]
    pub fn name(&self) -> ApprovalStateName {
        match self {
            Self::Waiting => ApprovalStateName::Waiting,
            Self::Allowed { .. } => ApprovalStateName::Allowed,
            Self::Denied { .. } => ApprovalStateName::Denied,
            Self::Lapsed { .. } => ApprovalStateName::Lapsed,
        }
    }

    /// Returns when it was answered or lapsed.
    #[must_use]
    pub fn settled_at(&self) -> Option<Timestamp> {
        match self {
            Self::Waiting => None,
            Self::Allowed { at, .. } | Self::Denied { at, .. } | Self::Lapsed { at, .. } => Some(*at),
        }
    }
}

impl ApprovalStateName {
    /// Every state, in the order an approval meets them.
    pub const ALL: [Self; 4] = [Self::Waiting, Self::Allowed, Self::Denied, Self::Lapsed];

    /// Returns the word used in keys and on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Lapsed => "lapsed",
        }
    }
}
