//! A choice that several may make, with who made it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A choice, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen<T> {
    /// What.
    pub value: T,
    /// Who made it.
    pub by: ChosenBy,
}

/// Who chose an agent or a model
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChosenBy {
    /// The mission states it
    Mission,
    /// The dispatch named it
    Command,
    /// The project states it
    Project,
    /// The settings state it
    Config,
    /// No level named one: the agent uses its default
    Agent,
}
