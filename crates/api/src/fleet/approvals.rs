//! Tool calls that wait for a person to say whether they may run.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Approval, ApprovalId, ApprovalState, ApprovalStateName, Handle, MissionId, RuleId, SessionId};

use crate::{IsoTime, Listing, Page};

/// List approvals, newest first
#[input(Default)]
pub struct ListApprovals {
    /// Only those that stand so
    pub status: Option<ApprovalStatus>,
    /// Only those of this mission
    pub mission_id: Option<MissionId>,
    /// Only those of this session
    pub session_id: Option<SessionId>,
    #[group]
    pub page: Page,
}

/// Show an approval
#[input]
pub struct GetApproval {
    /// The approval
    pub approval: ApprovalId,
}

/// Let a call run that an agent asks for
#[input]
pub struct AllowApproval {
    /// The approval
    pub approval: ApprovalId,
}

/// Refuse a call that an agent asks for; it is told why and goes on
#[input]
pub struct DenyApproval {
    /// The approval
    pub approval: ApprovalId,
    /// Why, for the agent to read
    #[schemars(length(max = 2000))]
    pub why: Option<String>,
}

/// Where an approval stands
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Nobody has answered
    Waiting,
    /// The call may run
    Allowed,
    /// The call may not run
    Denied,
    /// The session ended before anybody answered
    Lapsed,
}

/// A tool call that waits for a person, or did
#[output]
pub struct ApprovalView {
    /// Its id
    pub id: ApprovalId,
    /// Where it stands
    pub status: ApprovalStatus,
    /// What the call does, in one line
    pub summary: String,
    /// The tool
    pub tool: String,
    /// The command that it would run, without secrets
    pub command: Option<String>,
    /// The files that it would touch
    pub paths: Vec<String>,
    /// The hosts that it would speak to
    pub hosts: Vec<String>,
    /// What else it would be called with, as JSON without secrets
    pub input: Option<String>,
    /// The rule that says to ask
    pub rule_id: Option<RuleId>,
    /// Why it does
    pub reason: String,
    /// The name of the agent
    pub agent: Handle,
    /// The session
    pub session_id: SessionId,
    /// The mission
    pub mission_id: Option<MissionId>,
    /// Who answered
    pub answered_by: Option<Handle>,
    /// When it was answered, or lapsed
    pub answered_at: Option<IsoTime>,
    /// What was said with the answer, or what came before any
    pub answer: Option<String>,
    /// When it was asked
    pub created_at: IsoTime,
}

/// Approvals, for tools
#[output]
pub struct ApprovalSummaries {
    /// The newest first
    pub approvals: Vec<ApprovalView>,
    /// How many are listed
    pub count: usize,
}

impl From<Listing<ApprovalView>> for ApprovalSummaries {
    fn from(list: Listing<ApprovalView>) -> Self {
        Self { count: list.items.len(), approvals: list.items }
    }
}

impl From<ApprovalStateName> for ApprovalStatus {
    fn from(state: ApprovalStateName) -> Self {
        match state {
            ApprovalStateName::Waiting => Self::Waiting,
            ApprovalStateName::Allowed => Self::Allowed,
            ApprovalStateName::Denied => Self::Denied,
            ApprovalStateName::Lapsed => Self::Lapsed,
        }
    }
}

impl From<ApprovalStatus> for ApprovalStateName {
    fn from(status: ApprovalStatus) -> Self {
        match status {
            ApprovalStatus::Waiting => Self::Waiting,
            ApprovalStatus::Allowed => Self::Allowed,
            ApprovalStatus::Denied => Self::Denied,
            ApprovalStatus::Lapsed => Self::Lapsed,
        }
    }
}

impl From<Approval> for ApprovalView {
    fn from(approval: Approval) -> Self {
        let (status, at) = (approval.state.name().into(), approval.state.settled_at());
        let (answered_by, answer) = match approval.state {
            ApprovalState::Waiting => (None, None),
            ApprovalState::Allowed { by, .. } => (Some(by), None),
            ApprovalState::Denied { by, why, .. } => (Some(by), Some(why).filter(|why| !why.is_empty())),
            ApprovalState::Lapsed { why, .. } => (None, Some(why)),
        };
        let reason = match &approval.wanted.hidden {
            None => approval.why,
            Some(hidden) => format!("{} [cannot be allowed: {hidden}]", approval.why).trim_start().to_owned(),
        };
        Self {
            id: approval.id,
            status,
            summary: approval.wanted.summary,
            tool: approval.wanted.tool,
            command: approval.wanted.command,
            paths: approval.wanted.paths,
            hosts: approval.wanted.hosts,
            input: approval.wanted.input,
            rule_id: approval.rule,
            reason,
            agent: approval.handle,
            session_id: approval.session,
            mission_id: approval.mission,
            answered_by,
            answered_at: at.map(IsoTime),
            answer,
            created_at: IsoTime(approval.created_at),
        }
    }
}
