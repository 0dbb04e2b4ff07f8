//! Writing a session's record, and with it what its mission and its account come to; as `sessions::actor::record`.

use missions::Release;
use store::Transaction;
use types::{
    Assignment, Day, Event, FailureClass, Landing, Mission, MissionState, ParkedAccount, Session, SessionEnding,
    SessionState, StateName, Timestamp,
};

use super::NotBegun;
use super::actor::Actor;
use super::assign::take;
use super::leaving::set_out;
use crate::bug::Bug;
use crate::engine::give_way;

/// What else a change of a session's record brings about.
#[derive(Debug, Clone, Default)]
pub(super) struct Effects {
    pub(super) release: Option<Release>,
    pub(super) landing: Option<Box<Landing>>,
    pub(super) park: Option<(FailureClass, Option<Timestamp>)>,
    pub(super) unpark: bool,
}

enum Again {
    On(Box<Session>),
    Lost,
}

impl From<store::Error> for Failed {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

enum Failed {
    Refused,
    Store(store::Error),
}

impl From<NotBegun> for Failed {
    fn from(error: NotBegun) -> Self {
        match error {
            NotBegun::Full | NotBegun::Refused => Self::Refused,
            NotBegun::Store(error) => Self::Store(error),
        }
    }
}

impl Actor {
    /// Replaces the record and changes what hangs on it, in one commit, and shows it.
    pub(super) async fn put(&mut self, mut next: Session, effects: Effects) -> Result<(), store::Error> {
        next.updated_at = self.server.site.clock.now();
        let (stamp, account) = (self.server.stamp(), next.order.agent.clone());
        let (next, effects, account) = (&next, &effects, &account);
        let (now, day) = (next.updated_at, self.day);
        let server = std::sync::Arc::clone(&self.server);
        // Until what is shown says what is booked, both may be read.
        let _booking = server.booking.read().await;
        let put = self.server.store.transact(&stamp, |tx| async move {
            let Some(held) = tx.get::<Session>(&next.id).await? else { return Ok(()) };
            tx.update(&held, next)?;
            moved(&tx, &held.record, next);
            book(&tx, &held.record, next, day).await?;
            if let Some(release) = &effects.release
                && let_go(&tx, next, release, now).await?
                && let Some(landing) = &effects.landing
            {
                set_out(&tx, landing).await?;
            }
            if let Some((class, until)) = &effects.park {
                park(&tx, account, class, *until, now).await?;
            }
            if effects.unpark {
                unpark(&tx, account).await?;
            }
            Ok::<_, store::Error>(())
        });
        put.await?;
        if effects.unpark {
            self.server.unparked.send_modify(|count| *count += 1);
        }
        // Another thread may come in between.
        give_way().await;
        self.show(next.clone());
        Ok(())
    }

    /// Goes on after a wait: a mission that was parked is taken again, under a new generation.
    pub(super) async fn again(&mut self) -> Result<(), store::Error> {
        let (id, stamp) = (&self.session.id.clone(), &self.server.stamp());
        let taken = self.server.store.transact(stamp, |tx| async move {
            let Some(held) = tx.get::<Session>(id).await? else { return Ok(Again::Lost) };
            let mut session = held.record.clone();
            session.state = SessionState::Starting { since: stamp.at };
            session.updated_at = stamp.at;
            if let Some(assignment) = &held.record.mission {
                session.mission = regain(&tx, &session, assignment, stamp.at).await?;
                if session.mission.is_none() {
                    return Ok(Again::Lost);
                }
            }
            tx.update(&held, &session)?;
            moved(&tx, &held.record, &session);
            Ok::<_, Failed>(Again::On(Box::new(session)))
        });
        match taken.await {
            Ok(Again::On(session)) => {
                self.show(*session);
                Ok(())
            }
            Ok(Again::Lost) | Err(Failed::Refused) => {
                let text = "its mission went another way while it waited".to_owned();
                self.end(SessionEnding::Failed { class: FailureClass::Interrupted, text }).await
            }
            Err(Failed::Store(error)) => Err(error),
        }
    }

    /// Ends the session without judging a process: there is none.
    pub(super) async fn end(&mut self, ending: SessionEnding) -> Result<(), store::Error> {
        let at = self.server.site.clock.now();
        let session = Session { state: SessionState::Ended { at, ending }, ..self.session.clone() };
        self.over(session, Effects::default()).await
    }

    /// Ends the session: its mission is let go of, its slot is free.
    pub(super) async fn over(&mut self, session: Session, effects: Effects) -> Result<(), store::Error> {
        let (release, landing) = self.leaving(&session).await?;
        self.slot = None;
        let release = Some(release).filter(|_| !self.server.site.has(Bug::KeepsLeases));
        self.put(session, Effects { release, landing, ..effects }).await?;
        if self.server.site.has(Bug::LosesMissions) {
            self.lose().await?;
        }
        Ok(())
    }

    /// Deletes the mission of a session that was stopped, which nobody may without saying so.
    async fn lose(&self) -> Result<(), store::Error> {
        let mission = self.session.mission.as_ref().map(|assignment| &assignment.mission);
        let stamp = self.server.stamp();
        let lost = self.server.store.transact(&stamp, |tx| async move {
            let Some(mission) = mission else { return Ok(()) };
            if let Some(held) = tx.get::<Mission>(mission).await?
                && held.record.state.name() == StateName::Draft
            {
                tx.delete(&held);
            }
            Ok::<_, store::Error>(())
        });
        lost.await
    }
}

fn moved(tx: &Transaction, before: &Session, after: &Session) {
    let (from, to) = (before.state.name(), after.state.name());
    if from != to {
        let mission = after.mission.as_ref().map(|assignment| assignment.mission.clone());
        tx.append(Event::SessionMoved { session: after.id.clone(), mission, from, to });
    }
}

/// Books what a session has spent since it last did, for its mission, its project, the fleet and the day.
async fn book(tx: &Transaction, before: &Session, after: &Session, day: Day) -> Result<(), store::Error> {
    if before.booked == after.booked {
        return Ok(());
    }
    tx.book(after.project.as_ref(), day, before.booked, after.booked);
    let Some(assignment) = &after.mission else { return Ok(()) };
    let Some(held) = tx.get::<Mission>(&assignment.mission).await? else { return Ok(()) };
    let spent = held.record.spent.plus(after.booked.less(before.booked));
    tx.update(&held, &Mission { spent, ..held.record.clone() })
}

async fn let_go(tx: &Transaction, session: &Session, how: &Release, now: Timestamp) -> Result<bool, store::Error> {
    let Some(assignment) = &session.mission else { return Ok(false) };
    let Some(held) = tx.get::<Mission>(&assignment.mission).await? else { return Ok(false) };
    let from = held.record.state.name();
    let mission = taken_back(&held.record, session, assignment, now);
    let generation = if from == StateName::Parked { mission.holders } else { assignment.generation };
    let Some(moved) = missions::release(&mission, &session.id, generation, how.clone(), now) else { return Ok(false) };
    tx.update(&held, &moved.mission)?;
    tx.append(Event::MissionMoved { mission: moved.mission.id.clone(), from, to: moved.to });
    Ok(true)
}

/// A mission that waits with the session is the session's to end; nobody else would wake it.
fn taken_back(mission: &Mission, session: &Session, assignment: &Assignment, now: Timestamp) -> Mission {
    let waits = mission.state.name() == StateName::Parked && mission.holders == assignment.generation;
    let taken = waits.then(|| missions::take(mission, &session.id, &session.handle, Vec::new(), now));
    taken.and_then(Result::ok).map_or_else(|| mission.clone(), |moved| moved.mission)
}

/// Holds the mission again that the session held when it began to wait; none if it went another way.
async fn regain(
    tx: &Transaction,
    session: &Session,
    assignment: &Assignment,
    now: Timestamp,
) -> Result<Option<Assignment>, Failed> {
    let held = tx.get::<Mission>(&assignment.mission).await?;
    let Some(held) = held.filter(|held| held.record.holders == assignment.generation) else { return Ok(None) };
    if matches!(held.record.state, MissionState::Held { .. }) {
        return Ok(Some(assignment.clone()));
    }
    if !matches!(held.record.state, MissionState::Parked { .. }) {
        return Ok(None);
    }
    let (_, generation) = take(tx, &assignment.mission, &session.id, &session.handle, false, now).await?;
    Ok(Some(Assignment { mission: assignment.mission.clone(), generation }))
}

async fn park(
    tx: &Transaction,
    account: &String,
    class: &FailureClass,
    until: Option<Timestamp>,
    now: Timestamp,
) -> Result<(), store::Error> {
    let (class, text) = (class.clone(), "it failed".to_owned());
    let parked = ParkedAccount { account: account.clone(), class, text, until, since: now };
    match tx.get::<ParkedAccount>(account).await? {
        Some(held) if held.record.until.is_none() => Ok(()),
        Some(held) => tx.update(&held, &parked),
        None => tx.insert(&parked),
    }
}

pub(super) async fn unpark(tx: &Transaction, account: &String) -> Result<(), store::Error> {
    if let Some(held) = tx.get::<ParkedAccount>(account).await? {
        tx.delete(&held);
    }
    Ok(())
}
