//! Fleet's own operations, which no other contract has.

mod accounts;
mod agents;
mod approvals;
mod budgets;
mod inbox;
mod me;
mod questions;
mod retention;
mod standing;
mod workflows;
mod workspaces;

use crate::IsoTime;
use api_macros::{input, output};

pub use accounts::{ListParkedAccounts, ParkedAccountView, UnparkAccount, Unparked};
pub use agents::{AgentAbilities, AgentRow, CallsState, ListAgents, LoginState, TestAgent, TestedAgent};
pub use approvals::{
    AllowApproval, ApprovalStatus, ApprovalSummaries, ApprovalView, DenyApproval, GetApproval, ListApprovals,
};
pub use budgets::{Amounts, BudgetView, Ceilings, ListBudgets, Period};
pub use inbox::{Inbox, InboxItem, InboxKind, ListInbox};
pub use me::{CallerInfo, ShowCaller};
pub use questions::{
    AnswerQuestion, AskHuman, AskedQuestion, GetQuestion, ListQuestions, QuestionView, WithdrawQuestion,
};
pub use retention::{RetentionRow, RunRetention, ShowRetention};
pub use standing::{Beside, MissionStanding, SessionStanding};
pub use workflows::RunWorkflow;
pub use workspaces::{
    KeptWorkspace, ListSnapshots, ListWorkspaces, PruneWorkspaces, Pruned, RemoveWorkspace, RemovedWorkspace,
    RestoreWorkspace, Restored, SnapshotView, WorkspaceView,
};

/// Make a one-time sign-in link for a browser
#[input(Default)]
pub struct CreateLoginLink {}

/// A sign-in link
#[output(camelCase)]
pub struct LoginLink {
    /// The path and query to open on this server
    pub path: String,
    /// When it ceases to work
    pub expires_at: IsoTime,
}

/// Find an object by a prefix of its id, or by its name, folder or number
#[input]
pub struct ResolveId {
    /// A prefix of an id, the name of a project, an absolute path in its folder, or the number of a mission, such as `3`
    /// or `shop#3`
    #[schemars(length(min = 1, max = 1000))]
    pub prefix: String,
    /// The folder in which the caller is: a number means a mission of its project
    #[schemars(length(max = 4000))]
    pub folder: Option<String>,
}

/// The one object that was found
#[output]
pub struct Resolved {
    /// The whole id
    pub id: String,
    /// `approval`, `mission`, `project`, `session` or `mcp server`
    pub kind: String,
    /// Its title or name
    pub title: String,
}
