//! Keeping to the budgets over a session while its process runs, and booking what it spends.

use std::time::Duration;

use agents::{Event, Outcome, Stop};
use schedule::{Budget, Overdrawn, Scope, allowance};
use types::{FailureClass, Limits, Mission, Spent, Timestamp};

use super::Actor;
use super::follow::Following;
use super::process::Gone;
use super::record::Effects;
use super::stream_state::StreamState;
use crate::Result;
use crate::ledger::spender;
use crate::live::Ran;
use crate::waiting_time::waited;

/// How long a turn may continue that was under way when a budget was used up.
const LAST_TURN: Duration = Duration::from_secs(300);

/// The least that an agent is told it may spend.
const CENT: f64 = 0.01;

impl Actor {
    /// Stops the process if what it just told used up a budget: a turn of its own is over then.
    pub(super) async fn check_budget(&mut self, following: &mut Following, events: &[Event]) -> Result<()> {
        if !self.shared.has_budgets() || !events.iter().any(has_cost) {
            return Ok(());
        }
        self.shared.ledger.turn();
        let turned = events.iter().any(|event| matches!(event, Event::Usage(_)));
        let now = self.shared.parts.clock.now();
        if turned && following.stop.is_none() && self.shared.overdrawn(&self.session, now).await?.is_some() {
            self.halt(following, Stop::Budget, None);
        }
        Ok(())
    }

    /// Takes in that a budget was used up by others or by time; the turn under way is the last.
    pub(super) fn overdrawn(&mut self, following: &mut Following) {
        // An agent that waits for input spends nothing but time, and gets no input until there is budget.
        if following.last_turn.is_none() && following.heard.in_turn() {
            following.last_turn = Some(self.shared.parts.clock.now() + LAST_TURN);
        }
    }

    /// Says which budget a process ended for that is not its session's own.
    pub(super) async fn ended_for(
        &self,
        own: Limits,
        outcome: &Outcome,
        spent: Spent,
        now: Timestamp,
    ) -> Result<Option<Overdrawn>> {
        let of_budget = match outcome {
            Outcome::Failed {
                class: FailureClass::Budget | FailureClass::MaxTurns | FailureClass::Timeout, ..
            } => true,
            Outcome::Failed { .. } | Outcome::Succeeded { .. } | Outcome::Asking { .. } => false,
        };
        let own = Budget { scope: Scope::Fleet, ceiling: own, spent, resets_at: None };
        if !of_budget || own.used_up(now).is_some() {
            return Ok(None);
        }
        self.shared.overdrawn(&self.session, now).await
    }

    /// Says why an earlier server stopped a process that is found gone.
    pub(super) async fn stopped_before(&self, gone: &Gone, secs_before: u64) -> Result<Option<Stop>> {
        let now = self.shared.parts.clock.now();
        if gone.stopped_after.is_some() && self.shared.overdrawn(&self.session, now).await?.is_some() {
            return Ok(Some(Stop::Budget));
        }
        Ok(gone.stopped_for(&self.limits(), secs_before))
    }

    /// Returns all that the session has spent when its process has ended.
    pub(super) fn spent_in_all(&self, heard: &StreamState, secs_before: u64) -> Spent {
        let exit = self.shared.parts.processes.exit(&self.shared.spools.run(&self.session, self.session.runs));
        let secs = exit.map_or(0, |exit| self.secs_between(exit.started_at, exit.ended_at));
        let secs = secs_before.saturating_add(secs);
        heard.account.meter.spending().in_all(secs.max(self.session.booked.secs))
    }

    /// Returns the ceilings for the next process: what is left of the session's own, and of the budgets over it.
    pub(super) async fn ceilings(&mut self, now: Timestamp) -> Result<Limits> {
        self.read_handed_on().await?;
        let mut budgets = self.shared.budgets(now).await?;
        let spent = self.session.spending.in_all(self.secs_before());
        let ceiling = self.own_ceilings();
        budgets.push(Budget { scope: Scope::Fleet, ceiling, spent, resets_at: None });
        let left = allowance(Limits::default(), spender(&self.session), &budgets, now);
        // An agent that is told of nothing may take it for no limit; Fleet stops it at its first turn all the same.
        let turns_max = left.turns_max.map(|turns| turns.max(1));
        Ok(Limits { turns_max, dollars_max: left.dollars_max.map(|dollars| dollars.max(CENT)), ..left })
    }

    /// Reads what of its ceilings the session has handed on to sub-missions.
    pub(super) async fn read_handed_on(&mut self) -> Result<()> {
        let Some(assignment) = &self.session.mission else { return Ok(()) };
        let mission = self.shared.parts.store.get::<Mission>(&assignment.mission).await?;
        self.handed_on = mission.map(|it| missions::handed_on(&it, Some(&self.session.id))).unwrap_or_default();
        Ok(())
    }

    /// Returns the session's own ceilings, without what it has handed on.
    pub(super) fn own_ceilings(&self) -> Limits {
        let Limits { turns_max, dollars_max, tokens_max, secs_max } = self.session.order.limits;
        let handed_on = &self.handed_on;
        let dollars = |most: f64| (most - handed_on.cost.dollars()).max(0.0);
        Limits {
            turns_max,
            dollars_max: dollars_max.map(dollars),
            tokens_max: tokens_max.map(|most| most.saturating_sub(handed_on.tokens)),
            secs_max,
        }
    }

    /// Begins to count the time of a process.
    pub(super) fn begin_counting(&mut self, following: &Following) {
        self.day = self.shared.today();
        self.live.send_modify(|live| live.day = self.day);
        self.count(following);
    }

    /// Counts the time of a process; time spent waiting for people does not count.
    pub(super) fn count(&self, following: &Following) {
        let now = self.shared.parts.clock.now();
        let secs_before = following.secs_before;
        let ran = match &following.running {
            None => Ran::Until { secs: self.session.booked.secs },
            Some(_) if following.pending.is_empty() => {
                let waited = Duration::from_secs(waited(&self.approvals, following.started_at, now));
                let at = following.started_at.checked_add(waited).unwrap_or(following.started_at);
                Ran::Since { at, secs_before }
            }
            Some(_) => Ran::Until { secs: secs_before.saturating_add(self.secs_between(following.started_at, now)) },
        };
        self.live.send_modify(|live| live.ran = ran);
        self.shared.ledger.turn();
    }

    /// Ledger what was spent on a day that is over, so that it counts for that day.
    pub(super) async fn close_day(&mut self, following: &mut Following) -> Result<()> {
        let today = self.shared.today();
        if today == self.day || following.running.is_none() {
            return Ok(());
        }
        let secs = self.secs_between(following.started_at, self.day.ends_at());
        let secs = following.secs_before.saturating_add(secs);
        let mut session = self.session.clone();
        session.booked = following.heard.account.meter.spending().in_all(secs.max(session.booked.secs));
        self.put(session, Effects::default()).await?;
        self.day = today;
        self.live.send_modify(|live| live.day = today);
        self.shared.ledger.turn();
        Ok(())
    }
}

fn has_cost(event: &Event) -> bool {
    matches!(event, Event::Usage(_) | Event::Result(_))
}
