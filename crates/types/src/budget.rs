//! Budgets: what may be spent, what was, and the days by which it is counted.

use std::fmt;
use std::str::FromStr;

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
    /// How many of the tokens have an unknown price: what they cost is not in [`Self::cost`].
    #[serde(skip_serializing_if = "is_zero")]
    pub unpriced: u64,
    /// Turns of agents.
    pub turns: u64,
    /// Seconds in which agents ran.
    pub secs: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Spent {
    /// Adds; beyond what can be counted the sum stays at the largest amount.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            cost: self.cost.saturating_add(other.cost),
            tokens: self.tokens.saturating_add(other.tokens),
            unpriced: self.unpriced.saturating_add(other.unpriced),
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
            unpriced: self.unpriced.saturating_sub(other.unpriced),
            turns: self.turns.saturating_sub(other.turns),
            secs: self.secs.saturating_sub(other.secs),
        }
    }

    /// Returns whether nothing was spent.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Spending {
    /// Returns all that was spent in so many seconds: calls after the last telling count by their tokens, and by what
    /// those cost as far as the settings have prices.
    #[must_use]
    pub fn in_all(&self, secs: u64) -> Spent {
        let tokens = self.spent.tokens.sum().saturating_add(self.unsettled.sum());
        let (cost, unpriced) = (self.spent.cost.saturating_add(self.estimated), self.spent.unpriced);
        Spent { cost, tokens, unpriced, turns: self.turns.into(), secs }
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
    /// Returns whether there is no ceiling.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Self::default()
    }
}

/// A day: what is spent is counted by these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day {
    number: i64,
    begins: TimeOfDay,
}

/// A time of the day in UTC, to the second; midnight by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay {
    secs: u32,
}

/// A text that is not a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoTimeOfDay;

impl Day {
    /// Returns the day of a time, where days begin at midnight UTC.
    #[must_use]
    pub fn of(at: Timestamp) -> Self {
        Self::beginning(TimeOfDay::default(), at)
    }

    /// Returns the day of a time, where days begin at some time of the day.
    #[must_use]
    pub fn beginning(begins: TimeOfDay, at: Timestamp) -> Self {
        Self { number: at.as_second().saturating_sub(begins.secs.into()).div_euclid(DAY_SECS), begins }
    }

    /// Returns when the next day begins.
    #[must_use]
    pub fn ends_at(self) -> Timestamp {
        let midnight = self.number.saturating_add(1).saturating_mul(DAY_SECS);
        Timestamp::from_second(midnight.saturating_add(self.begins.secs.into())).unwrap_or(Timestamp::MAX)
    }

    /// Returns which it is, counted from the first of 1970.
    #[must_use]
    pub fn number(self) -> i64 {
        self.number
    }
}

impl TimeOfDay {
    /// Returns how many seconds after midnight it is.
    #[must_use]
    pub fn secs(self) -> u32 {
        self.secs
    }
}

impl FromStr for TimeOfDay {
    type Err = NoTimeOfDay;

    /// Reads hours and minutes, and seconds if there are some.
    fn from_str(text: &str) -> Result<Self, NoTimeOfDay> {
        let parts: Vec<&str> = text.split(':').collect();
        let (hours, minutes, seconds) = match parts[..] {
            [hours, minutes] => (hours, minutes, "00"),
            [hours, minutes, seconds] => (hours, minutes, seconds),
            _ => return Err(NoTimeOfDay),
        };
        let part = |text: &str, below: u32| {
            let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u32>().ok().filter(|number| digits && *number < below).ok_or(NoTimeOfDay)
        };
        Ok(Self { secs: part(hours, 24)? * 3_600 + part(minutes, 60)? * 60 + part(seconds, 60)? })
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}:{:02}", self.secs / 3_600, self.secs / 60 % 60, self.secs % 60)
    }
}

impl fmt::Display for NoTimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("takes a time of the day in UTC, such as 05:30")
    }
}

impl std::error::Error for NoTimeOfDay {}

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
    fn a_day_may_begin_at_another_time_than_midnight() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let begins: TimeOfDay = "05:30".parse().unwrap();
        let day = |time| Day::beginning(begins, at(time));
        assert_eq!(day("2026-11-16T05:29:59Z").ends_at(), at("2026-11-16T05:30:00Z"));
        assert_eq!(day("2026-11-16T05:30:00Z").ends_at(), at("2026-11-17T05:30:00Z"));
        assert_eq!(day("2026-11-16T23:59:59Z"), day("2026-11-17T05:29:59Z"));
        assert_eq!(begins.to_string(), "05:30:00");
        assert_eq!("23:59:59".parse::<TimeOfDay>().unwrap().to_string(), "23:59:59");
        for wrong in ["", "5:30", "24:00", "05:60", "05", "05:30:60", "05:30:00:00", "+5:30", "noon"] {
            assert_eq!(wrong.parse::<TimeOfDay>(), Err(NoTimeOfDay), "{wrong}");
        }
    }

    #[test]
    fn calls_without_a_price_count_by_their_tokens() {
        let tokens = crate::Tokens { input: 3, output: 4, ..Default::default() };
        let spent = crate::Totals { cost: 0.5.into(), tokens, ..Default::default() };
        let spending = Spending { spent, unsettled: tokens, turns: 2, ..Spending::default() };
        assert_eq!(spending.in_all(9), Spent { cost: 0.5.into(), tokens: 14, unpriced: 0, turns: 2, secs: 9 });
        let unpriced = Spending { spent: crate::Totals { unpriced: 7, ..spent }, ..spending };
        assert_eq!(unpriced.in_all(9), Spent { unpriced: 7, ..spending.in_all(9) });
        let priced = Spending { estimated: 0.25.into(), ..spending };
        assert_eq!(priced.in_all(9).cost, 0.75.into(), "what the settings say of them counts");
    }
}
