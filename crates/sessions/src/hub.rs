//! All sessions of this server: begins them, finds them, passes on what is asked of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agents::Setup;
use config::Settings;
use runtime::Kind;
use store::{Query, Stamp, Transaction, by};
use tokio::sync::{mpsc, watch};
use types::{
    Assignment, Event, Handle, Mission, MissionId, Session, SessionId, SessionState, Spending, StateName, TeamName,
};

use crate::actor::{Actor, Command};
use crate::ask::{Asked, NewSession};
use crate::error::{Error, Refusal};
use crate::live::Live;
use crate::parts::Parts;
use crate::roster::Roster;
use crate::slots::{Slot, Slots};
use crate::spools::Spools;
use crate::{Result, parking};

/// Characters behind the prefix of a new id.
const ID_LENGTH: usize = 5;

/// Most live sessions that are taken up in one go.
const LIVE_MAX: usize = 10_000;

/// All sessions. Clones share them.
#[derive(Debug, Clone)]
pub struct Sessions(pub(crate) Arc<Hub>);

/// What all sessions share.
#[derive(Debug)]
pub(crate) struct Hub {
    pub(crate) parts: Parts,
    pub(crate) spools: Spools,
    pub(crate) slots: Slots,
    /// Moves whenever an account becomes good again.
    pub(crate) unparked: watch::Sender<u64>,
    actors: Mutex<HashMap<SessionId, Reach>>,
}

/// How a live session is reached.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    pub(crate) commands: mpsc::UnboundedSender<Command>,
    pub(crate) live: watch::Receiver<Live>,
}

impl Sessions {
    /// Makes the hub; no session is taken up yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let spools = Spools::below(&parts.tasks);
        let (slots, unparked, actors) = (Slots::default(), watch::Sender::new(0), Mutex::default());
        Self(Arc::new(Hub { parts, spools, slots, unparked, actors }))
    }

    /// Takes up every session that an earlier server left, and returns how many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn take_up(&self) -> Result<usize> {
        let query = Query::earliest(by::session::live(), LIVE_MAX);
        let found = self.0.parts.store.list::<Session>(query).await?.records;
        let count = found.len();
        for session in found {
            let slot = parking::needs_slot(&session.state).then(|| self.0.slots.found());
            self.0.begin(session, slot, Begin::Found);
        }
        Ok(count)
    }

    /// Begins a session; its process is started in the background.
    ///
    /// # Errors
    /// Refuses when there is no slot, no such agent, or somebody else has the name or the mission.
    pub async fn spawn(&self, new: NewSession, stamp: &Stamp) -> Result<Session> {
        self.0.roster().find(&new.order.agent)?;
        let max = self.0.settings().max_workers;
        let slot = self.0.slots.take(max).ok_or(Refusal::Full { max })?;
        let new = &new;
        let store = &self.0.parts.store;
        let session = store.transact(stamp, |tx| async move { self.0.insert(&tx, new, stamp).await }).await?;
        self.0.begin(session.clone(), Some(slot), Begin::Fresh);
        Ok(session)
    }

    /// Reads a session.
    ///
    /// # Errors
    /// When there is none, or the store fails.
    pub async fn get(&self, id: &SessionId) -> Result<Session> {
        let found = self.0.parts.store.get::<Session>(id).await?;
        found.ok_or_else(|| Refusal::NotFound { session: id.clone() }.into())
    }

    /// Finds the live session whose agent goes by a name.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn named(&self, team: &TeamName, handle: &Handle) -> Result<Option<Session>> {
        self.0.named(team, handle).await
    }

    /// Returns a session as it is right now; none if it is over.
    #[must_use]
    pub fn live(&self, id: &SessionId) -> Option<Live> {
        self.0.reach(id).map(|reach| reach.live.borrow().clone())
    }

    /// Follows a session; none if it is over.
    #[must_use]
    pub fn watch(&self, id: &SessionId) -> Option<watch::Receiver<Live>> {
        self.0.reach(id).map(|reach| reach.live)
    }

    /// Tells how many agents run.
    #[must_use]
    pub fn running(&self) -> u32 {
        self.0.slots.taken()
    }

    /// Returns the agents there are.
    #[must_use]
    pub fn roster(&self) -> Roster {
        self.0.roster()
    }

    /// Ends a session and waits until everything its agent started is gone.
    ///
    /// # Errors
    /// When there is no such session, or the store fails.
    pub async fn stop(&self, id: &SessionId, who: &Handle) -> Result<Session> {
        if let Some(mut reach) = self.0.reach(id) {
            // A session that ends by itself meanwhile hears nothing, and has ended.
            let _ = reach.commands.send(Command::Stop { by: who.clone() });
            let _ = reach.live.wait_for(|live| !live.session.state.is_live()).await;
        }
        self.get(id).await
    }

    /// Takes a session up again that is over, in the same conversation and the same folder.
    ///
    /// # Errors
    /// Refuses one that is not over, whose agent cannot resume, or which never had a conversation.
    pub async fn resume(&self, id: &SessionId, asked: Asked, stamp: &Stamp) -> Result<Session> {
        let session = self.get(id).await?;
        let agent = self.0.roster().find(&session.order.agent)?;
        if !agent.capabilities().resume {
            let agent = session.order.agent;
            return Err(Refusal::Incapable { agent, what: "go on with a conversation" }.into());
        }
        let max = self.0.settings().max_workers;
        let slot = self.0.slots.take(max).ok_or(Refusal::Full { max })?;
        let asked = &asked;
        let store = &self.0.parts.store;
        let session = store.transact(stamp, |tx| async move { self.0.reopen(&tx, id, asked, stamp).await }).await?;
        self.0.begin(session.clone(), Some(slot), Begin::Fresh);
        Ok(session)
    }
}

/// Whether a session is new to the world or only to this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Its next process was started by nobody yet.
    Fresh,
    /// Its process may run.
    Found,
}

impl Hub {
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.parts.settings.borrow())
    }

    pub(crate) fn roster(&self) -> Roster {
        Roster::new(&self.settings(), &self.parts.program)
    }

    pub(crate) fn setup(&self, agent: &str) -> Setup {
        self.roster().setup(agent)
    }

    /// Returns every session that is not over, as it is right now.
    pub(crate) fn everyone(&self) -> Vec<Live> {
        let reaches: Vec<Reach> = self.actors().values().cloned().collect();
        reaches.into_iter().map(|reach| reach.live.borrow().clone()).collect()
    }

    pub(crate) fn reach(&self, id: &SessionId) -> Option<Reach> {
        self.actors().get(id).cloned()
    }

    /// Starts the task of a session.
    pub(crate) fn begin(self: &Arc<Self>, session: Session, slot: Option<Slot>, begin: Begin) {
        let id = session.id.clone();
        let (sender, commands) = mpsc::unbounded_channel();
        let live = watch::Sender::new(Live::new(session, self.parts.clock.now()));
        let mine = live.subscribe();
        self.actors().insert(id.clone(), Reach { commands: sender, live: mine.clone() });
        let hub = Arc::clone(self);
        self.parts.tree.spawn(Kind::Job, format!("session {id}"), move |stop| async move {
            Actor::new(Arc::clone(&hub), slot, begin, live, commands, stop).run().await;
            let mut actors = hub.actors();
            // It may have been taken up again meanwhile.
            if actors.get(&id).is_some_and(|reach| reach.live.same_channel(&mine)) {
                actors.remove(&id);
            }
        });
    }

    pub(crate) async fn named(&self, team: &TeamName, handle: &Handle) -> Result<Option<Session>> {
        let query = Query::earliest(by::session::live_handle(team, handle), 1);
        Ok(self.parts.store.list::<Session>(query).await?.records.pop())
    }

    async fn insert(&self, tx: &Transaction, new: &NewSession, stamp: &Stamp) -> Result<Session> {
        let code = self.parts.rng.short_code(ID_LENGTH);
        let id = SessionId::from_code(&code).map_err(|error| fault(&error))?;
        let handle = new.name(&id).ok_or_else(|| fault(&"the id makes no name"))?;
        if let Some(other) = self.named(&new.team, &handle).await? {
            return Err(Refusal::HandleTaken { handle, session: other.id }.into());
        }
        let assignment = match &new.mission {
            Some(mission) => Some(take(tx, mission, &id, &handle, stamp).await?),
            None => None,
        };
        let session = Session {
            id: id.clone(),
            team: new.team.clone(),
            handle,
            project: new.project.clone(),
            mission: assignment,
            origin: new.origin.clone(),
            order: new.order.clone(),
            workspace: None,
            conversation: new.conversation.clone(),
            runs: 1,
            begun: new.begun(),
            failures: 0,
            restarts: 0,
            spending: Spending { seen: new.seen.seen, ..Spending::default() },
            exit: None,
            trouble: None,
            state: SessionState::Starting { since: stamp.at },
            created_by: stamp.handle.clone(),
            created_at: stamp.at,
            updated_at: stamp.at,
        };
        tx.insert(&session)?;
        tx.append(Event::SessionCreated { session: id, mission: new.mission.clone() });
        Ok(session)
    }

    fn actors(&self) -> MutexGuard<'_, HashMap<SessionId, Reach>> {
        self.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fault(error: &impl std::fmt::Display) -> Error {
    Error::File { what: "cannot make a session".to_owned(), source: std::io::Error::other(error.to_string()) }
}

/// Gives a mission to a session, in its transaction.
pub(crate) async fn take(
    tx: &Transaction,
    mission: &MissionId,
    session: &SessionId,
    handle: &Handle,
    stamp: &Stamp,
) -> Result<Assignment> {
    let held = tx.get::<Mission>(mission).await?;
    let held = held.ok_or_else(|| Refusal::MissionNotFound { mission: mission.clone() })?;
    let unresolved = unresolved(tx, &held.record).await?;
    let moved = missions::take(&held.record, session, handle, unresolved, stamp.at).map_err(Refusal::Mission)?;
    tx.update(&held, &moved.mission)?;
    tx.append(Event::MissionMoved { mission: mission.clone(), from: moved.from, to: moved.to });
    Ok(Assignment { mission: mission.clone(), generation: moved.mission.holders })
}

/// Those of a mission's dependencies that are not done; one that was deleted holds nothing up.
///
/// # Errors
/// When the store fails.
pub async fn unresolved(tx: &Transaction, mission: &Mission) -> std::result::Result<Vec<MissionId>, store::Error> {
    let mut open = Vec::new();
    for id in &mission.depends_on {
        if let Some(held) = tx.get::<Mission>(id).await?
            && held.record.state.name() != StateName::Done
        {
            open.push(id.clone());
        }
    }
    Ok(open)
}
