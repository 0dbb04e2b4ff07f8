//! Budgets: what may be spent, what was, and the days by which it is counted.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{Cost, Limits, Spending};

const DAY_SECS: i64 = 86_400;

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Spent {
    /// Money.
    pub cost: Cost,
    /// Tokens of all kinds.
    pub tokens: u64,
    /// Turns of agents.
    pub turns: u64,
    /// Seconds in which agents ran.
    pub secs: u64,
}

impl Spent {
    /// Adds; beyond what can be counted the sum stays at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost: self.cost.saturating_add(other.cost),
            tokens: self.tokens.saturating_add(other.tokens),
            turns: self.turns.saturating_add(other.turns),
            secs: self.secs.saturating_add(other.secs),
        }
    }

    /// Takes away; what is less than nothing counts as nothing.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        Self {
            cost: self.cost.saturating_sub(other.cost),
            tokens: self.tokens.saturating_sub(other.tokens),
            turns: self.turns.saturating_sub(other.turns),
            secs: self.secs.saturating_sub(other.secs),
        }
    }

    /// Tells whether nothing was spent.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Spending {
    /// Returns all that was spent in so many seconds; calls without a price yet count by their tokens.
    #[must_use]
    pub fn in_all(&self, secs: u64) -> Spent {
        let tokens = self.spent.tokens.sum().saturating_add(self.unsettled.sum());
        Spent { cost: self.spent.cost, tokens, turns: self.turns.into(), secs }
    }
}

/// What a project or the whole fleet may spend.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Allotment {
    /// In all.
    pub total: Limits,
    /// On a day.
    pub daily: Limits,
}

impl Allotment {
    /// Tells whether nobody has set a ceiling.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// A day in UTC: what is spent is counted by these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

impl Day {
    /// Returns the day of a time.
    #[must_use]
    pub fn of(at: Timestamp) -> Self {
        Self(at.as_second().div_euclid(DAY_SECS))
    }

    /// Returns when the next day begins.
    #[must_use]
    pub fn ends_at(self) -> Timestamp {
        Timestamp::from_second(self.0.saturating_add(1).saturating_mul(DAY_SECS)).unwrap_or(Timestamp::MAX)
    }

    /// Returns which it is, counted from the first of 1970.
    #[must_use]
    pub fn number(self) -> i64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_ends_where_the_next_begins_before_1970_too() {
        for second in [-86_401, -86_400, -1, 0, 1, 86_399, 86_400, 1_794_800_000] {
            let at = Timestamp::from_second(second).unwrap();
            let (day, end) = (Day::of(at), Day::of(at).ends_at());
            assert!(at < end && end.as_second() - second <= DAY_SECS, "{at} {end}");
            assert_eq!(Day::of(end).number(), day.number() + 1);
            assert_eq!(end.to_string(), format!("{}T00:00:00Z", &end.to_string()[..10]));
        }
    }

    #[test]
    fn calls_without_a_price_count_by_their_tokens() {
        let tokens = crate::Tokens { input: 3, output: 4, ..Default::default() };
        let spent = crate::Totals { cost: 0.5.into(), tokens, ..Default::default() };
        let spending = Spending { spent, unsettled: tokens, turns: 2, ..Spending::default() };
        assert_eq!(spending.in_all(9), Spent { cost: 0.5.into(), tokens: 14, turns: 2, secs: 9 });
    }
}
