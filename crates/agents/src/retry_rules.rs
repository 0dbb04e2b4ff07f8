//! What to do about each failure, as data.
//!
//! Nothing waits here: a rule gives the delay, the number of tries and the scope; the dispatcher keeps the time.

use serde::{Deserialize, Serialize};
use types::Timestamp;

use crate::FailureClass;

/// What to do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum RetryRule {
    /// Wait, longer each time, then continue with the conversation.
    BackOff(BackOff),
    /// Wait until a time, or until a person acts.
    Park {
        /// Until when; none waits for a person.
        until: Option<Timestamp>,
        /// Who waits.
        scope: Scope,
    },
    /// Continue at once with the same conversation, in the same worktree.
    Resume {
        /// Most times in a row.
        times_max: u32,
    },
    /// Continue at once with a new conversation, in the same worktree.
    StartAnew {
        /// Most times in a row.
        times_max: u32,
    },
    /// Nothing; a person decides.
    GiveUp,
}

/// Waiting that grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackOff {
    /// The first wait.
    pub first_ms: u64,
    /// The longest wait.
    pub longest_ms: u64,
    /// Most times in a row.
    pub times_max: u32,
}

/// Who waits when a mission is parked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Everything that runs on the same account: it would fail alike.
    Account,
}

impl BackOff {
    /// Returns how long to wait before the try after `failures` in a row; none after the last.
    ///
    /// Waits double, and a quarter of each is left to `chance`, from 0 to 1, so that not all come back at once.
    #[must_use]
    pub fn delay_ms(self, failures: u32, chance: f64) -> Option<u64> {
        if failures == 0 || failures > self.times_max {
            return None;
        }
        let doubled = 2_u64.saturating_pow(failures - 1).saturating_mul(self.first_ms).min(self.longest_ms);
        Some(doubled.saturating_add((doubled as f64 / 4.0 * chance.clamp(0.0, 1.0)) as u64))
    }
}

const RATE_LIMIT: BackOff = BackOff { first_ms: 30_000, longest_ms: 900_000, times_max: 8 };
const OVERLOADED: BackOff = BackOff { first_ms: 10_000, longest_ms: 300_000, times_max: 10 };

/// Says what to do about a failure.
#[must_use]
pub fn retry_rule(class: &FailureClass) -> RetryRule {
    match class {
        FailureClass::RateLimit => RetryRule::BackOff(RATE_LIMIT),
        FailureClass::Overloaded => RetryRule::BackOff(OVERLOADED),
        FailureClass::Quota { resets_at } => RetryRule::Park { until: *resets_at, scope: Scope::Account },
        // All missions with the same key would fail alike, one after the other.
        FailureClass::Auth => RetryRule::Park { until: None, scope: Scope::Account },
        FailureClass::Crash | FailureClass::Stale => RetryRule::Resume { times_max: 2 },
        // Resuming would only fill the same context again.
        FailureClass::ContextFull => RetryRule::StartAnew { times_max: 3 },
        FailureClass::NoSession => RetryRule::StartAnew { times_max: 1 },
        // Ceilings hold, and what people stopped or refused stays so until they say otherwise.
        FailureClass::NotStarted
        | FailureClass::Timeout
        | FailureClass::Budget
        | FailureClass::MaxTurns
        | FailureClass::Denied
        | FailureClass::Interrupted
        | FailureClass::Invalid
        | FailureClass::NotDone => RetryRule::GiveUp,
    }
}

#[cfg(test)]
#[path = "retry_rules_tests.rs"]
mod tests;
