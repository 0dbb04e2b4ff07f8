//! All sessions of this server: begins them, finds them, passes on what is asked of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agents::Setup;
use agents::external::External;
use config::Settings;
use runtime::Kind;
use sandbox::Support;
use store::{Query, by};
use tokio::sync::{mpsc, watch};
use types::{Handle, Session, SessionId, TeamName};

use crate::actor::{Actor, Command};
use crate::agent_registry::AgentRegistry;
use crate::error::Refusal;
use crate::ledger::Ledger;
use crate::live::Live;
use crate::live_output::LiveOutput;
use crate::parts::Parts;
use crate::questions::Waiters;
use crate::redaction::Secrets;
use crate::restarts::{RestartCount, Restarts};
use crate::slots::{Room, Seat, Slot, Slots};
use crate::spools::Spools;
use crate::{Result, parking};

/// Most live sessions that are taken up in one go.
const LIVE_MAX: usize = 10_000;

/// All sessions. Clones share them.
#[derive(Debug, Clone)]
pub struct SessionManager(pub(crate) Arc<Shared>);

/// What all sessions share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) parts: Parts,
    pub(crate) spools: Spools,
    pub(crate) slots: Slots,
    pub(crate) ledger: Ledger,
    /// Moves whenever an account becomes good again.
    pub(crate) unparked: watch::Sender<u64>,
    /// Moves whenever a letter got further.
    pub(crate) post: watch::Sender<u64>,
    /// Calls that wait for the answer of a person.
    pub(crate) waiters: Waiters,
    pub(crate) live_output: LiveOutput,
    pub(crate) restarts: Restarts,
    /// What the machine can do for a sandbox; looked at once.
    support: OnceLock<Support>,
    pub(crate) secrets: Secrets,
    actors: Mutex<BTreeMap<SessionId, Reach>>,
}

/// How a live session is reached.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    pub(crate) commands: mpsc::UnboundedSender<Command>,
    pub(crate) live: watch::Receiver<Live>,
}

impl Reach {
    /// Returns whether the task of this run, or of a later one, is running.
    fn is_attended(&self, runs: u32) -> bool {
        let live = self.live.borrow();
        live.session.runs >= runs && live.session.state.is_live()
    }
}

impl SessionManager {
    /// Makes the shared; no session is taken up yet.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let spools = Spools::below(&parts.tasks);
        let (unparked, post) = (watch::Sender::new(0), watch::Sender::new(0));
        let (slots, ledger, waiters, live_output, restarts, support, secrets, actors) = Default::default();
        Self(Arc::new(Shared {
            parts,
            spools,
            slots,
            ledger,
            unparked,
            post,
            waiters,
            live_output,
            restarts,
            support,
            secrets,
            actors,
        }))
    }

    /// Takes up every session that an earlier server left, and returns how many there were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn take_up(&self) -> Result<usize> {
        let query = Query::earliest(by::session::live(), LIVE_MAX);
        let found = self.0.parts.store.list::<Session>(query).await?.records;
        let count = found.len();
        // Held until all are begun: the first must not take those that are not for counted.
        let _uncounted = self.0.ledger.uncounted();
        // All of them are counted before the first that waits for a place looks for one.
        let slots: Vec<Option<Slot>> = found.iter().map(|session| self.0.slot_of(session)).collect();
        for (session, slot) in found.into_iter().zip(slots) {
            self.0.begin(session, slot, Begin::Found);
        }
        Ok(count)
    }

    /// Reads a session.
    ///
    /// # Errors
    /// When there is none, or the store fails.
    pub async fn get(&self, id: &SessionId) -> Result<Session> {
        let found = self.0.parts.store.get::<Session>(id).await?;
        found.ok_or_else(|| Refusal::NotFound { session: id.clone() }.into())
    }

    /// Finds the live session whose agent has a name.
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

    /// Reads something of every live session; cheaper than [`Self::everyone`] for callers that need little.
    #[must_use]
    pub fn each<T>(&self, read: impl Fn(&Live) -> T) -> Vec<T> {
        self.0.reaches().iter().map(|reach| read(&reach.live.borrow())).collect()
    }

    /// Waits until starting another may have become easier: an agent has ended, an account is good again.
    pub async fn eased(&self) {
        self.0.slots.eased().await;
    }

    /// Says that starting may have become easier: the settings have changed.
    pub fn ease(&self) {
        self.0.slots.ease();
    }

    /// Returns whether a task of this name runs beside the sessions.
    #[must_use]
    pub fn task_runs(&self, name: &str) -> bool {
        self.0.parts.tree.live().iter().any(|task| task.name == name)
    }

    /// Returns how many agents run.
    #[must_use]
    pub fn running(&self) -> u32 {
        self.0.slots.taken()
    }

    /// Returns what agents say at this moment.
    #[must_use]
    pub fn live_output(&self) -> &LiveOutput {
        &self.0.live_output
    }

    /// Returns how many times processes were restarted because the one before broke off.
    #[must_use]
    pub fn restarts(&self) -> RestartCount {
        self.0.restarts.count(self.0.parts.clock.now())
    }

    /// Returns the agents there are.
    #[must_use]
    pub fn agent_registry(&self) -> AgentRegistry {
        self.0.agent_registry()
    }
}

/// Whether a session is new to the world or only to this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Begin {
    /// Its next process was not started yet.
    Fresh,
    /// Its process may run.
    Found,
}

impl Shared {
    pub(crate) fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.parts.settings.borrow())
    }

    pub(crate) fn agent_registry(&self) -> AgentRegistry {
        AgentRegistry::new(&self.settings(), &self.parts.program)
    }

    /// Returns what the machine can do for a sandbox.
    pub(crate) fn support(&self) -> &Support {
        let path = self.parts.environment.get("PATH").map(String::as_str).unwrap_or_default();
        self.support.get_or_init(|| self.parts.processes.sandbox_support(path))
    }

    pub(crate) fn setup(&self, agent: &str) -> Setup {
        self.agent_registry().setup(agent)
    }

    /// Returns every session that is not over, as it is right now.
    pub(crate) fn everyone(&self) -> Vec<Live> {
        self.reaches().iter().map(|reach| reach.live.borrow().clone()).collect()
    }

    /// Returns a handle of each session, so that no session is read while the list is locked.
    pub(crate) fn reaches(&self) -> Vec<Reach> {
        self.actors().values().cloned().collect()
    }

    /// Takes a place for an agent; one that others run is there already, whether there is a place or not.
    pub(crate) fn slot(&self, seat: Seat) -> Result<Slot> {
        if seat.is_of(External::NAME) {
            return Ok(self.slots.found(seat));
        }
        Ok(self.slots.take(seat, self.room()).map_err(|(bound, max)| Refusal::Full { max, bound })?)
    }

    /// Returns the place of a session that was found, if it takes one.
    fn slot_of(&self, session: &Session) -> Option<Slot> {
        parking::needs_slot(&session.state).then(|| self.slots.found(Seat::of(session)))
    }

    /// Returns how many may run at once.
    pub(crate) fn room(&self) -> Room {
        Room::of(&self.settings())
    }

    pub(crate) fn reach(&self, id: &SessionId) -> Option<Reach> {
        self.actors().get(id).cloned()
    }

    /// Starts the task of a session, unless it has one.
    pub(crate) fn begin(self: &Arc<Self>, session: Session, slot: Option<Slot>, begin: Begin) {
        let (id, runs) = (session.id.clone(), session.runs);
        let (sender, commands) = mpsc::unbounded_channel();
        let live = watch::Sender::new(Live::new(session, self.parts.clock.now(), self.today()));
        let mine = live.subscribe();
        let mut actors = self.actors();
        // The task of an earlier life may still be on its way out; one of this life was quicker.
        if actors.get(&id).is_some_and(|reach| reach.is_attended(runs)) {
            return;
        }
        actors.insert(id.clone(), Reach { commands: sender, live: mine.clone() });
        drop(actors);
        let uncounted = (begin == Begin::Found).then(|| self.ledger.uncounted());
        let shared = Arc::clone(self);
        self.parts.tree.spawn(Kind::Job, format!("session {id}"), move |stop| async move {
            Actor::new(Arc::clone(&shared), slot, (begin, uncounted), live, commands, stop).run().await;
            let mut actors = shared.actors();
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

    fn actors(&self) -> MutexGuard<'_, BTreeMap<SessionId, Reach>> {
        self.actors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
