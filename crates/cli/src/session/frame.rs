//! The frames of a session's stream; unknown kinds are skipped.

use serde::Deserialize;

/// One frame.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Frame {
    /// What the session was started with.
    Config {
        /// The model.
        model: Option<String>,
    },
    /// Words of the agent.
    Text {
        /// They, between line breaks.
        text: String,
    },
    /// A tool call in one line.
    Tool {
        /// It, with its line break.
        text: String,
    },
    /// What a tool answered.
    ToolResult {
        /// It, cut to size by the server.
        text: String,
    },
    /// What the run took so far.
    Usage {
        /// Tokens.
        usage: Tokens,
        /// Dollars.
        cost: f64,
    },
    /// Something failed and is tried again.
    Retry {
        /// Which try failed.
        attempt: u32,
        /// How many there are.
        max_retries: u32,
        /// Seconds until the next.
        delay: f64,
        /// Of what it failed.
        error: String,
    },
    /// What Fleet says of the session.
    Notice {
        /// It.
        text: String,
    },
    /// The session is over; the last frame.
    Done(Done),
    /// This was everything so far, and the session still runs; the last frame for a reader that does not follow it.
    SoFar,
    /// Something that this version does not know.
    #[serde(other)]
    Other,
}

/// Tokens of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Tokens {
    /// Read.
    pub input_tokens: u64,
    /// Written.
    pub output_tokens: u64,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Done {
    /// `completed`, `failed` or `cancelled`.
    pub status: String,
    /// What its last process returned.
    #[serde(default)]
    pub exit_code: Option<i32>,
    /// Dollars.
    #[serde(default)]
    pub cost: f64,
    /// Whether that is unknown.
    #[serde(default)]
    pub cost_unknown: bool,
    /// Tokens in all.
    #[serde(default)]
    pub tokens: u64,
    /// What went wrong.
    #[serde(default)]
    pub error: Option<String>,
    /// Of what kind it was.
    #[serde(default)]
    pub error_type: Option<String>,
}

impl Done {
    /// Returns whether the agent did what it was asked.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status == "completed"
    }
}
