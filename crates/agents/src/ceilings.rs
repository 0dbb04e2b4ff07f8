//! Hard ceilings on a session, which Fleet keeps whether or not the agent does.

use types::{Cost, Limits};

use crate::{Meter, Stop};

/// Says why a session must be stopped that has taken this much in so many seconds; none if it may continue.
///
/// Tokens and turns are known with every call of the model, and so is money where the settings have prices; without, it
/// is known when a turn of the conversation is over. So what comes on top of a ceiling is at most what was under way.
#[must_use]
pub fn breached(limits: &Limits, meter: &Meter, secs: u64) -> Option<Stop> {
    let spent = meter.spending().in_all(secs);
    if limits.dollars_max.is_some_and(|most| spent.cost >= Cost::from(most))
        || limits.tokens_max.is_some_and(|most| spent.tokens >= most)
    {
        Some(Stop::Budget)
    } else if limits.turns_max.is_some_and(|most| meter.turns() > most) {
        Some(Stop::MaxTurns)
    } else if limits.secs_max.is_some_and(|most| secs >= most) {
        Some(Stop::Timeout)
    } else {
        None
    }
}
