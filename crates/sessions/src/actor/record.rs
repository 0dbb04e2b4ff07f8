//! Writing a session's record, and with it what its mission and its account come to.

use missions::Release;
use store::{Stamp, Transaction};
use types::{
    Approval, Assignment, Day, Event, FailureClass, Landing, Mission, MissionId, MissionState, ParkReason, Session,
    SessionEnding, SessionState, StateName, Timestamp, Trouble, Wait,
};

use super::questions::hear_all;
use super::release::{Released, set_out};
use super::report::{Closing, Words};
use super::{Actor, Flow, servers};
use crate::Result;
use crate::approvals::ask;
use crate::assign::{Going, take};
use crate::messages::OVER;
use crate::mistakes::Mistake;
use crate::parking::{park, unpark};

/// What else a change of a session's record brings about.
#[derive(Debug, Clone, Default)]
pub(super) struct Effects {
    /// The mission is let go of.
    pub(super) release: Option<Release>,
    /// Its branch goes to the target branch.
    pub(super) landing: Option<Box<Landing>>,
    /// The account is not good for now.
    pub(super) park: Option<(FailureClass, String, Option<Timestamp>)>,
    /// The account has proven to be good.
    pub(super) unpark: bool,
    /// A person is asked.
    pub(super) ask: Option<Box<Approval>>,
    /// What is known of the work of a session that is over.
    pub(super) closing: Option<Box<Closing>>,
}

/// What came of going on.
enum Again {
    On(Box<Session>),
    /// Its mission is somebody else's.
    Lost(MissionId),
    Deleted,
}

impl Actor {
    /// Changes the record and nothing else.
    pub(super) async fn change(&mut self, change: impl FnOnce(&mut Session)) -> Result<()> {
        self.change_with(change, Effects::default()).await
    }

    async fn change_with(&mut self, change: impl FnOnce(&mut Session), effects: Effects) -> Result<()> {
        let mut session = self.session.clone();
        change(&mut session);
        self.put(session, effects).await.map(drop)
    }

    /// Replaces the record and changes what hangs on it, in one commit, and shows it. Changes nothing and says so if
    /// something was submitted that the effects do not know of.
    pub(super) async fn put(&mut self, mut next: Session, effects: Effects) -> Result<bool> {
        next.updated_at = self.shared.parts.clock.now();
        let stamp = self.shared.stamp(&next);
        let account = self.shared.agent_registry().account(&next.order.agent);
        let (next, effects, account) = (&next, &effects, &account);
        let store = &self.shared.parts.store;
        let day = self.day;
        // Until what is shown says what is booked, both may be read.
        let _booking = self.shared.ledger.booking().await;
        let was_parked = effects.unpark && store.get::<types::ParkedAccount>(account).await?.is_some();
        let put = store
            .transact(&stamp, |tx| async move {
                let held = tx.get::<Session>(&next.id).await?;
                // A record that was deleted meanwhile stays deleted.
                let Some(held) = held else { return Ok(()) };
                tx.update(&held, next)?;
                moved(&tx, &held.record, next);
                servers::tell(&tx, &held.record, next);
                book(&tx, &held.record, next, day).await?;
                let mut let_go = false;
                if let Some(release) = &effects.release {
                    let_go = release_mission(&tx, next, release, stamp_time(next)).await?;
                    // A session that has no say in its mission any more has none about its branch.
                    if let Some(landing) = effects.landing.as_deref().filter(|_| let_go) {
                        set_out(&tx, landing).await?;
                    }
                }
                if let Some(closing) = effects.closing.as_deref()
                    && !closing.write(&tx, next, let_go).await?
                {
                    return Err(Stop::Late);
                }
                if let Some(approval) = effects.ask.as_deref() {
                    ask(&tx, approval).await?;
                }
                if let Some((class, text, until)) = &effects.park {
                    park(&tx, account, class, text, *until, stamp_time(next)).await?;
                }
                if was_parked {
                    unpark(&tx, account).await?;
                }
                Ok(())
            })
            .await;
        match put {
            Ok(()) => {}
            Err(Stop::Late) => return Ok(false),
            Err(Stop::Failed(error)) => return Err(error),
        }
        if was_parked {
            self.shared.unparked.send_modify(|count| *count += 1);
        }
        self.session = next.clone();
        self.live.send_modify(|live| live.session = next.clone());
        Ok(true)
    }

    /// Goes on after a wait: a mission that was parked is taken again, under a new generation.
    pub(super) async fn again(&mut self) -> Result<Flow> {
        let stamp = self.shared.stamp(&self.session);
        let (id, stamp) = (&self.session.id.clone(), &stamp);
        let makes_mistake = self.shared.makes(Mistake::IgnoresGenerations);
        let answers = &self.answers().await?;
        let taken = self.shared.parts.store.transact(stamp, |tx| async move {
            let Some(held) = tx.get::<Session>(id).await? else { return Ok(Again::Deleted) };
            let mut session = held.record.clone();
            session.state = SessionState::Starting { since: stamp.at };
            session.updated_at = stamp.at;
            if let Some(assignment) = &held.record.mission {
                session.mission = match makes_mistake {
                    true => Some(assignment.clone()),
                    false => regain(&tx, &session, assignment, stamp).await?,
                };
                if session.mission.is_none() {
                    return Ok(Again::Lost(assignment.mission.clone()));
                }
            }
            if let Some(told) = hear_all(&tx, answers).await? {
                session.order.again = Some(told);
            }
            tx.update(&held, &session)?;
            moved(&tx, &held.record, &session);
            Ok::<_, crate::Error>(Again::On(Box::new(session)))
        });
        let text = match taken.await {
            Ok(Again::On(session)) => {
                self.session = *session;
                self.live.send_modify(|live| live.session = self.session.clone());
                return Ok(Flow::On);
            }
            Ok(Again::Deleted) => return Ok(Flow::Leave),
            Ok(Again::Lost(mission)) => {
                format!("mission `{mission}` was given to others, or called off, while it waited")
            }
            Err(crate::Error::Refused(refusal)) => refusal.to_string(),
            Err(error) => return Err(error),
        };
        self.end(SessionEnding::Failed { class: FailureClass::Interrupted, text }).await
    }

    /// Waits for something before the next process; the hold on the mission stays.
    pub(super) async fn pause(&mut self, wait: Wait, until: Option<Timestamp>) -> Result<Flow> {
        self.change(|session| session.state = SessionState::Waiting { wait: wait.clone(), until }).await?;
        Ok(Flow::On)
    }

    /// Waits for an account; the mission is parked meanwhile, and the slot is somebody else's.
    pub(super) async fn park(&mut self, wait: Wait, until: Option<Timestamp>, why: ParkReason) -> Result<Flow> {
        self.note_parked(&why, until);
        let release = Some(Release::Parked { why, until });
        let effects = Effects { release, ..Effects::default() };
        self.change_with(|session| session.state = SessionState::Waiting { wait: wait.clone(), until }, effects)
            .await?;
        self.slot = None;
        Ok(Flow::On)
    }

    /// Ends the session without judging a process: there is none.
    pub(super) async fn end(&mut self, ending: SessionEnding) -> Result<Flow> {
        let at = self.shared.parts.clock.now();
        let trouble = match &ending {
            SessionEnding::Failed { class, text } => Some(Trouble { class: class.clone(), text: text.clone() }),
            SessionEnding::Completed { .. } | SessionEnding::Cancelled { .. } => self.session.trouble.clone(),
        };
        let session = Session { trouble, state: SessionState::Ended { at, ending }, ..self.session.clone() };
        self.over(session, Effects::default(), &Words::default()).await
    }

    /// Ends the session: its work is kept and judged, its mission is let go of, its slot is free, and nobody writes to
    /// it from then on.
    pub(super) async fn over(&mut self, session: Session, effects: Effects, words: &Words) -> Result<Flow> {
        self.live.send_modify(|live| {
            live.pid = None;
            live.phase = agents::Phase::Stopped;
            live.spending = session.spending;
        });
        loop {
            let closing = self.close(&session, words).await?;
            let session = closing.ended(&session);
            let Released { release, landing } = self.released(&session, &closing).await?;
            // Nothing runs any more; whoever hears of the end finds a place.
            self.slot = None;
            let closing = Some(Box::new(closing));
            let all = Effects { release: Some(release), landing, closing, ..effects.clone() };
            // What an agent has submitted with its last breath is looked at, too.
            if self.put(session, all).await? {
                break;
            }
        }
        // Again: whoever looked when the slot came free may have seen the session still at work.
        self.shared.slots.ease();
        // After the commit, since somebody may have written until then; what is not settled here is when it is read.
        self.shared.settle_letters(&self.session, Some(OVER)).await?;
        self.shared.lapse_approvals(&self.session).await?;
        self.shared.withdraw_questions(&self.session).await?;
        self.clear_temporary().await;
        self.leave_git().await;
        self.shared.care_for(self.session.project.as_ref(), &self.session.order.place);
        Ok(Flow::On)
    }
}

/// The time of the change is the record's own, so that a repeated decision says the same.
fn stamp_time(session: &Session) -> Timestamp {
    session.updated_at
}

/// Ledger what a session has spent since it last did, for its mission, its project, the fleet and the day.
async fn book(tx: &Transaction, before: &Session, after: &Session, day: Day) -> Result<()> {
    if before.booked == after.booked {
        return Ok(());
    }
    tx.book(after.project.as_ref(), day, before.booked, after.booked);
    let Some(assignment) = &after.mission else { return Ok(()) };
    let Some(held) = tx.get::<Mission>(&assignment.mission).await? else { return Ok(()) };
    let (more, fewer) = (after.booked.less(before.booked), before.booked.less(after.booked));
    let mission = Mission { spent: held.record.spent.plus(more).less(fewer), ..held.record.clone() };
    Ok(tx.move_mission(&held, &mission)?)
}

fn moved(tx: &Transaction, before: &Session, after: &Session) {
    let (from, to) = (before.state.name(), after.state.name());
    if from != to {
        let mission = after.mission.as_ref().map(|assignment| assignment.mission.clone());
        tx.append(Event::SessionMoved { session: after.id.clone(), mission, from, to });
    }
}

/// Why a change was not made.
enum Stop {
    /// Something was submitted meanwhile.
    Late,
    Failed(crate::Error),
}

impl From<store::Error> for Stop {
    fn from(error: store::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<crate::Error> for Stop {
    fn from(error: crate::Error) -> Self {
        Self::Failed(error)
    }
}

async fn release_mission(tx: &Transaction, session: &Session, how: &Release, now: Timestamp) -> Result<bool> {
    let Some(assignment) = &session.mission else { return Ok(false) };
    let Some(held) = tx.get::<Mission>(&assignment.mission).await? else { return Ok(false) };
    let from = held.record.state.name();
    let mission = taken_back(&held.record, session, assignment, now);
    let generation = if from == StateName::Parked { mission.holders } else { assignment.generation };
    let Some(moved) = missions::release(&mission, &session.id, generation, how.clone(), now) else { return Ok(false) };
    tx.move_mission(&held, &moved.mission)?;
    Ok(true)
}

/// A mission that waits with the session is the session's to end; nobody else would wake it.
fn taken_back(mission: &Mission, session: &Session, assignment: &Assignment, now: Timestamp) -> Mission {
    let waits = mission.state.name() == StateName::Parked && mission.holders == assignment.generation;
    let taken = waits.then(|| missions::take(mission, &session.id, &session.handle, Vec::new(), now));
    taken.and_then(std::result::Result::ok).map_or_else(|| mission.clone(), |moved| moved.mission)
}

/// Holds the mission again that the session held when it began to wait; none if it went another way.
async fn regain(
    tx: &Transaction,
    session: &Session,
    assignment: &Assignment,
    stamp: &Stamp,
) -> Result<Option<Assignment>> {
    let held = tx.get::<Mission>(&assignment.mission).await?;
    let Some(held) = held.filter(|held| held.record.holders == assignment.generation) else { return Ok(None) };
    match held.record.state {
        MissionState::Held { .. } => Ok(Some(assignment.clone())),
        MissionState::Parked { .. } => {
            take(tx, &assignment.mission, &session.id, &session.handle, Going::On, stamp).await.map(Some)
        }
        MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Landing { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => Ok(None),
    }
}
