//! Events, as recorded in the change feed.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ApprovalId, ApprovalStateName, CallbackId, ExecutionId, ExecutionStateName, Handle, LandingId, LandingStateName,
    MissionId, ProjectId, QuestionId, QuestionStateName, RecordChange, ReportId, RuleId, SessionId, SessionStateName,
    StateName, StepRef, StepStateName, TeamName, Uid, ViolationId, WorkflowId,
};

/// One committed change: who did it, when, and what happened. It is stored in the same commit as its effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// When it was decided.
    pub at: Timestamp,
    /// Whose token it was done with.
    pub by: Handle,
    /// The team it concerns.
    pub team: TeamName,
    /// What happened, in order.
    pub events: Vec<Event>,
}

/// A thing that happened to one entity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// A project was added.
    ProjectCreated {
        /// Which.
        project: ProjectId,
    },
    /// A project's settings changed.
    ProjectUpdated {
        /// Which.
        project: ProjectId,
    },
    /// A project and its missions were removed.
    ProjectDeleted {
        /// Which.
        project: ProjectId,
    },
    /// A mission was stated.
    MissionCreated {
        /// Which.
        mission: MissionId,
    },
    /// A mission was assigned.
    MissionAssigned {
        /// Which.
        mission: MissionId,
        /// The assignee.
        to: Handle,
        /// Who assigned it.
        from: Uid,
    },
    /// Something said about a mission changed.
    MissionUpdated {
        /// Which.
        mission: MissionId,
    },
    /// A mission went from one state to another.
    MissionMoved {
        /// Which.
        mission: MissionId,
        /// From.
        from: StateName,
        /// To.
        to: StateName,
    },
    /// A mission was removed.
    MissionDeleted {
        /// Which.
        mission: MissionId,
    },
    /// An agent was registered, or registered again.
    AgentRegistered {
        /// Which.
        uid: Uid,
    },
    /// A session was asked for.
    SessionCreated {
        /// Which.
        session: SessionId,
        /// The mission it is for.
        mission: Option<MissionId>,
    },
    /// A session went from one state to another.
    SessionMoved {
        /// Which.
        session: SessionId,
        /// The mission it is for.
        mission: Option<MissionId>,
        /// From.
        from: SessionStateName,
        /// To.
        to: SessionStateName,
    },
    /// A landing went from one state to another; from none when it comes.
    LandingMoved {
        /// Which.
        landing: LandingId,
        /// Whose work it is.
        mission: MissionId,
        /// From.
        from: Option<LandingStateName>,
        /// To.
        to: LandingStateName,
    },
    /// An approval went from one state to another; from none when it is asked for.
    ApprovalMoved {
        /// Which.
        approval: ApprovalId,
        /// Whose agent asks.
        session: SessionId,
        /// What that works on.
        mission: Option<MissionId>,
        /// From.
        from: Option<ApprovalStateName>,
        /// To.
        to: ApprovalStateName,
    },
    /// A question went from one state to another; from none when it is asked.
    QuestionMoved {
        /// Which.
        question: QuestionId,
        /// Whose agent asks.
        session: SessionId,
        /// What that works on.
        mission: Option<MissionId>,
        /// From.
        from: Option<QuestionStateName>,
        /// To.
        to: QuestionStateName,
    },
    /// A mission was started by itself.
    AutoDispatched {
        /// Which.
        mission: MissionId,
        /// The session that took it.
        session: SessionId,
    },
    /// The last mission that a mission had waited for was done.
    DependencyMet {
        /// The one that waited.
        mission: MissionId,
        /// The one it had waited for.
        on: MissionId,
    },
    /// A mission could not be started.
    DispatchFailed {
        /// Which.
        mission: MissionId,
        /// Why.
        why: String,
    },
    /// An MCP server of a session's agent did not come up: its tools are missing.
    ServerFailed {
        /// Which session.
        session: SessionId,
        /// The mission it is for.
        mission: Option<MissionId>,
        /// The server's name.
        server: String,
        /// The agent's word for how it is.
        status: String,
    },
    /// What is known of a piece of work was written down.
    ReportMade {
        /// Which report.
        report: ReportId,
        /// The mission it is about.
        mission: Option<MissionId>,
        /// The session whose work it is.
        session: SessionId,
    },
    /// A budget was used up: what runs under it is stopped at the end of its turn, and waits.
    BudgetUsedUp {
        /// The project whose it is; none for the fleet's.
        project: Option<ProjectId>,
        /// What of it, and how much.
        why: String,
        /// When it resets; none if a person must raise it.
        #[schemars(with = "Option<String>")]
        resets_at: Option<Timestamp>,
    },
    /// There is something to spend again of a budget that was used up.
    BudgetRenewed {
        /// The project whose it is; none for the fleet's.
        project: Option<ProjectId>,
    },
    /// A callback was delivered.
    CallbackDelivered {
        /// Which mission.
        mission: MissionId,
        /// The callback.
        callback: CallbackId,
    },
    /// A callback could not be delivered, and is not retried.
    CallbackFailed {
        /// Which mission.
        mission: MissionId,
        /// The callback.
        callback: CallbackId,
        /// Why.
        why: String,
    },
    /// A message was put to the agent of a session.
    LetterWritten {
        /// Which session.
        session: SessionId,
        /// The message's number in it.
        number: u64,
    },
    /// A rule was created; the permissions of its team's sessions are to be written again.
    RuleCreated {
        /// Which.
        rule: RuleId,
    },
    /// A rule was changed.
    RuleUpdated {
        /// Which.
        rule: RuleId,
    },
    /// A rule was removed.
    RuleDeleted {
        /// Which.
        rule: RuleId,
    },
    /// A plain record of a team was made, changed or removed.
    RecordChanged {
        /// The table of its kind.
        table: String,
        /// Which.
        id: String,
        /// What happened.
        change: RecordChange,
    },
    /// A workflow was made, changed or removed.
    WorkflowChanged {
        /// Which.
        workflow: WorkflowId,
        /// What happened.
        change: RecordChange,
    },
    /// An execution of a workflow went from one state to another; from none when it begins.
    ExecutionMoved {
        /// Which.
        execution: ExecutionId,
        /// From.
        from: Option<ExecutionStateName>,
        /// To.
        to: ExecutionStateName,
    },
    /// A step of an execution went from one state to another; from none when it is made for an item.
    StepMoved {
        /// Which.
        step: StepRef,
        /// From.
        from: Option<StepStateName>,
        /// To.
        to: StepStateName,
    },
    /// A call of an agent was not let through.
    CallRefused {
        /// Which session's agent it was.
        session: SessionId,
        /// The mission it works on.
        mission: Option<MissionId>,
        /// What was written down of it.
        violation: ViolationId,
    },
}

impl Event {
    /// Returns the mission it is about, if it is about one.
    #[must_use]
    pub fn mission(&self) -> Option<&MissionId> {
        match self {
            Self::MissionCreated { mission }
            | Self::MissionAssigned { mission, .. }
            | Self::MissionUpdated { mission }
            | Self::MissionMoved { mission, .. }
            | Self::MissionDeleted { mission } => Some(mission),
            Self::AutoDispatched { mission, .. }
            | Self::CallbackDelivered { mission, .. }
            | Self::CallbackFailed { mission, .. }
            | Self::LandingMoved { mission, .. }
            | Self::DependencyMet { mission, .. }
            | Self::DispatchFailed { mission, .. } => Some(mission),
            Self::SessionCreated { mission, .. }
            | Self::SessionMoved { mission, .. }
            | Self::ServerFailed { mission, .. }
            | Self::ApprovalMoved { mission, .. }
            | Self::QuestionMoved { mission, .. }
            | Self::ReportMade { mission, .. }
            | Self::CallRefused { mission, .. } => mission.as_ref(),
            Self::ProjectCreated { .. }
            | Self::ProjectUpdated { .. }
            | Self::ProjectDeleted { .. }
            | Self::AgentRegistered { .. }
            | Self::BudgetUsedUp { .. }
            | Self::BudgetRenewed { .. }
            | Self::LetterWritten { .. }
            | Self::RuleCreated { .. }
            | Self::RuleUpdated { .. }
            | Self::RuleDeleted { .. }
            | Self::RecordChanged { .. }
            | Self::WorkflowChanged { .. }
            | Self::ExecutionMoved { .. }
            | Self::StepMoved { .. } => None,
        }
    }
}
