//! Writing a session's record, and with it what its mission and its account come to.

use missions::Release;
use store::Transaction;
use types::{Event, FailureClass, Mission, Session, SessionEnding, SessionState, StateName, Timestamp, Wait};

use super::{Actor, Flow};
use crate::Result;
use crate::hub::take;
use crate::parking::{park, unpark};

/// What else a change of a session's record brings about.
#[derive(Debug, Clone, Default)]
pub(super) struct Effects {
    /// The mission is let go of.
    pub(super) release: Option<Release>,
    /// The account is not good for now.
    pub(super) park: Option<(FailureClass, String, Option<Timestamp>)>,
    /// The account has proven to be good.
    pub(super) unpark: bool,
}

impl Actor {
    /// Changes the record and nothing else.
    pub(super) async fn change(&mut self, change: impl Fn(&mut Session)) -> Result<()> {
        self.change_with(change, Effects::default()).await
    }

    /// Changes the record and what hangs on it, in one commit, and shows it.
    pub(super) async fn change_with(&mut self, change: impl Fn(&mut Session), effects: Effects) -> Result<()> {
        let mut session = self.session.clone();
        change(&mut session);
        session.updated_at = self.hub.parts.clock.now();
        self.commit(session, effects).await
    }

    async fn commit(&mut self, next: Session, effects: Effects) -> Result<()> {
        let stamp = self.hub.stamp(&next);
        let account = self.hub.roster().account(&next.order.agent);
        let (next, effects, account) = (&next, &effects, &account);
        let store = &self.hub.parts.store;
        let was_parked = effects.unpark && store.get::<types::ParkedAccount>(account).await?.is_some();
        store
            .transact(&stamp, |tx| async move {
                let held = tx.get::<Session>(&next.id).await?;
                // A record that was deleted meanwhile stays deleted.
                let Some(held) = held else { return Ok(()) };
                tx.update(&held, next)?;
                moved(&tx, &held.record, next);
                if let Some(release) = &effects.release {
                    let_go(&tx, next, release, stamp_time(next)).await?;
                }
                if let Some((class, text, until)) = &effects.park {
                    park(&tx, account, class, text, *until, stamp_time(next)).await?;
                }
                if was_parked {
                    unpark(&tx, account).await?;
                }
                Ok::<_, crate::Error>(())
            })
            .await?;
        if was_parked {
            self.hub.unparked.send_modify(|count| *count += 1);
        }
        self.session = next.clone();
        self.live.send_modify(|live| live.session = next.clone());
        Ok(())
    }

    /// Goes on after a wait: a mission that was parked is taken again, under a new generation.
    pub(super) async fn again(&mut self) -> Result<Flow> {
        let stamp = self.hub.stamp(&self.session);
        let (id, stamp) = (&self.session.id.clone(), &stamp);
        let taken = self.hub.parts.store.transact(stamp, |tx| async move {
            let Some(held) = tx.get::<Session>(id).await? else { return Ok(None) };
            let mut session = held.record.clone();
            session.state = SessionState::Starting { since: stamp.at };
            session.updated_at = stamp.at;
            if let Some(assignment) = &session.mission
                && !holds(&tx, &session).await?
            {
                session.mission = Some(take(&tx, &assignment.mission, &session.id, &session.handle, stamp).await?);
            }
            tx.update(&held, &session)?;
            moved(&tx, &held.record, &session);
            Ok::<_, crate::Error>(Some(session))
        });
        match taken.await {
            Ok(Some(session)) => {
                self.session = session.clone();
                self.live.send_modify(|live| live.session = session);
                Ok(Flow::On)
            }
            Ok(None) => Ok(Flow::Leave),
            Err(crate::Error::Refused(refusal)) => {
                // While it waited somebody else took the mission, or called it off.
                let (class, text) = (FailureClass::Interrupted, refusal.to_string());
                self.end(SessionEnding::Failed { class, text }).await
            }
            Err(error) => Err(error),
        }
    }

    /// Waits for something before the next process; the hold on the mission stays.
    pub(super) async fn pause(&mut self, wait: Wait, until: Option<Timestamp>) -> Result<Flow> {
        self.change(|session| session.state = SessionState::Waiting { wait: wait.clone(), until }).await?;
        Ok(Flow::On)
    }

    /// Waits for an account; the mission is parked meanwhile, and the slot is somebody else's.
    pub(super) async fn park(&mut self, wait: Wait, until: Option<Timestamp>, why: &str) -> Result<Flow> {
        let release = Some(Release::Parked { why: why.to_owned(), until });
        let effects = Effects { release, ..Effects::default() };
        self.change_with(|session| session.state = SessionState::Waiting { wait: wait.clone(), until }, effects)
            .await?;
        self.slot = None;
        Ok(Flow::On)
    }

    /// Ends the session without judging a process: there is none.
    pub(super) async fn end(&mut self, ending: SessionEnding) -> Result<Flow> {
        let at = self.hub.parts.clock.now();
        self.over(SessionState::Ended { at, ending }, Effects::default()).await
    }

    /// Ends the session: its mission is let go of, its letters are settled, its slot is free.
    pub(super) async fn over(&mut self, state: SessionState, effects: Effects) -> Result<Flow> {
        let release = Some(self.release(&state).await);
        self.hub.settle_letters(&self.session, Some("the session is over")).await?;
        self.slot = None;
        self.live.send_modify(|live| {
            live.pid = None;
            live.phase = agents::Phase::Stopped;
        });
        self.change_with(|session| session.state = state.clone(), Effects { release, ..effects }).await?;
        self.hub.care_for(&self.session.order.place);
        Ok(Flow::On)
    }

    async fn release(&self, state: &SessionState) -> Release {
        match state {
            SessionState::Ended { ending: SessionEnding::Completed { .. }, .. } => {
                Release::Done { commits: self.commits().await }
            }
            SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } => {
                Release::Failed { class: class.clone() }
            }
            SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Stopping { .. } => Release::Dropped,
        }
    }
}

/// The time of the change is the record's own, so that a repeated decision says the same.
fn stamp_time(session: &Session) -> Timestamp {
    session.updated_at
}

fn moved(tx: &Transaction, before: &Session, after: &Session) {
    let (from, to) = (before.state.name(), after.state.name());
    if from != to {
        let mission = after.mission.as_ref().map(|assignment| assignment.mission.clone());
        tx.append(Event::SessionMoved { session: after.id.clone(), mission, from, to });
    }
}

async fn let_go(tx: &Transaction, session: &Session, how: &Release, now: Timestamp) -> Result<()> {
    let Some(assignment) = &session.mission else { return Ok(()) };
    let Some(held) = tx.get::<Mission>(&assignment.mission).await? else { return Ok(()) };
    let released = missions::release(&held.record, &session.id, assignment.generation, how.clone(), now);
    if let Some(moved) = released {
        tx.update(&held, &moved.mission)?;
        tx.append(Event::MissionMoved { mission: moved.mission.id.clone(), from: moved.from, to: moved.to });
    }
    Ok(())
}

/// Tells whether the session still holds its mission.
async fn holds(tx: &Transaction, session: &Session) -> Result<bool> {
    let Some(assignment) = &session.mission else { return Ok(true) };
    let held = tx.get::<Mission>(&assignment.mission).await?;
    Ok(held.is_some_and(|held| {
        held.record.state.name() == StateName::Held && held.record.holders == assignment.generation
    }))
}
