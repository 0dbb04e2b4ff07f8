//! What tokens cost, for agents that do not tell, or not before a turn is over: only what the settings say.
//!
//! Cost that an agent reports itself is never changed; it replaces what was computed here.

use std::collections::BTreeMap;

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

    /// Returns whether every one is an amount.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let all = [Some(self.input), Some(self.output), self.cache_read, self.cache_write];
        all.into_iter().flatten().all(|dollars| dollars.is_finite() && dollars >= 0.0)
    }

    /// Puts a price to totals that have none at all, and to a call that has none of its own.
    pub fn fill_in(&self, event: &mut Event) {
        if let Event::Usage(usage) = event {
            usage.cost = usage.cost.or_else(|| Some(self.of(usage.tokens)));
        } else if let Event::Result(result) = event {
            for totals in [&mut result.totals, &mut result.turn].into_iter().flatten() {
                if totals.unpriced > 0 && totals.unpriced == totals.tokens.sum() {
                    totals.cost = self.of(totals.tokens);
                    totals.unpriced = 0;
                }
            }
        }
    }
}

/// Finds the price of a model: by its name, by its name without the date of its version, or that of any.
pub(crate) fn of_model(prices: &BTreeMap<String, Price>, model: Option<&str>) -> Option<Price> {
    let named = model.and_then(|model| prices.get(model).or_else(|| prices.get(undated(model)?)));
    named.or_else(|| prices.get("*")).copied()
}

/// Takes the date from `name-20250929`; none if there is none.
fn undated(model: &str) -> Option<&str> {
    let (name, date) = model.rsplit_once('-')?;
    (date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

#[cfg(test)]
#[path = "price_tests.rs"]
mod tests;
