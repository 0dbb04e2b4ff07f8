//! Running a workflow that is not kept under a name.

use api_macros::input;
use serde_json::{Map, Value};
use types::{Definition, ProjectId};

/// Run a workflow that is sent along
///
/// It is executed once and not kept as a workflow; the execution has a copy of it.
#[input]
pub struct RunWorkflow {
    /// What people call the execution
    #[schemars(length(min = 1, max = 100))]
    pub name: String,
    /// Its steps, with what they are given and answer
    pub definition: Definition,
    /// What it is given, by name
    pub inputs: Option<Map<String, Value>>,
    /// The project that its agents work on
    pub project: Option<ProjectId>,
    /// What branches start from: a branch or a commit; the target branch, if unset
    #[schemars(length(min = 1, max = 200))]
    pub base: Option<String>,
}
