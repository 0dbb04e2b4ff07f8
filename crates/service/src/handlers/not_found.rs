//! The refusals of what does not exist. What a caller may not know of is refused in the same words.

use api::{Code, Error};

pub(crate) fn mission(noun: &str) -> Error {
    Error::new(Code::MISSION_NOT_FOUND, format!("{noun} not found")).hint("`fleet mission list` shows what there is.")
}

pub(crate) fn dependency(id: &str) -> Error {
    Error::new(Code::DEPENDENCY_UNKNOWN, format!("no mission has the id `{id}`"))
        .hint("State the missions it depends on first; `fleet mission list` shows them.")
}

pub(crate) fn project() -> Error {
    Error::new(Code::PROJECT_NOT_FOUND, "Project not found").hint("`fleet project list` shows the projects.")
}

/// The refusal of a project that something new names.
pub(crate) fn project_named() -> Error {
    Error::new(Code::PROJECT_UNKNOWN, "Project not found")
        .hint("`fleet project list` shows the projects; `fleet project create` adds one.")
}

pub(crate) fn session() -> Error {
    Error::new(Code::SESSION_NOT_FOUND, "Session not found").hint("`fleet session list` shows them.")
}

pub(crate) fn worker(handle: &str) -> Error {
    Error::new(Code::WORKER_NOT_FOUND, format!("Worker '{handle}' not found or stopped"))
        .hint("`fleet workers` shows who is there.")
}

pub(crate) fn approval() -> Error {
    Error::new(Code::APPROVAL_NOT_FOUND, "Approval not found").hint("`fleet approval list` shows them.")
}

pub(crate) fn question() -> Error {
    Error::new(Code::QUESTION_NOT_FOUND, "Question not found").hint("`fleet question list` shows them.")
}

pub(crate) fn policy() -> Error {
    Error::new(Code::POLICY_NOT_FOUND, "Policy not found").hint("`fleet policy list` shows them.")
}

pub(crate) fn landing() -> Error {
    Error::new(Code::LANDING_NOT_FOUND, "Landing not found").hint("`fleet land status` shows them.")
}

pub(crate) fn server() -> Error {
    Error::new(Code::SERVER_NOT_FOUND, "MCP server not found")
        .hint("`fleet mcp-servers list PROJECT` shows the servers of a project.")
}

pub(crate) fn report() -> Error {
    Error::new(Code::REPORT_NOT_FOUND, "Report not found").hint("`fleet report list` shows them.")
}

pub(crate) fn workflow() -> Error {
    Error::new(Code::WORKFLOW_NOT_FOUND, "Workflow not found").hint("`fleet workflow list` shows the workflows.")
}

/// The refusal of an execution, also where a step of it is named.
pub(crate) fn execution() -> Error {
    Error::new(Code::EXECUTION_NOT_FOUND, "Execution not found")
        .hint("`fleet workflow executions` shows the executions.")
}

pub(crate) fn step() -> Error {
    Error::new(Code::EXECUTION_NOT_FOUND, "Step not found")
        .hint("`fleet workflow steps EXECUTION` shows the steps of an execution.")
}
