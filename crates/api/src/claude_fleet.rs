//! claude-fleet's REST contract (root paths) and MCP tools, on Fleet's records.

mod auth;
mod lineage;
mod policies;
mod policy_views;
mod session_node;
mod status;
mod tasks;
mod team_views;
mod words;
mod workers;
mod workflow_views;
mod workflows;
mod worktree;

pub use auth::{AgentView, Authenticate, Authenticated, ListTeamAgents};
pub use lineage::{
    ContinueSession, CreateSession, ForkSession, FoundSession, FoundSessions, GetLineage, GetSessionNode, LineageView,
    ListWorkerSessions, SearchSessions, TrimSession,
};
pub use policies::{
    CreatePolicy, DeletePolicy, EvaluatePolicy, GetPolicy, ListPolicies, ListViolations, PolicyDeleted, PolicyVerdict,
    PolicyView, UpdatePolicy,
};
pub use policy_views::{DecisionCounts, GetPolicyStats, PolicyStats, RuleCount, ViolationView};
pub use session_node::{SessionNode, SessionOrigin, TokenCount, millis};
pub use status::{
    Debug, DebugChat, DebugWorker, GetDebug, GetHealth, GetMetrics, Health, Metrics, RestartMetrics, TaskMetrics,
    TasksByStatus, WorkerMetrics, WorkersByState,
};
pub use tasks::{CreateTask, GetTask, ListTeamTasks, TaskView, UpdateTask};
pub use team_views::{GetTeamStatus, TaskFilter, TeamStatus, TeamTasks, TeamWorkers};
pub use words::{TaskStatus, WorkerHealth, WorkerMode, WorkerState};
pub use workers::{
    DismissWorker, GetWorkerOutput, ListWorkers, RegisterWorker, ReportWorkerOutput, ReportedOutput, SendToWorker,
    SentToWorker, SpawnWorker, SpawnedWorker, WorkerDone, WorkerOutput, WorkerView,
};
pub use workflows::{
    CancelExecution, Changed, CompleteStep, CreateWorkflow, DeleteWorkflow, ExecutionContext, ExecutionEvent,
    ExecutionStatus, ExecutionView, GetExecution, GetWorkflow, ListExecutionEvents, ListExecutionSteps, ListExecutions,
    ListWorkflows, PauseExecution, ResumeExecution, RetryStep, StartWorkflow, StepStatus, StepView, UpdateWorkflow,
    WorkflowView,
};
pub use worktree::{
    AheadBehind, CommitWorktree, CommittedWorktree, GetWorktree, OpenPullRequest, OpenedPullRequest, PushWorktree,
    WorktreeView,
};
