//! The budgets of missions and projects, as this dialect writes them: one field for each ceiling.

use api_macros::fields;
use types::{Allotment, Limits};

use super::missions::CreateMission;

/// The ceilings that were named, in the order of [`Limits`]: dollars, tokens, turns, minutes.
type Named = (Option<f64>, Option<i64>, Option<i64>, Option<i64>);

/// What is said about the budget of a project; none leaves what there is
#[fields(Default)]
pub struct BudgetEdit {
    /// Dollars that its missions may spend, ever; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_usd: Option<f64>,
    /// Tokens of all kinds that its missions may use, ever; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000_000_000_i64))]
    pub budget_tokens: Option<i64>,
    /// Turns that its missions may take, ever; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_turns: Option<i64>,
    /// Minutes that its agents may run, ever; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub budget_minutes: Option<i64>,
    /// Dollars that its missions may spend on a day, which begins when `daily_budget_resets_at` says; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_usd: Option<f64>,
    /// Tokens of all kinds that its missions may use on a day; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000_000_000_i64))]
    pub daily_budget_tokens: Option<i64>,
    /// Turns that its missions may take on a day; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_turns: Option<i64>,
    /// Minutes that its agents may run on a day; -1 for no limit
    #[schemars(range(min = -1, max = 1_000_000_000))]
    pub daily_budget_minutes: Option<i64>,
}

impl CreateMission {
    /// Returns what all sessions of the mission together may spend.
    #[must_use]
    pub fn limits(&self) -> Limits {
        Limits {
            turns_max: self.max_turns,
            dollars_max: self.max_budget_usd,
            tokens_max: self.max_tokens,
            secs_max: self.max_minutes.map(|minutes| u64::from(minutes) * 60),
        }
    }
}

impl BudgetEdit {
    /// Returns what a project may spend from now on; none if nothing was said of it.
    #[must_use]
    pub fn applied(&self, before: Allotment) -> Option<Allotment> {
        let total = (self.budget_usd, self.budget_tokens, self.budget_turns, self.budget_minutes);
        let daily =
            (self.daily_budget_usd, self.daily_budget_tokens, self.daily_budget_turns, self.daily_budget_minutes);
        (*self != Self::default())
            .then(|| Allotment { total: changed(before.total, total), daily: changed(before.daily, daily) })
    }
}

fn changed(before: Limits, (dollars, tokens, turns, minutes): Named) -> Limits {
    let whole = |named: i64| u64::try_from(named).ok();
    Limits {
        dollars_max: dollars.map_or(before.dollars_max, |named| (named >= 0.0).then_some(named)),
        tokens_max: tokens.map_or(before.tokens_max, whole),
        turns_max: turns.map_or(before.turns_max, |named| u32::try_from(named).ok()),
        secs_max: minutes.map_or(before.secs_max, |named| whole(named).map(|minutes| minutes.saturating_mul(60))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(budget: serde_json::Value) -> BudgetEdit {
        serde_json::from_value(budget).unwrap()
    }

    #[test]
    fn what_is_not_named_stays_and_minus_one_takes_a_ceiling_away() {
        let first = update(serde_json::json!({ "daily_budget_usd": 5.0, "budget_minutes": 90, "budget_turns": 7 }));
        let set = first.applied(Allotment::default()).unwrap();
        assert_eq!((set.daily.dollars_max, set.total.secs_max, set.total.turns_max), (Some(5.0), Some(5400), Some(7)));
        let next = update(serde_json::json!({ "budget_turns": -1, "daily_budget_usd": 0 })).applied(set).unwrap();
        assert_eq!((next.daily.dollars_max, next.total.secs_max, next.total.turns_max), (Some(0.0), Some(5400), None));
        assert_eq!(update(serde_json::json!({})).applied(set), None);
    }
}
