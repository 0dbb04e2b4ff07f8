//! Amounts: tokens and dollars.
//!
//! Dollars are counted in whole billionths, so that differences of running totals add up to the total again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const PER_DOLLAR: f64 = 1e9;

/// An amount of money, in billionths of a dollar; written as a number of dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(from = "f64", into = "f64")]
pub struct Cost {
    nanodollars: u64,
}

impl Cost {
    /// Returns the amount in dollars.
    #[must_use]
    pub fn dollars(self) -> f64 {
        self.nanodollars as f64 / PER_DOLLAR
    }

    /// Returns the amount in billionths of a dollar.
    #[must_use]
    pub fn nanodollars(self) -> u64 {
        self.nanodollars
    }

    /// Makes an amount of billionths of a dollar.
    #[must_use]
    pub fn from_nanodollars(nanodollars: u64) -> Self {
        Self { nanodollars }
    }

    /// Adds; beyond what can be counted the sum stays at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    pub(crate) fn saturating_sub(self, other: Self) -> Self {
        Self { nanodollars: self.nanodollars.saturating_sub(other.nanodollars) }
    }

    pub(crate) fn saturating_add(self, other: Self) -> Self {
        Self { nanodollars: self.nanodollars.saturating_add(other.nanodollars) }
    }
}

/// Negative or infinite amounts do not exist: an invalid amount counts as none, or as the largest.
impl From<f64> for Cost {
    fn from(dollars: f64) -> Self {
        // `as` saturates and turns NaN into zero, as intended here.
        Self { nanodollars: (dollars * PER_DOLLAR).round() as u64 }
    }
}

impl From<Cost> for f64 {
    fn from(cost: Cost) -> Self {
        cost.dollars()
    }
}

/// Tokens of one or more calls of a model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Read for the first time.
    pub input: u64,
    /// Written by the model.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Put into the provider's cache.
    pub cache_write: u64,
}

impl Tokens {
    /// Returns what the model had before it: new, cached and newly cached input.
    #[must_use]
    pub fn context(self) -> u64 {
        self.input.saturating_add(self.cache_read).saturating_add(self.cache_write)
    }

    /// Returns all of them together.
    #[must_use]
    pub fn sum(self) -> u64 {
        self.context().saturating_add(self.output)
    }

    /// Adds; beyond what can be counted the sum stays at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.zip(other, u64::saturating_add)
    }

    fn zip(self, other: Self, with: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: with(self.input, other.input),
            output: with(self.output, other.output),
            cache_read: with(self.cache_read, other.cache_read),
            cache_write: with(self.cache_write, other.cache_write),
        }
    }

    fn covers(self, other: Self) -> bool {
        self.input >= other.input
            && self.output >= other.output
            && self.cache_read >= other.cache_read
            && self.cache_write >= other.cache_write
    }
}

/// Money and tokens together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Money, as far as it is known; see [`Self::unpriced`].
    pub cost: Cost,
    /// Tokens.
    pub tokens: Tokens,
    /// How many of the tokens have an unknown price: their cost is not in [`Self::cost`].
    #[serde(skip_serializing_if = "is_none")]
    pub unpriced: u64,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_nothing(cost: &Cost) -> bool {
    *cost == Cost::default()
}

impl Totals {
    /// Adds; beyond what can be counted the sum stays at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost: self.cost.saturating_add(other.cost),
            tokens: self.tokens.plus(other.tokens),
            unpriced: self.unpriced.saturating_add(other.unpriced),
        }
    }

    /// Returns what was added since `earlier`; none if this does not continue it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Self> {
        let goes_on = self.cost >= earlier.cost && self.tokens.covers(earlier.tokens);
        goes_on.then(|| Self {
            cost: self.cost.saturating_sub(earlier.cost),
            tokens: self.tokens.zip(earlier.tokens, u64::saturating_sub),
            // A price that became known in between prices what came before, too.
            unpriced: self.unpriced.saturating_sub(earlier.unpriced),
        })
    }
}

/// What was spent in a conversation, and how far its agent's own count had got.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spending {
    /// What was spent.
    pub spent: Totals,
    /// The agent's own running totals when it last told them; none if they are not known.
    pub seen: Option<Totals>,
    /// Tokens of calls after the last telling: they were taken, and the agent has not said what they cost.
    pub unsettled: Tokens,
    /// What those cost by the prices that the settings have; nothing without. The agent's own totals take its place.
    #[serde(skip_serializing_if = "is_nothing")]
    pub estimated: Cost,
    /// Calls of the model by the agent itself, without those of its subagents.
    pub turns: u32,
}

impl Spending {
    /// Returns whether the cost of what was spent is known: an agent that reports no price leaves it open.
    #[must_use]
    pub fn has_known_cost(self) -> bool {
        let unsettled = self.unsettled != Tokens::default() && is_nothing(&self.estimated);
        self.spent.unpriced == 0 && !(unsettled && is_nothing(&self.spent.cost))
    }
}

#[cfg(test)]
#[path = "amount_tests.rs"]
mod tests;
