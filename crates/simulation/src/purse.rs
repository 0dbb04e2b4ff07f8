//! What a turn takes, what agents tell of it, and what all of them together may spend.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use agents::{Ending, Event, Price, Setup, TurnResult, Usage};
use config::Settings;
use runtime::Rng;
use tokio::sync::watch;
use types::{Allotment, Cost, Limits, Spent, Tokens, Totals};

use crate::bug::Bug;

/// The agent that reports no cost; the settings have the price.
pub(crate) const UNPRICED: &str = "opencode";

/// What a turn costs, in dollars.
const TURN: f64 = 0.01;

/// What a turn takes of tokens.
const TOKENS: Tokens = Tokens { input: 80, output: 20, cache_read: 0, cache_write: 0 };

/// How long a turn takes, about; budgets of time are made of these.
const TURN_SECS: u64 = 25;

/// What a million tokens cost where an agent does not report it: a turn costs as much as elsewhere.
const PRICE: f64 = 100.0;

/// Seconds of a minute, in which the settings count.
const MINUTE: u64 = 60;

/// The settings with what the fleet may spend. Clones share them, and no crash of a server touches them, as with a file.
#[derive(Debug, Clone)]
pub(crate) struct Purse {
    fleet: Arc<Mutex<Allotment>>,
    settings: watch::Sender<Arc<Settings>>,
    bug: Option<Bug>,
}

impl Purse {
    pub(crate) fn new(settings: Settings, fleet: Allotment, bug: Option<Bug>) -> Self {
        let own = Self { fleet: Arc::default(), settings: watch::Sender::new(Arc::new(settings)), bug };
        own.set(fleet);
        own
    }

    /// Follows the settings as the server sees them.
    pub(crate) fn settings(&self) -> watch::Receiver<Arc<Settings>> {
        self.settings.subscribe()
    }

    pub(crate) fn get(&self) -> Allotment {
        *self.fleet.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set(&self, allotment: Allotment) {
        let real = with_budget(&self.settings.borrow(), allotment);
        *self.fleet.lock().unwrap_or_else(PoisonError::into_inner) = real.budget();
        let shown = match self.bug {
            Some(Bug::IgnoresFleetBudgets) => Allotment::default(),
            _ => blinded(self.bug, real.budget()),
        };
        self.settings.send_replace(Arc::new(with_budget(&real, shown)));
    }
}

/// Returns the settings of a run.
pub(crate) fn settings(base: &Settings, slots_max: u32, bug: Option<Bug>) -> Settings {
    let dollars = if bug == Some(Bug::IgnoresPrices) { 0.0 } else { PRICE };
    let price = Price { input: dollars, output: dollars, cache_read: None, cache_write: None };
    let setup = Setup { prices: BTreeMap::from([("*".to_owned(), price)]), ..Setup::default() };
    Settings {
        max_workers: slots_max,
        sandbox: types::Wanted::Off,
        spool_keep_days: 0,
        spools_mb_max: 0,
        stale_after_secs: 300,
        call_secs_max: 300,
        stale_restarts_max: 1,
        retry_first_delay_secs: 10,
        retry_longest_delay_secs: 120,
        retries_max: 3,
        agents: Arc::new(BTreeMap::from([(UNPRICED.to_owned(), setup)])),
        ..base.clone()
    }
}

fn with_budget(settings: &Settings, allotment: Allotment) -> Settings {
    let cost = |limits: Limits| limits.dollars_max.map(Cost::from);
    let minutes = |limits: Limits| limits.secs_max.map(|secs| u32::try_from(secs.div_ceil(MINUTE)).unwrap_or(u32::MAX));
    let Allotment { total, daily } = allotment;
    Settings {
        budget_usd: cost(total),
        budget_tokens: total.tokens_max,
        budget_turns: total.turns_max,
        budget_minutes: minutes(total),
        daily_budget_usd: cost(daily),
        daily_budget_tokens: daily.tokens_max,
        daily_budget_turns: daily.turns_max,
        daily_budget_minutes: minutes(daily),
        ..settings.clone()
    }
}

/// Returns what a server with a planted bug sees of an allotment.
pub(crate) fn blinded(bug: Option<Bug>, allotment: Allotment) -> Allotment {
    match bug {
        Some(Bug::IgnoresDailyBudgets) => Allotment { daily: Limits::default(), ..allotment },
        _ => Allotment { total: blinded_limits(bug, allotment.total), daily: blinded_limits(bug, allotment.daily) },
    }
}

/// Returns what a server with a planted bug sees of a ceiling.
pub(crate) fn blinded_limits(bug: Option<Bug>, limits: Limits) -> Limits {
    match bug {
        Some(Bug::IgnoresDollars) => Limits { dollars_max: None, ..limits },
        Some(Bug::IgnoresTokens) => Limits { tokens_max: None, ..limits },
        Some(Bug::IgnoresTurns) => Limits { turns_max: None, ..limits },
        Some(Bug::IgnoresTime) => Limits { secs_max: None, ..limits },
        _ => limits,
    }
}

/// Returns what so many turns take, without their time.
pub(crate) fn turns(count: usize) -> Spent {
    let count = count as u64;
    let Totals { cost, tokens, unpriced } = totals(count);
    Spent { cost, tokens: tokens.sum(), unpriced, turns: count, secs: 0 }
}

/// Returns what a process reports at the end of a turn: one agent with what it cost, the other without.
pub(crate) fn told(agent: &str) -> Event {
    let cost = (agent != UNPRICED).then(|| Cost::from(TURN));
    Event::Usage(Usage { tokens: TOKENS, cost, ..Usage::default() })
}

/// Returns what a process reports when it ends by itself, after so many turns.
pub(crate) fn over(agent: &str, turns: usize, ending: Ending) -> Event {
    let Totals { cost, tokens, .. } = totals(turns as u64);
    let told = match agent {
        UNPRICED => Totals { cost: Cost::default(), tokens, unpriced: tokens.sum() },
        _ => Totals { cost, tokens, unpriced: 0 },
    };
    let text = if ending == Ending::Completed { "It is done." } else { "it failed" };
    Event::Result(TurnResult {
        ending,
        text: text.to_owned(),
        session: None,
        turns: None,
        duration_ms: None,
        totals: Some(told),
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

/// Draws what may be spent in all and on a day, each about as much as so many turns take; or without a limit.
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
