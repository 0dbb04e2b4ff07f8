//! What tokens cost, for agents that do not tell: only what the settings say, never a guess.

use serde::{Deserialize, Serialize};
use types::{Cost, Tokens};

use crate::Event;

/// The prices of a model, in dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Of what it reads.
    pub input: f64,
    /// Of what it writes.
    pub output: f64,
    /// Of what it reads from the cache; as much as other input if nothing is said.
    #[serde(default)]
    pub cache_read: Option<f64>,
    /// Of what it puts into the cache; as much as other input if nothing is said.
    #[serde(default)]
    pub cache_write: Option<f64>,
}

/// Tokens that a price is for.
const MILLION: f64 = 1_000_000.0;

impl Price {
    /// Returns what tokens cost.
    #[must_use]
    pub fn of(&self, tokens: Tokens) -> Cost {
        let cached = self.cache_read.unwrap_or(self.input) * tokens.cache_read as f64
            + self.cache_write.unwrap_or(self.input) * tokens.cache_write as f64;
        let dollars = self.input * tokens.input as f64 + self.output * tokens.output as f64 + cached;
        Cost::from(dollars / MILLION)
    }

    /// Tells whether every one is an amount.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let all = [Some(self.input), Some(self.output), self.cache_read, self.cache_write];
        all.into_iter().flatten().all(|dollars| dollars.is_finite() && dollars >= 0.0)
    }

    /// Puts a price to totals that have none at all.
    pub fn fill_in(&self, event: &mut Event) {
        if let Event::Result(result) = event {
            for totals in [&mut result.totals, &mut result.turn].into_iter().flatten() {
                if totals.unpriced > 0 && totals.unpriced == totals.tokens.sum() {
                    totals.cost = self.of(totals.tokens);
                    totals.unpriced = 0;
                }
            }
        }
    }
}
