//! Workers and workflows under the names of codefleet's MCP tools, on Fleet's records: a worker is a mission that
//! starts by itself, with the session that works on it.
//!
//! These tools have no paths: a client sees them when it asks for the toolset `workers`. What is refused is a result
//! like any other, in the form of [`domain_error`].

mod guide;
mod health;
mod words;
mod worker_views;
mod workers;
mod workflows;

pub use guide::{ExecutorNote, ExecutorNotes, GetExecutorGuide};
pub use health::{CheckHealth, HealthReport};
pub use words::{AuthStatus, ResultStatus, WorkerStatus, domain_error, span, tally};
pub use worker_views::{CleanedWorker, CollectedWorker, TestRun, WorkerPayload, WorkerPayloads, WorkerResult};
pub use workers::{CancelWorker, CleanUpWorker, CollectWorkerResult, CreateWorker, GetWorkerStatus, ListWorkers};
pub use workflows::{
    CancelStagedWorkflow, CleanUpWorkflow, CleanedWorkflow, CollectWorkflowResult, CollectedWorkflow,
    CreateStagedWorkflow, GetWorkflowStatus, ListStagedWorkflows, StageDefinition, StageResult, StageSummary,
    StagedStatus, WorkflowPayload, WorkflowPayloads,
};
