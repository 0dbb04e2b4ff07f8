//! What a turn takes, what agents tell of it, and what all of them together may spend.

use std::sync::{Arc, Mutex, PoisonError};

use agents::{Ending, Event, TurnResult, Usage};
use runtime::Rng;
use types::{Allotment, Cost, Limits, Spent, Tokens, Totals};

/// What a turn costs, in dollars.
const TURN: f64 = 0.01;

/// What a turn takes of tokens.
const TOKENS: Tokens = Tokens { input: 80, output: 20, cache_read: 0, cache_write: 0 };

/// How long a turn takes, about; budgets of time are made of these.
const TURN_SECS: u64 = 25;

/// What the fleet may spend. Clones share it, and no crash of a server touches it, as with a file of settings.
#[derive(Debug, Clone)]
pub(crate) struct Purse(Arc<Mutex<Allotment>>);

impl Purse {
    pub(crate) fn new(allotment: Allotment) -> Self {
        Self(Arc::new(Mutex::new(allotment)))
    }

    pub(crate) fn get(&self) -> Allotment {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, allotment: Allotment) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = allotment;
    }
}

/// Returns what so many turns take, without their time.
pub(crate) fn turns(count: usize) -> Spent {
    let count = count as u64;
    let Totals { cost, tokens, .. } = totals(count);
    Spent { cost, tokens: tokens.sum(), turns: count, secs: 0 }
}

/// Returns what a process tells at the end of a turn, by the number of the turn. Of one agent that is all until then; of
/// the other nothing but what the turn took, to which the settings have the price.
pub(crate) fn told(agent: &str, turn: usize) -> Vec<Event> {
    let usage = Usage { tokens: TOKENS, cost: Some(Cost::from(TURN)), ..Usage::default() };
    match agent {
        "claude" => vec![Event::Usage(usage)],
        _ => vec![Event::Usage(usage), over(turn)],
    }
}

/// Returns what a process tells when it is through, after so many turns.
pub(crate) fn over(turns: usize) -> Event {
    Event::Result(TurnResult {
        ending: Ending::Completed,
        text: String::new(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: Some(totals(turns as u64)),
        turn: None,
        denials: Vec::new(),
        structured: None,
    })
}

fn totals(turns: u64) -> Totals {
    let Tokens { input, output, .. } = TOKENS;
    let tokens = Tokens { input: input * turns, output: output * turns, ..Tokens::default() };
    Totals { cost: Cost::from(TURN * turns as f64), tokens, unpriced: 0 }
}

/// Draws what may be spent in all and on a day, each about as much as so many turns take; or as much as anybody likes.
pub(crate) fn allotment(rng: &Rng, total: u64, daily: u64) -> Allotment {
    let draw = |turns| if rng.below(2) == 0 { Limits::default() } else { ceiling(rng, turns) };
    Allotment { total: draw(total), daily: draw(daily) }
}

/// Draws a ceiling of one kind, about as high as what so many turns take.
pub(crate) fn ceiling(rng: &Rng, turns: u64) -> Limits {
    let Totals { cost, tokens, .. } = totals(turns);
    match rng.below(4) {
        0 => Limits { dollars_max: Some(cost.dollars()), ..Limits::default() },
        1 => Limits { tokens_max: Some(tokens.sum()), ..Limits::default() },
        2 => Limits { turns_max: u32::try_from(turns).ok(), ..Limits::default() },
        _ => Limits { secs_max: Some(turns * TURN_SECS), ..Limits::default() },
    }
}

/// Raises every ceiling there is to twice its height.
pub(crate) fn raised(limits: Limits) -> Limits {
    Limits {
        turns_max: limits.turns_max.map(|most| most.saturating_mul(2)),
        dollars_max: limits.dollars_max.map(|most| most * 2.0),
        tokens_max: limits.tokens_max.map(|most| most.saturating_mul(2)),
        secs_max: limits.secs_max.map(|most| most.saturating_mul(2)),
    }
}
