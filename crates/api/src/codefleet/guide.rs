//! Which executor to choose.

use api_macros::{input, output};

/// Show which executors there are and how to choose one
#[input(Default)]
pub struct GetExecutorGuide {}

/// What is known of the executors
#[output]
pub struct ExecutorNotes {
    /// Codex
    pub codex: ExecutorNote,
    /// Gemini CLI
    pub gemini: ExecutorNote,
    /// Claude Code
    pub claude: ExecutorNote,
    /// How to choose
    pub routing_rules: Vec<String>,
}

/// What is known of one
#[output]
pub struct ExecutorNote {
    /// The model that it is given, if none is named; unset leaves it to the agent
    pub model: Option<String>,
    /// What it can do that others may not
    pub best_for: Vec<String>,
    /// What it cannot do
    pub weaker_at: Vec<String>,
    /// Where measurements are
    pub benchmarks: String,
}
