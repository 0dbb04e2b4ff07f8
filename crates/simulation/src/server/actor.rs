//! The task of one session, from its first process to its end; as `sessions::actor`.

use std::sync::Arc;
use std::time::Duration;

use agents::{BackOff, Outcome};
use sessions::{Ended, Next, Rules, decide};
use tokio::sync::{Notify, watch};
use types::{Day, FailureClass, Handle, Session, SessionEnding, SessionState, Timestamp, Wait};

use super::record::Effects;
use super::slots::Slot;
use super::spending::Following;
use super::{PAUSE, Server, needs_slot};
use crate::agent::Process;
use crate::bug::Bug;

/// After how long a silence an agent is ended.
pub(super) const STALE_AFTER: Duration = Duration::from_secs(300);

const RULES: Rules = Rules {
    parking: config::Parking::Account,
    stale_restarts_max: 1,
    back_off: BackOff { first_ms: 10_000, longest_ms: 120_000, times_max: 3 },
};

#[derive(Debug)]
pub(super) struct Actor {
    pub(super) server: Arc<Server>,
    pub(super) session: Session,
    pub(super) slot: Option<Slot>,
    pub(super) stopped: watch::Receiver<bool>,
    overdrawn: Arc<Notify>,
    /// The day for which it books what it spends.
    pub(super) day: Day,
}

impl Actor {
    pub(super) fn new(
        server: Arc<Server>,
        session: Session,
        slot: Option<Slot>,
        stopped: watch::Receiver<bool>,
        overdrawn: Arc<Notify>,
    ) -> Self {
        let day = Day::of(server.site.clock.now());
        Self { server, session, slot, stopped, overdrawn, day }
    }

    pub(super) async fn run(mut self) {
        while self.session.state.is_live() {
            if let Err(error) = self.step().await {
                self.server.site.trace.note(&format!("session {} could not go on: {error}", self.session.id));
                self.read_again().await;
            }
        }
        self.server.live().remove(&self.session.id);
    }

    /// Begins from what is stored, for a commit whose answer was lost may have been applied; and without a slot that
    /// it is not known to have, for it would wait for one and keep one at once.
    async fn read_again(&mut self) {
        loop {
            self.server.site.clock.sleep(PAUSE).await;
            if let Ok(Some(session)) = self.server.store.get::<Session>(&self.session.id).await {
                if !needs_slot(&session.state) {
                    self.slot = None;
                }
                return self.show(session);
            }
        }
    }

    async fn step(&mut self) -> Result<(), store::Error> {
        match self.session.state.clone() {
            SessionState::Starting { .. } => self.start().await,
            SessionState::Running { .. } | SessionState::Stopping { .. } => self.follow().await,
            SessionState::Waiting { wait, until } => self.wait(wait, until).await,
            SessionState::Ended { .. } => Ok(()),
        }
    }

    async fn start(&mut self) -> Result<(), store::Error> {
        let site = self.server.site.clone();
        let key = (self.session.id.clone(), self.session.runs);
        // One that runs is not to wait for anything.
        if site.agents.get(&key).is_some() {
            return self.follow().await;
        }
        if *self.stopped.borrow() {
            return self.end(SessionEnding::Cancelled { by: Handle::owner() }).await;
        }
        if let Some(parked) = self.blocked().await? {
            return self.park(Wait::Parked { class: parked.class }, parked.until, "its account is parked").await;
        }
        if let Some(over) = self.server.overdrawn(&self.session, site.clock.now()).await? {
            return self.park(Wait::Budget, over.resets_at, &over.to_string()).await;
        }
        if self.slot.is_none() {
            self.slot = self.server.slots.take(site.slots_max);
            if self.slot.is_none() {
                return self.change(SessionState::Waiting { wait: Wait::Slot, until: None }).await;
            }
        }
        if site.agents.start(&site, &key, &self.session) {
            return self.follow().await;
        }
        let text = "its program could not be started".to_owned();
        self.end(SessionEnding::Failed { class: FailureClass::NotStarted, text }).await
    }

    async fn follow(&mut self) -> Result<(), store::Error> {
        let site = self.server.site.clone();
        let key = (self.session.id.clone(), self.session.runs);
        let mut bell = site.agents.listen();
        let mut following = self.open();
        self.day = Day::of(site.clock.now());
        loop {
            let now = site.clock.now();
            let Some(process) = site.agents.get(&key) else { return Ok(()) };
            self.close_day(&following, &process).await?;
            let turned = following.read(&process);
            if turned || following.is_new || process.exit.is_some() {
                self.count(&following, &process);
                following.is_new = false;
            }
            if let Some(outcome) = &process.exit {
                return self.finish(&process, outcome, &following).await;
            }
            if let Some(stop) = self.must_stop(&following, &process, turned, now).await? {
                site.agents.kill(&site, &key, stop);
                continue;
            }
            if matches!(self.session.state, SessionState::Starting { .. }) {
                self.change(SessionState::Running { since: now }).await?;
                continue;
            }
            let (overdrawn, due) = (Arc::clone(&self.overdrawn), self.due(&following, &process));
            tokio::select! {
                biased;
                _ = bell.changed() => {}
                // Nobody reaches it any more once another task has its session; that must not keep it awake.
                Ok(()) = self.stopped.changed() => {}
                () = overdrawn.notified() => following.overdrawn(site.clock.now()),
                () = site.clock.sleep_until(due) => {}
            }
        }
    }

    async fn finish(&mut self, process: &Process, judged: &Outcome, following: &Following) -> Result<(), store::Error> {
        let (now, owner) = (self.server.site.clock.now(), Handle::owner());
        let stopped = *self.stopped.borrow();
        let spent = self.spent_in_all(following, process);
        let overdrawn = self.ended_for(judged, spent).await?;
        let of_budget =
            overdrawn.as_ref().map(|over| Outcome::Failed { class: FailureClass::Budget, text: over.to_string() });
        let outcome = of_budget.as_ref().unwrap_or(judged);
        let ended = Ended {
            outcome,
            stopped_by: stopped.then_some(&owner),
            advanced: !process.turns.is_empty(),
            rebooted: false,
            told: true,
            can_resume: true,
            overdrawn: overdrawn.as_ref(),
            now,
            chance: self.server.site.rng.below(1_000) as f64 / 1_000.0,
        };
        let mut session = self.session.clone();
        self.note(&mut session, following, spent);
        let decided = decide(&session, &ended, &RULES);
        (session.failures, session.restarts) = (decided.failures, decided.restarts);
        session.trouble = decided.trouble.or(session.trouble);
        let unpark = matches!(outcome, Outcome::Succeeded { .. });
        match decided.next {
            Next::End(ending) => {
                session.state = SessionState::Ended { at: now, ending };
                self.over(session, Effects { unpark, ..Effects::default() }).await
            }
            Next::Again(begun) => {
                (session.begun, session.runs) = (begun, session.runs + 1);
                session.state = SessionState::Starting { since: now };
                self.put(session, Effects::default()).await
            }
            // No agent here asks for leave.
            Next::Ask { .. } => {
                let ending = SessionEnding::Failed { class: FailureClass::Denied, text: "it asks".to_owned() };
                session.state = SessionState::Ended { at: now, ending };
                self.over(session, Effects::default()).await
            }
            Next::Later { begun, wait, until } => {
                (session.begun, session.runs) = (begun, session.runs + 1);
                let why = session.trouble.as_ref().map_or_else(String::new, |trouble| trouble.text.clone());
                let release = Some(missions::Release::Parked { why, until });
                let (effects, gives_way) = match &wait {
                    Wait::Parked { class } => {
                        (Effects { release, park: Some((class.clone(), until)), ..Effects::default() }, true)
                    }
                    Wait::Budget => (Effects { release, ..Effects::default() }, true),
                    Wait::BackOff { .. } | Wait::Slot | Wait::Approval { .. } => (Effects::default(), false),
                };
                session.state = SessionState::Waiting { wait, until };
                self.put(session, effects).await?;
                if gives_way {
                    self.slot = None;
                }
                Ok(())
            }
        }
    }

    async fn wait(&mut self, wait: Wait, until: Option<Timestamp>) -> Result<(), store::Error> {
        let server = Arc::clone(&self.server);
        let (mut unparked, mut turned) = (server.unparked.subscribe(), server.turned.subscribe());
        let (is_parked, is_budget) = (matches!(wait, Wait::Parked { .. }), wait == Wait::Budget);
        let due = async {
            match (&wait, until) {
                (Wait::Slot, _) => Some(server.slots.wait(server.site.slots_max).await),
                (Wait::BackOff { .. } | Wait::Parked { .. } | Wait::Budget, Some(until)) => {
                    server.site.clock.sleep_until(until).await;
                    None
                }
                (Wait::BackOff { .. } | Wait::Parked { .. } | Wait::Budget, None) | (Wait::Approval { .. }, _) => {
                    std::future::pending().await
                }
            }
        };
        tokio::pin!(due);
        loop {
            if *self.stopped.borrow() {
                return self.end(SessionEnding::Cancelled { by: Handle::owner() }).await;
            }
            if (is_parked && server.site.has(Bug::NeverWakes)) || (is_budget && server.site.has(Bug::NeverRenews)) {
                return std::future::pending().await;
            }
            if is_budget {
                let over = server.overdrawn(&self.session, server.site.clock.now()).await?;
                if over.is_none_or(|over| over.resets_at != until) {
                    return self.again().await;
                }
            }
            if is_parked && self.blocked().await?.is_none() {
                return self.again().await;
            }
            tokio::select! {
                biased;
                slot = &mut due => {
                    self.slot = slot.or(self.slot.take());
                    return self.again().await;
                }
                _ = unparked.changed(), if is_parked => {}
                _ = turned.changed(), if is_budget => {}
                // Nobody reaches it any more once another task has its session; that must not keep it awake.
                Ok(()) = self.stopped.changed() => {}
            }
        }
    }

    async fn blocked(&self) -> Result<Option<types::ParkedAccount>, store::Error> {
        let parked = self.server.parked(self.server.site.clock.now()).await?;
        Ok(parked.into_iter().find(|parked| parked.account == self.session.order.agent))
    }

    async fn park(&mut self, wait: Wait, until: Option<Timestamp>, why: &str) -> Result<(), store::Error> {
        let release = Some(missions::Release::Parked { why: why.to_owned(), until });
        let state = SessionState::Waiting { wait, until };
        self.put(Session { state, ..self.session.clone() }, Effects { release, ..Effects::default() }).await?;
        self.slot = None;
        Ok(())
    }

    async fn change(&mut self, state: SessionState) -> Result<(), store::Error> {
        self.put(Session { state, ..self.session.clone() }, Effects::default()).await
    }

    /// Shows the record as it was committed.
    pub(super) fn show(&mut self, session: Session) {
        self.session = session;
        if let Some(live) = self.server.live().get_mut(&self.session.id) {
            live.session = self.session.clone();
        }
        // Only now is it seen that it takes no slot; whoever looked when the slot was dropped has looked too early.
        if !needs_slot(&self.session.state) {
            self.server.slots.ease();
        }
    }
}
