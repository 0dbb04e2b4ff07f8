//! What all agents together may spend in an hour, and what they have.

use std::sync::{Arc, Mutex, PoisonError};

use schedule::{Budget, Scope};
use types::{Cost, Limits, Spent, Timestamp};

/// What a turn costs, in dollars.
pub(crate) const TURN: f64 = 0.01;

/// How long a budget lasts, in seconds.
const WINDOW: i64 = 3_600;

/// The fleet's budget, and when each turn was taken. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Purse {
    turns_max: u64,
    taken: Arc<Mutex<Vec<Timestamp>>>,
}

impl Purse {
    pub(crate) fn new(turns_max: u64) -> Self {
        Self { turns_max, taken: Arc::default() }
    }

    pub(crate) fn spend(&self, now: Timestamp) {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(now);
    }

    /// Returns the budget as it stands.
    pub(crate) fn budget(&self, now: Timestamp) -> Budget {
        let window = now.as_second().div_euclid(WINDOW);
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = taken.iter().rev().take_while(|at| at.as_second().div_euclid(WINDOW) == window).count() as u64;
        let dollars = |turns: u64| turns as f64 * TURN;
        Budget {
            scope: Scope::Fleet,
            ceiling: Limits { dollars_max: Some(dollars(self.turns_max)), ..Limits::default() },
            spent: Spent { cost: Cost::from(dollars(recent)), turns: recent, ..Spent::default() },
            resets_at: Timestamp::from_second((window + 1) * WINDOW).ok(),
        }
    }

    pub(crate) fn is_used_up(&self, now: Timestamp) -> bool {
        self.budget(now).used_up(now).is_some()
    }
}
