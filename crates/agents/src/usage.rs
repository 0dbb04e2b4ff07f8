//! What one call of a model took, and how full the agent's context is.

use serde::{Deserialize, Serialize};
use types::{Cost, Tokens};

/// What one call of a model took, and how full the context was with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// The model.
    pub model: Option<String>,
    /// Tokens of this call; those written are not final while the model writes.
    pub tokens: Tokens,
    /// Tokens in the agent's own context; none where this says nothing of it, as for a subagent's call.
    pub context: Option<u64>,
    /// Tokens that fit into the context, once the agent has said so.
    pub window: Option<u64>,
    /// The tool call in which a subagent made it.
    pub within: Option<String>,
    /// What it costs by the prices that the settings have; none if they have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

impl Usage {
    /// Returns whether the context is filled to `percent` of the window, or of `fallback` while no window is known.
    #[must_use]
    pub fn presses(&self, percent: u8, fallback: u64) -> bool {
        let window = u128::from(self.window.unwrap_or(fallback));
        let filled = |context: u64| u128::from(context) * 100 >= window * u128::from(percent);
        window > 0 && self.context.is_some_and(filled)
    }
}

#[cfg(test)]
#[path = "usage_tests.rs"]
mod tests;
