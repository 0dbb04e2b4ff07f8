//! Hard ceilings on a run, which Fleet keeps whether or not the agent does.

use serde::{Deserialize, Serialize};

use crate::{Meter, Stop};

/// The most that a run may take; what is none has no ceiling.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ceilings {
    /// Dollars.
    pub dollars_max: Option<f64>,
    /// Tokens of all kinds.
    pub tokens_max: Option<u64>,
    /// Calls of the model by the agent itself.
    pub turns_max: Option<u32>,
    /// Time.
    pub secs_max: Option<u64>,
}

impl Ceilings {
    /// Says why a run must be stopped that has taken this much in so many seconds; none if it may go on.
    ///
    /// Money is known when a turn of the conversation is over, tokens and turns with every call of the model, so what
    /// comes on top of a ceiling is at most what was under way.
    #[must_use]
    pub fn breached(&self, meter: &Meter, secs: u64) -> Option<Stop> {
        let spent = meter.spent();
        let tokens = spent.tokens.sum().saturating_add(meter.unsettled().sum());
        if self.dollars_max.is_some_and(|most| spent.cost.dollars() >= most)
            || self.tokens_max.is_some_and(|most| tokens >= most)
        {
            Some(Stop::Budget)
        } else if self.turns_max.is_some_and(|most| meter.turns() > most) {
            Some(Stop::MaxTurns)
        } else if self.secs_max.is_some_and(|most| secs >= most) {
            Some(Stop::Timeout)
        } else {
            None
        }
    }
}
