//! The server of the simulation: the hub of sessions and the crew of the dispatcher, as `sessions` and `service` have
//! them, without processes and folders.
//!
//! It mirrors `sessions::hub`, its slots and `service::crew`; what they decide is asked of the same pure functions.

mod actor;
mod assign;
mod books;
mod bursar;
mod crew;
mod desk;
mod landing;
mod leaving;
mod record;
mod slots;
mod spending;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dispatcher::Dispatcher;
use store::{Options, Query, Stamp, Store, Transaction, by};
use tokio::sync::{Notify, RwLock, watch};
use types::{
    Assignment, Begun, Event, Handle, Mission, MissionId, Order, Origin, ParkedAccount, Rank, Session, SessionId,
    SessionState, Spending, Spent, Stay, TeamName, Timestamp, Wait,
};

use crate::bug::Bug;
use crate::engine::Paced;
use crate::executor::Group;
use crate::site::Site;
use actor::Actor;
use assign::{free, reopen, take};
use books::Shown;
use slots::{Slot, Slots};

/// Between two tries of what the store refused.
const PAUSE: Duration = Duration::from_secs(1);

/// What runs until the next crash.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) site: Site,
    slots: Slots,
    unparked: watch::Sender<u64>,
    /// Rings when something was spent, or a budget is another.
    turned: watch::Sender<u64>,
    /// Keeps what is booked and what is shown from being read in the moment in which they tell the same.
    booking: RwLock<()>,
    live: Mutex<BTreeMap<SessionId, Live>>,
}

#[derive(Debug)]
struct Live {
    session: Session,
    shown: Shown,
    stop: watch::Sender<bool>,
    overdrawn: Arc<Notify>,
}

/// Why a session was not begun.
#[derive(Debug)]
pub(crate) enum NotBegun {
    Full,
    Refused,
    Store(store::Error),
}

impl From<store::Error> for NotBegun {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

/// Opens the store, takes up what an earlier server left, and dispatches.
pub(crate) async fn serve(site: Site, engine: Paced, seat: watch::Sender<Option<Arc<Server>>>) {
    let store = loop {
        let options = Options { writer: "w".to_owned(), seed: site.rng.u64() };
        match Store::open(Arc::new(engine.clone()), options).await {
            Ok(store) => break store,
            Err(_) => site.clock.sleep(PAUSE).await,
        }
    };
    let server = Arc::new(Server {
        store: store.clone(),
        site: site.clone(),
        slots: Slots::default(),
        unparked: watch::Sender::new(0),
        turned: watch::Sender::new(0),
        booking: RwLock::new(()),
        live: Mutex::default(),
    });
    while server.take_up().await.is_err() {
        site.clock.sleep(PAUSE).await;
    }
    site.trace.note("the server is up");
    seat.send_replace(Some(Arc::clone(&server)));
    site.spawner.spawn(Group::Server, landing::land(Arc::clone(&server)));
    site.spawner.spawn(Group::Server, bursar::keep_budgets(Arc::clone(&server)));
    let stop = runtime::Tree::new(site.clock.clone()).stop_of(runtime::Kind::Chore);
    Dispatcher::new(store, site.clock.clone(), server).run(&stop).await;
}

impl Server {
    async fn take_up(self: &Arc<Self>) -> Result<(), store::Error> {
        let found = self.store.list::<Session>(Query::earliest(by::session::live(), 1_000)).await?.records;
        let found: Vec<_> = found.into_iter().filter(|session| !self.live().contains_key(&session.id)).collect();
        // All of them are counted before the first that waits for a place looks for one.
        let slots: Vec<_> =
            found.iter().map(|session| needs_slot(&session.state).then(|| self.slots.found())).collect();
        for (session, slot) in found.into_iter().zip(slots) {
            self.begin(session, slot);
        }
        Ok(())
    }

    /// Begins a session on a mission.
    pub(crate) async fn spawn(self: &Arc<Self>, mission: &MissionId, automatic: bool) -> Result<(), NotBegun> {
        if !automatic {
            let found = self.store.get::<Mission>(mission).await?.ok_or(NotBegun::Refused)?;
            self.afford(&found).await?;
        }
        let slot = self.slots.take(self.site.slots_max).ok_or(NotBegun::Full)?;
        let stamp = &self.stamp();
        let spawned = self.store.transact(stamp, |tx| async move { self.insert(&tx, mission, automatic, stamp).await });
        self.attend(spawned.await, slot)
    }

    /// Takes a session up again whose work could not land.
    pub(crate) async fn resume(self: &Arc<Self>, id: &SessionId) -> Result<(), NotBegun> {
        let slot = self.slots.take(self.site.slots_max).ok_or(NotBegun::Full)?;
        let stamp = &self.stamp();
        let opened = self.store.transact(stamp, |tx| async move { reopen(&tx, id, stamp).await });
        self.attend(opened.await, slot)
    }

    /// Starts the task of a session that was begun or opened again, at once or when it is known that it was.
    fn attend(self: &Arc<Self>, begun: Result<Session, NotBegun>, slot: Slot) -> Result<(), NotBegun> {
        match begun {
            Ok(session) => {
                self.begin(session, Some(slot));
                Ok(())
            }
            Err(error) => {
                drop(slot);
                // The answer may have been lost: then there is a session that nobody runs.
                if let NotBegun::Store(store::Error::Engine(kv::Error::Unknown(_))) = &error {
                    let server = Arc::clone(self);
                    self.site.spawner.spawn(Group::Server, async move { server.mend().await });
                }
                Err(error)
            }
        }
    }

    /// Takes up sessions that were stored and whose begin was never heard of.
    async fn mend(self: Arc<Self>) {
        loop {
            self.site.clock.sleep(PAUSE).await;
            // Nothing that was sent before may change what is found.
            if self.store.resolve().await.is_ok() && self.take_up().await.is_ok() {
                return;
            }
        }
    }

    async fn insert(
        &self,
        tx: &Transaction,
        id: &MissionId,
        automatic: bool,
        stamp: &Stamp,
    ) -> Result<Session, NotBegun> {
        let session = SessionId::from_code(&self.site.rng.short_code(5)).map_err(|_| NotBegun::Refused)?;
        let handle: Handle = session.as_str().parse().map_err(|_| NotBegun::Refused)?;
        if self.site.has(Bug::HoldsTwice) {
            free(tx, id, stamp.at).await?;
        }
        let (mission, generation) = take(tx, id, &session, &handle, true, stamp.at).await?;
        let limits = self.own_budget(&mission).map(|budget| budget.left(stamp.at)).unwrap_or_default();
        let record = Session {
            id: session.clone(),
            team: mission.team.clone(),
            handle,
            project: mission.project.clone(),
            mission: Some(Assignment { mission: id.clone(), generation }),
            origin: Origin::New,
            order: order(&mission, limits),
            workspace: None,
            conversation: None,
            runs: 1,
            begun: Begun::Anew,
            failures: 0,
            restarts: 0,
            spending: Spending::default(),
            booked: Spent::default(),
            guard: None,
            exit: None,
            trouble: None,
            servers: Vec::new(),
            state: SessionState::Starting { since: stamp.at },
            created_by: stamp.handle.clone(),
            created_at: stamp.at,
            updated_at: stamp.at,
        };
        tx.insert(&record)?;
        if automatic {
            tx.append(Event::AutoDispatched { mission: id.clone(), session: session.clone() });
        }
        tx.append(Event::SessionCreated { session, mission: Some(id.clone()) });
        Ok(record)
    }

    fn begin(self: &Arc<Self>, session: Session, slot: Option<Slot>) {
        let (stop, stopped) = watch::channel(false);
        let (shown, overdrawn) = (Shown::of(&session, self.site.clock.now()), Arc::new(Notify::new()));
        let live = Live { session: session.clone(), shown, stop, overdrawn: Arc::clone(&overdrawn) };
        self.live().insert(session.id.clone(), live);
        let actor = Actor::new(Arc::clone(self), session, slot, stopped, overdrawn);
        self.site.spawner.spawn(Group::Server, actor.run());
    }

    /// Tells a session to go.
    pub(crate) fn stop(&self, session: &SessionId) {
        if let Some(live) = self.live().get(session) {
            live.stop.send_replace(true);
        }
    }

    pub(crate) fn sessions(&self) -> Vec<SessionId> {
        self.live().keys().cloned().collect()
    }

    /// Says that an account is good again.
    pub(crate) async fn unpark(&self, account: &str) -> Result<(), store::Error> {
        let (stamp, account) = (self.stamp(), &account.to_owned());
        let unparked = self.store.transact(&stamp, |tx| async move { record::unpark(&tx, account).await });
        unparked.await?;
        self.unparked.send_modify(|count| *count += 1);
        self.slots.ease();
        Ok(())
    }

    pub(crate) async fn parked(&self, now: Timestamp) -> Result<Vec<ParkedAccount>, store::Error> {
        let page = self.store.list::<ParkedAccount>(Query::earliest(by::session::parked(), 100)).await?;
        Ok(page.records.into_iter().filter(|parked| parked.until.is_none_or(|until| until > now)).collect())
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { at: self.site.clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
    }

    fn live(&self) -> MutexGuard<'_, BTreeMap<SessionId, Live>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn agent(mission: &Mission) -> String {
    mission.agent.clone().unwrap_or_else(|| "claude".to_owned())
}

fn order(mission: &Mission, limits: types::Limits) -> Order {
    Order {
        agent: agent(mission),
        model: None,
        title: None,
        prompt: mission.prompt.clone(),
        again: None,
        system_prompt: None,
        allowed_tools: None,
        preset: None,
        limits,
        place: types::Place::InPlace { folder: "field".to_owned() },
        stay: Stay::UntilDone,
        retries_max: None,
        waits: None,
        context_mode: false,
        sandbox: types::SandboxRules::default(),
        rank: Rank::default(),
    }
}

/// Tells whether a session in this state takes one of the places for agents.
fn needs_slot(state: &SessionState) -> bool {
    match state {
        SessionState::Starting { .. }
        | SessionState::Running { .. }
        | SessionState::Stopping { .. }
        | SessionState::Waiting { wait: Wait::BackOff { .. }, .. } => true,
        SessionState::Waiting {
            wait: Wait::Parked { .. } | Wait::Slot | Wait::Budget | Wait::Approval { .. }, ..
        }
        | SessionState::Ended { .. } => false,
    }
}
