//! What a session has cost, from the running totals that its processes tell.
//!
//! An agent's totals run on over turns, and with some agents over resumes and forks too; only differences are Fleet's
//! to count. One meter lives as long as the session of Fleet, over every process it takes. Between two tellings, calls
//! cost what the settings say; the next telling takes the place of that.

use serde::{Deserialize, Serialize};
use types::{Cost, Spending};

use crate::{Counting, Event, Tokens, Totals};

/// Counts what a session has cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Meter(Spending);

impl Meter {
    /// Starts counting a conversation that begins here.
    #[must_use]
    pub fn new() -> Self {
        Self::going_on_from(Some(Totals::default()))
    }

    /// Starts counting a conversation that others began: a fork, or one adopted from outside.
    ///
    /// With what it had told before, only what comes on top counts. Without it the first telling counts as much as the
    /// agent itself says its last turn took.
    #[must_use]
    pub fn going_on_from(seen: Option<Totals>) -> Self {
        Self(Spending { seen, ..Spending::default() })
    }

    /// Notes that another process takes the conversation up.
    pub fn restarted(&mut self, counting: Counting) {
        match counting {
            Counting::AcrossResumes => {}
            Counting::PerProcess => {
                // The one before was ended in the middle of a turn, and this one knows nothing of that.
                self.0.spent.tokens = self.0.spent.tokens.plus(std::mem::take(&mut self.0.unsettled));
                self.0.spent.cost = self.0.spent.cost.plus(std::mem::take(&mut self.0.estimated));
                self.0.seen = Some(Totals::default());
            }
        }
    }

    /// Counts the usage that an event reports.
    pub fn read(&mut self, event: &Event) {
        if let Event::Usage(usage) = event {
            let is_turn = usage.within.is_none() && usage.tokens != Tokens::default();
            self.0.turns = self.0.turns.saturating_add(u32::from(is_turn));
            self.0.unsettled = self.0.unsettled.plus(usage.tokens);
            self.0.estimated = self.0.estimated.plus(usage.cost.unwrap_or_default());
        }
        if let Event::Result(result) = event
            && let Some(now) = result.totals
        {
            self.settle(now, result.turn);
        }
    }

    /// Returns everything it remembers.
    #[must_use]
    pub fn spending(&self) -> Spending {
        self.0
    }

    /// Returns what was spent, as far as the agent has told.
    #[must_use]
    pub fn spent(&self) -> Totals {
        self.0.spent
    }

    /// Returns the agent's running totals, for the meter of the next process.
    #[must_use]
    pub fn seen(&self) -> Option<Totals> {
        self.0.seen
    }

    /// Returns the tokens that were taken since the agent last told its totals.
    #[must_use]
    pub fn unsettled(&self) -> Tokens {
        self.0.unsettled
    }

    /// Returns how often the agent itself called its model, over all processes.
    #[must_use]
    pub fn turns(&self) -> u32 {
        self.0.turns
    }

    /// Totals that fell mean that the agent started to count again.
    fn settle(&mut self, now: Totals, turn: Option<Totals>) {
        let added = match self.0.seen {
            Some(seen) => now.since(seen).unwrap_or_else(|| turn.unwrap_or(now)),
            None => turn.unwrap_or_default(),
        };
        self.0.spent = self.0.spent.plus(added);
        self.0.seen = Some(now);
        self.0.unsettled = Tokens::default();
        self.0.estimated = Cost::default();
    }
}

impl Default for Meter {
    fn default() -> Self {
        Self::new()
    }
}

impl From<Spending> for Meter {
    fn from(spending: Spending) -> Self {
        Self(spending)
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;
