//! All sessions of this server: begins them, finds them, passes on what is asked of them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agents::Setup;
use agents::external::External;
use config::Settings;
use runtime::Kind;
use store::{Query, Stamp, Transaction, by};
use tokio::sync::{mpsc, watch};
use types::{Event, Handle, Session, SessionId, SessionState, Spending, TeamName};

use crate::actor::{Actor, Command};
use crate::ask::NewSession;
use crate::assign::take;
use crate::chatter::Chatter;
use crate::error::{Error, Refusal};
use crate::live::Live;
use crate::parts::Parts;
use crate::restarts::{RestartCount, Restarts};
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
    /// Moves whenever a letter got further.
    pub(crate) post: watch::Sender<u64>,
    pub(crate) chatter: Chatter,
    pub(crate) restarts: Restarts,
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
        let (unparked, post) = (watch::Sender::new(0), watch::Sender::new(0));
        let (slots, chatter, restarts, actors) = Default::default();
        Self(Arc::new(Hub { parts, spools, slots, unparked, post, chatter, restarts, actors }))
    }

    /// Takes up every session that an earlier server left, and returns how many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn take_up(&self) -> Result<usize> {
        let query = Query::earliest(by::session::live(), LIVE_MAX);
        let found = self.0.parts.store.list::<Session>(query).await?.records;
        let count = found.len();
        // All of them are counted before the first that waits for a place looks for one.
        let slots: Vec<Option<Slot>> =
            found.iter().map(|session| parking::needs_slot(&session.state).then(|| self.0.slots.found())).collect();
        for (session, slot) in found.into_iter().zip(slots) {
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
        let slot = self.0.slot(&new.order.agent)?;
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

    /// Returns every live session as it is right now.
    #[must_use]
    pub fn everyone(&self) -> Vec<Live> {
        self.0.everyone()
    }

    /// Waits until starting another may have become easier: an agent has ended, an account is good again.
    pub async fn eased(&self) {
        self.0.slots.eased().await;
    }

    /// Says that starting may have become easier: the settings have changed.
    pub fn ease(&self) {
        self.0.slots.ease();
    }

    /// Tells how many agents run.
    #[must_use]
    pub fn running(&self) -> u32 {
        self.0.slots.taken()
    }

    /// Returns what agents say at this moment.
    #[must_use]
    pub fn chatter(&self) -> &Chatter {
        &self.0.chatter
    }

    /// Tells how often processes were started anew because the one before broke off.
    #[must_use]
    pub fn restarts(&self) -> RestartCount {
        self.0.restarts.count(self.0.parts.clock.now())
    }

    /// Returns the agents there are.
    #[must_use]
    pub fn roster(&self) -> Roster {
        self.0.roster()
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

    /// Takes a place for an agent; one that others run is there already, whether there is a place or not.
    pub(crate) fn slot(&self, agent: &str) -> Result<Slot> {
        let max = self.settings().max_workers;
        if agent == External::NAME {
            return Ok(self.slots.found());
        }
        self.slots.take(max).ok_or_else(|| Refusal::Full { max }.into())
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
        if let (Some(automatic), Some(mission)) = (&new.automatic, &new.mission) {
            let met = automatic.freed_by.clone().map(|on| Event::DependencyMet { mission: mission.clone(), on });
            let dispatched = Event::AutoDispatched { mission: mission.clone(), session: id.clone() };
            met.into_iter().chain([dispatched]).for_each(|event| tx.append(event));
        }
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
