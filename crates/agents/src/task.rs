//! What an agent left running beside its turns; it begins a turn by itself when one of these is through.

use serde::{Deserialize, Serialize};

/// Something that runs beside an agent's turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The agent's id of it.
    pub id: String,
    /// What it is.
    pub kind: TaskKind,
    /// What it is for, in the agent's words.
    pub text: String,
}

/// What runs beside an agent's turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskKind {
    /// Another agent: part of the work.
    Agent,
    /// A command. A test run, which ends, cannot be distinguished from a server that was started and forgotten.
    Command,
}
