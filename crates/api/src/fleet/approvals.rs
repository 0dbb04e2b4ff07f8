//! Tool calls that wait for a person to say whether they may run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Approval, ApprovalId, ApprovalState, ApprovalStateName, Handle, MissionId, RuleId, SessionId};

use crate::IsoTime;

/// List approvals, newest first
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListApprovals {
    /// Only those that stand so
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<ApprovalStatus>,
    /// Only those of this mission
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_id: Option<MissionId>,
    /// Only those of this session
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Most approvals to return
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1000))]
    pub limit: Option<u32>,
    /// Go on behind this place, as given by the `Fleet-Next` header
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub after: Option<String>,
}

/// Show an approval
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetApproval {
    /// The approval
    pub approval: ApprovalId,
}

/// Let a call run that an agent asks for
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AllowApproval {
    /// The approval
    pub approval: ApprovalId,
}

/// Refuse a call that an agent asks for; it is told why and goes on
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DenyApproval {
    /// The approval
    pub approval: ApprovalId,
    /// Why, for the agent to read
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
        Self {
            id: approval.id,
            status,
            summary: approval.wanted.summary,
            tool: approval.wanted.tool,
            command: approval.wanted.command,
            paths: approval.wanted.paths,
            hosts: approval.wanted.hosts,
            rule_id: approval.rule,
            reason: approval.why,
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
