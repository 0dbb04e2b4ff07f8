//! Amounts: tokens, dollars, and how full the agent's context is.
//!
//! Dollars are counted in whole billionths, so that differences of running totals add up to the total again.

use serde::{Deserialize, Serialize};

const PER_DOLLAR: f64 = 1e9;

/// An amount of money, in billionths of a dollar; written as a number of dollars.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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

    fn saturating_sub(self, other: Self) -> Self {
        Self { nanodollars: self.nanodollars.saturating_sub(other.nanodollars) }
    }

    fn saturating_add(self, other: Self) -> Self {
        Self { nanodollars: self.nanodollars.saturating_add(other.nanodollars) }
    }
}

/// Nothing is paid back and nothing costs more than there is: what is no amount counts as none, or as the largest.
impl From<f64> for Cost {
    fn from(dollars: f64) -> Self {
        // `as` saturates and turns what is no number into zero, which is what is wanted here.
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

    pub(crate) fn plus(self, other: Self) -> Self {
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
    /// Money.
    pub cost: Cost,
    /// Tokens.
    pub tokens: Tokens,
}

impl Totals {
    /// Adds; beyond what can be counted the sum stays at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self { cost: self.cost.saturating_add(other.cost), tokens: self.tokens.plus(other.tokens) }
    }

    /// Returns what was added since `earlier`; none if this is no continuation of it.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Self> {
        (self.cost >= earlier.cost && self.tokens.covers(earlier.tokens)).then(|| Self {
            cost: self.cost.saturating_sub(earlier.cost),
            tokens: self.tokens.zip(earlier.tokens, u64::saturating_sub),
        })
    }
}

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
}

impl Usage {
    /// Tells whether the context is filled to `percent` of the window, or of `fallback` while no window is known.
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
