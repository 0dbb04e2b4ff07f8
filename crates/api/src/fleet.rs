//! Fleet's own operations, which no other contract has.

mod accounts;
mod agents;
mod approvals;
mod budgets;
mod retention;
mod workspaces;

use crate::IsoTime;
use api_macros::{input, output};

pub use accounts::{ListParkedAccounts, ParkedAccountView, UnparkAccount, Unparked};
pub use agents::{AgentAbilities, AgentRow, CallsState, ListAgents, LoginState, TestAgent, TestedAgent};
pub use approvals::{
    AllowApproval, ApprovalStatus, ApprovalSummaries, ApprovalView, DenyApproval, GetApproval, ListApprovals,
};
pub use budgets::{Amounts, BudgetView, Ceilings, ListBudgets, Period};
pub use retention::{RetentionRow, RunRetention, ShowRetention};
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

/// Find an object by a prefix of its id
#[input]
pub struct ResolveId {
    /// An id, or how it begins
    #[schemars(length(min = 3, max = 40), regex(pattern = r"^[a-z]-[0-9a-z]+$"))]
    pub prefix: String,
}

/// The one thing whose id begins so
#[output]
pub struct Resolved {
    /// The whole id
    pub id: String,
    /// `approval`, `mission`, `project`, `session` or `mcp server`
    pub kind: String,
    /// Its title or name
    pub title: String,
}
