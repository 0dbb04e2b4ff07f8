//! What may be spent, and what was.

use api_macros::{input, output};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use types::{Limits, ProjectId, Spent};

use crate::{IsoTime, quantity};

/// Show budgets and spending
#[input(Default)]
pub struct ListBudgets {}

/// What a project or the fleet may spend, has spent and has left
#[output]
pub struct BudgetView {
    /// `fleet`, or the project's name
    pub of: String,
    /// The project; unset for the whole fleet
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// `day`, which begins when `daily_budget_resets_at` says, or `ever`
    pub period: Period,
    /// What was spent, and of how much, in words
    pub used: String,
    /// What was spent, by agents that run too
    pub spent: Amounts,
    /// The most that may be; unset where there is no ceiling
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceilings: Option<Ceilings>,
    /// What is left; unset where there is no ceiling
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Ceilings>,
    /// What of it is used up, in words; unset as long as nothing is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_up: Option<String>,
    /// When it begins anew
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resets_at: Option<IsoTime>,
}

/// For how long a budget is
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// A day, which begins when `daily_budget_resets_at` says
    Day,
    /// Without end
    Ever,
}

/// What was spent
#[output(Copy)]
pub struct Amounts {
    /// Dollars, as far as agents say
    pub usd: f64,
    /// Whether more was spent than that: agents reported tokens without their price
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cost_unknown: bool,
    /// Tokens of all kinds
    pub tokens: u64,
    /// Turns of agents
    pub turns: u64,
    /// Minutes in which agents ran
    pub minutes: f64,
}

/// What may be spent; a field that is unset has no ceiling
#[output(Copy)]
pub struct Ceilings {
    /// Dollars
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<f64>,
    /// Tokens of all kinds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Turns of agents
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Minutes in which agents run
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
}

impl BudgetView {
    /// Says what was spent, and of how much.
    #[must_use]
    pub fn used(spent: Amounts, ceilings: Option<Ceilings>) -> String {
        let of = |get: fn(Ceilings) -> Option<String>| {
            ceilings.and_then(get).map(|most| format!(" of {most}")).unwrap_or_default()
        };
        // The noun agrees with the number before it.
        let turns = match (spent.turns, ceilings.and_then(|most| most.turns)) {
            (spent, Some(most)) => format!("{spent} of {}", quantity::counted(most.into(), "turn")),
            (spent, None) => quantity::counted(spent, "turn"),
        };
        let cost = match (spent.cost_unknown, spent.usd > 0.0) {
            (true, true) => format!("{} and an unknown cost", quantity::dollars(spent.usd)),
            (true, false) => "unknown cost".to_owned(),
            (false, _) => quantity::dollars(spent.usd),
        };
        [
            format!("{cost}{}", of(|most| Some(quantity::dollars(most.usd?)))),
            format!("{}{} tokens", quantity::tokens(spent.tokens), of(|most| most.tokens.map(quantity::tokens))),
            turns,
            format!("{}{}", time(spent.minutes), of(|most| most.minutes.map(time))),
        ]
        .join(", ")
    }
}

fn time(minutes: f64) -> String {
    quantity::whole_duration((minutes * 60.0) as u64)
}

impl Ceilings {
    /// Shows ceilings; none if there is none.
    #[must_use]
    pub fn of(limits: Limits) -> Option<Self> {
        let Limits { turns_max, dollars_max, tokens_max, secs_max } = limits;
        let minutes = secs_max.map(|secs| secs as f64 / 60.0);
        let set = limits != Limits::default();
        set.then_some(Self { usd: dollars_max, tokens: tokens_max, turns: turns_max, minutes })
    }
}

impl From<Spent> for Amounts {
    fn from(spent: Spent) -> Self {
        let Spent { cost, tokens, unpriced, turns, secs } = spent;
        let cost_unknown = unpriced > 0;
        Self { usd: cost.dollars(), cost_unknown, tokens, turns, minutes: secs as f64 / 60.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_says_what_was_spent_and_the_limit_where_there_is_one() {
        let spent = Amounts { usd: 1.234, cost_unknown: false, tokens: 5000, turns: 7, minutes: 2.5 };
        assert_eq!(BudgetView::used(spent, None), "$1.23, 5k tokens, 7 turns, 2 min");
        let most = Ceilings { usd: Some(5.0), tokens: None, turns: Some(9), minutes: None };
        assert_eq!(BudgetView::used(spent, Some(most)), "$1.23 of $5.00, 5k tokens, 7 of 9 turns, 2 min");
    }

    #[test]
    fn tokens_without_a_price_have_an_unknown_cost_and_what_is_known_is_said_beside_it() {
        let used = |dollars, unpriced, most| {
            let spent = Spent { cost: types::Cost::from(dollars), tokens: 5000, unpriced, turns: 1, secs: 60 };
            BudgetView::used(Amounts::from(spent), most)
        };
        let most = Ceilings { usd: Some(5.0), tokens: None, turns: None, minutes: None };
        assert_eq!(used(0.0, 5000, None), "unknown cost, 5k tokens, 1 turn, 1 min");
        assert!(used(0.0, 5000, Some(most)).starts_with("unknown cost of $5.00, "));
        assert!(used(0.5, 7, None).starts_with("$0.50 and an unknown cost, "));
        assert!(used(0.0, 0, None).starts_with("$0.00, "), "an agent that costs nothing says so");
    }
}
