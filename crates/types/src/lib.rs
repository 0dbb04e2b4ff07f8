//! The nouns of Fleet as plain data: ids, entities, states, events.
//!
//! This crate holds no rule and does no I/O. Rules about missions live in `missions`; the words that each dialect uses
//! for these nouns live in `api`.

mod agent;
mod amount;
mod approval;
mod budget;
mod callback;
mod check;
mod choice;
mod dependency_trouble;
mod event;
mod evidence;
mod execution;
mod failure;
mod guard;
mod host_rule;
mod id;
mod keyed_call;
mod kind;
mod landing;
mod mission;
mod name;
mod notification;
mod park;
mod project;
mod question;
mod report;
mod role;
mod rule;
mod sandbox_rules;
mod saved_view;
mod session;
mod team_record;
mod text;
mod tool_choice;
mod tool_server;
mod worker_notes;
mod workflow;
mod workspace;

pub use agent::Agent;
pub use amount::{Cost, Spending, Tokens, Totals};
pub use approval::{Approval, ApprovalState, ApprovalStateName, WantedCall};
pub use budget::{Allotment, Day, NoTimeOfDay, Spent, TimeOfDay};
pub use callback::{Bookmark, Callback, CallbackState};
pub use check::{CheckOutcome, CheckRun};
pub use choice::{Chosen, ChosenBy};
pub use dependency_trouble::DependencyTrouble;
pub use event::{Change, Event};
pub use evidence::{ChangeKind, Commit, Evidence, FileChange, LeftOut};
pub use execution::{
    CalledOff, Execution, ExecutionState, ExecutionStateName, LogEntry, RunKey, RunKeyError, StepRef, StepRun,
    StepState, StepStateName, StepWork,
};
pub use failure::FailureClass;
pub use guard::{Access, Guard, Held, Network, SandboxSaid, Sandboxed, Wanted};
pub use host_rule::{HostError, HostPattern, HostRule, NetHost, PROXY_PORT, REGISTRIES, WEB_PORTS};
pub use id::{
    ApprovalId, CallbackId, ExecutionId, ID_ALPHABET, IdError, LandingId, LetterId, MissionId, NotificationId,
    ProjectId, QuestionId, ReportId, RuleId, ServerId, SessionId, ViewId, ViolationId, WorkflowId,
};
pub use jiff::Timestamp;
pub use keyed_call::{KeptAnswer, KeyedCall};
pub use kind::MissionKind;
pub use landing::{LandMode, Landing, LandingRules, LandingState, LandingStateName, Obstacle, Publication};
pub use mission::{
    CatchUp, Failure, Holder, Limits, Mission, MissionState, Overlap, Proof, Retry, Schedule, Share, Start, StartFrom,
    StateName,
};
pub use name::{Handle, NameError, StepKey, TeamName, Uid};
pub use notification::{Channel, NoQuiet, Notification, Quiet};
pub use park::ParkReason;
pub use project::{Project, ProjectNotes};
pub use question::{Hearing, Question, QuestionState, QuestionStateName};
pub use report::{Author, Claim, Discrepancy, Reason, Report, Said, Source, Submission, Told, Verdict};
pub use role::{Role, UnknownRole};
pub use rule::{About, Decision, PATTERN_MAX, Pattern, PatternError, Rule, Violation};
pub use sandbox_rules::{NetworkWish, SaidBy, SandboxRules, SandboxWish};
pub use saved_view::{SavedView, ViewPage};
pub use session::{
    Assignment, Begun, Delivery, Letter, Order, Origin, ParkedAccount, Rank, Session, SessionEnding, SessionState,
    SessionStateName, SpawnMode, Stay, Trouble, Wait, Waits,
};
pub use team_record::{RecordChange, RecordId, RecordKind, TeamRecord};
pub use tool_choice::{ToolChoice, ToolChoiceError};
pub use tool_server::{ProjectServer, ServerReach, ServerState};
pub use worker_notes::{WORKER_TAG, WorkerNotes};
pub use workflow::{
    AgentStep, BranchPoint, CheckpointStep, ConditionStep, Definition, Guard as StepGuard, InputKind, InputRule, Join,
    JoinStep, LandStep, OnFailure, ScriptStep, Step, StepConfig, TaskStep, WaitStep, Workflow,
};
pub use workspace::{Place, Tree, Workspace};
