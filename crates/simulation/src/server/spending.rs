//! Following what a process spends, keeping to the budgets over it, and booking it; as `sessions::actor::budget`.

use std::time::Duration;

use agents::{Event, Meter, Outcome, Stop, breached};
use schedule::{Budget, Overdrawn, Scope};
use types::{Day, FailureClass, Session, Spent, Timestamp};

use super::actor::{Actor, STALE_AFTER};
use super::books::meter;
use super::record::Effects;
use crate::agent::Process;
use crate::bug::Bug;
use crate::purse::{over, told};

/// How long a turn may go on that was under way when a budget was used up.
const LAST_TURN: Duration = Duration::from_secs(300);

/// What is known of the process that is followed.
pub(super) struct Following {
    meter: Meter,
    /// Turns that were read.
    read: usize,
    /// For how long the processes before it ran.
    secs_before: u64,
    /// Until when it may go on with its turn, though a budget is used up.
    last_turn: Option<Timestamp>,
    /// Whether nothing of it was shown yet.
    pub(super) is_new: bool,
    /// Whether the prices of the settings are not heeded, which they should be.
    without_prices: bool,
}

impl Following {
    /// Reads what a process has told since; tells whether it took a turn.
    pub(super) fn read(&mut self, process: &Process) -> bool {
        let turned = process.turns.len() > self.read;
        let new = (self.read + 1..=process.turns.len()).flat_map(|turn| told(&process.agent, turn));
        let end = matches!(process.exit, Some(Outcome::Succeeded { .. })).then(|| over(process.turns.len()));
        for mut event in new.chain(end) {
            if let Event::Usage(usage) = &mut event
                && self.without_prices
            {
                usage.cost = None;
            }
            self.meter.read(&event);
        }
        self.read = process.turns.len();
        turned
    }

    /// Takes in that a budget was used up by others or by time; the turn under way is the last.
    pub(super) fn overdrawn(&mut self, now: Timestamp) {
        self.last_turn = self.last_turn.or(Some(now + LAST_TURN));
    }
}

impl Actor {
    pub(super) fn open(&self) -> Following {
        let agents = &self.server.site.agents;
        let now = self.server.site.clock.now();
        let earlier = (1..self.session.runs).filter_map(|run| agents.get(&(self.session.id.clone(), run)));
        let secs_before = earlier.map(|process| process.secs(now)).sum();
        let without_prices = self.server.site.has(Bug::IgnoresPrices);
        let meter = meter(&self.session);
        Following { meter, read: 0, secs_before, last_turn: None, is_new: true, without_prices }
    }

    /// Shows what a process has spent.
    pub(super) fn count(&self, following: &Following, process: &Process) {
        if let Some(live) = self.server.live().get_mut(&self.session.id) {
            let since = process.exit.is_none().then_some(process.started_at);
            let ran = process.ended_at.map_or(0, |_| process.secs(process.started_at));
            live.shown.secs_before = following.secs_before + ran;
            (live.shown.spending, live.shown.since, live.shown.day) = (following.meter.spending(), since, self.day);
        }
        self.server.turn();
    }

    pub(super) async fn must_stop(
        &self,
        following: &Following,
        process: &Process,
        turned: bool,
        now: Timestamp,
    ) -> Result<Option<Stop>, store::Error> {
        let secs = following.secs_before + process.secs(now);
        Ok(if *self.stopped.borrow() {
            Some(Stop::Asked)
        } else if let Some(stop) = breached(&self.session.order.limits, &following.meter, secs) {
            Some(stop)
        } else if following.last_turn.is_some_and(|at| at <= now)
            || (turned && self.server.overdrawn(&self.session, now).await?.is_some())
        {
            Some(Stop::Budget)
        } else if now >= process.heard + STALE_AFTER {
            Some(Stop::Stale)
        } else {
            None
        })
    }

    /// Returns when somebody must look again though nothing happens.
    pub(super) fn due(&self, following: &Following, process: &Process) -> Timestamp {
        let secs_max = self.session.order.limits.secs_max;
        let timeout =
            secs_max.map(|most| process.started_at + Duration::from_secs(most.saturating_sub(following.secs_before)));
        let stale = process.heard + STALE_AFTER;
        [timeout, following.last_turn, Some(self.day.ends_at())].into_iter().flatten().fold(stale, Timestamp::min)
    }

    /// Books what was spent on a day that is over, so that it counts for that day.
    pub(super) async fn close_day(&mut self, following: &Following, process: &Process) -> Result<(), store::Error> {
        let today = Day::of(self.server.site.clock.now());
        if today == self.day {
            return Ok(());
        }
        let until = process.ended_at.map_or(self.day.ends_at(), |ended| ended.min(self.day.ends_at()));
        let secs = following.secs_before + crate::agent::secs(process.started_at, until);
        let mut session = self.session.clone();
        session.booked = following.meter.spending().in_all(secs.max(session.booked.secs));
        self.put(session, Effects::default()).await?;
        self.day = today;
        Ok(())
    }

    /// Returns all that the session has spent when its process has ended.
    pub(super) fn spent_in_all(&self, following: &Following, process: &Process) -> Spent {
        let secs = following.secs_before + process.secs(self.server.site.clock.now());
        following.meter.spending().in_all(secs.max(self.session.booked.secs))
    }

    /// Says which budget a process ended for that is not its session's own.
    pub(super) async fn ended_for(&self, outcome: &Outcome, spent: Spent) -> Result<Option<Overdrawn>, store::Error> {
        let now = self.server.site.clock.now();
        let of_budget = match outcome {
            Outcome::Failed {
                class: FailureClass::Budget | FailureClass::MaxTurns | FailureClass::Timeout, ..
            } => true,
            Outcome::Failed { .. } | Outcome::Succeeded { .. } | Outcome::Asking { .. } => false,
        };
        let ceiling = self.session.order.limits;
        let own = Budget { scope: Scope::Fleet, ceiling, spent, resets_at: None };
        if !of_budget || own.used_up(now).is_some() {
            return Ok(None);
        }
        self.server.overdrawn(&self.session, now).await
    }

    /// Writes down in a record what was spent, and what of it is booked.
    pub(super) fn note(&self, session: &mut Session, following: &Following, spent: Spent) {
        session.spending = following.meter.spending();
        session.booked = match self.server.site.bug {
            Some(Bug::BooksNothing) => session.booked,
            Some(Bug::BooksTwice) => session.booked.plus(spent),
            _ => spent,
        };
    }
}
