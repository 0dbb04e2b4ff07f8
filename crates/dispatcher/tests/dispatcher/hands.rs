//! A runner without agents: it takes missions as sessions do, and releases them when the test says so.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use fleet_dispatcher::{Conditions, MissionRunner, NotStarted, Post};
use missions::Release;
use runtime::Clock;
use schedule::{Budget, Busy, Place, Slots};
use store::{Stamp, Store, Transaction};
use tokio::sync::Notify;
use types::{
    Event, Handle, Holder, Mission, MissionId, MissionState, ParkedAccount, SessionId, StateName, TeamName, Timestamp,
};

#[derive(Debug)]
pub(crate) struct Hands {
    store: Store,
    clock: Clock,
    eased: Notify,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(crate) struct State {
    /// How many may work at once.
    pub(crate) slots: u32,
    /// How many there really are, if that is fewer than it says.
    pub(crate) slots_after_all: Option<u32>,
    /// Who works.
    pub(crate) working: Vec<MissionId>,
    /// What was begun, in order, and because of what.
    pub(crate) begun: Vec<(MissionId, Option<MissionId>)>,
    /// What was tried, and when.
    pub(crate) tried: Vec<(MissionId, Timestamp)>,
    /// What cannot be started, and how long to wait.
    pub(crate) refused: BTreeMap<MissionId, i64>,
    pub(crate) parked: Vec<ParkedAccount>,
    pub(crate) budgets: Vec<Budget>,
    /// How often it was asked what limits starting.
    pub(crate) asked: usize,
    /// What another process does between the decision and the start, once.
    pub(crate) meanwhile: Option<(MissionId, MissionState)>,
}

impl Hands {
    pub(crate) fn new(store: Store, clock: Clock) -> Self {
        let state = Mutex::new(State { slots: 100, ..State::default() });
        Self { store, clock, eased: Notify::new(), state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    pub(crate) fn begun(&self) -> Vec<MissionId> {
        self.state().begun.iter().map(|(mission, _)| mission.clone()).collect()
    }

    pub(crate) fn ease(&self) {
        self.eased.notify_one();
    }

    /// Says that a mission is done, and gives its slot back.
    pub(crate) async fn finish(&self, mission: &MissionId) {
        let stamp = &stamp(&self.clock);
        let done = self.store.transact(stamp, |tx| async move {
            let held = tx.get::<Mission>(mission).await?.unwrap();
            let MissionState::Held { holder: Holder::Session { session, .. }, generation, .. } = &held.record.state
            else {
                panic!("{mission} is not held by a session")
            };
            let how = Release::Done { commits: None };
            let moved = missions::release(&held.record, session, *generation, how, stamp.at).unwrap();
            tx.update(&held, &moved.mission)?;
            tx.append(Event::MissionMoved { mission: mission.clone(), from: moved.from, to: moved.to });
            Ok::<_, store::Error>(())
        });
        done.await.unwrap();
        self.state().working.retain(|other| other != mission);
        self.ease();
    }

    async fn take(&self, mission: &MissionId) -> Result<bool, store::Error> {
        let stamp = &stamp(&self.clock);
        let session = &session(mission);
        self.store
            .transact(stamp, |tx| async move {
                let Some(held) = tx.get::<Mission>(mission).await? else { return Ok(false) };
                let unresolved = unresolved(&tx, &held.record).await?;
                let taken = missions::take(&held.record, session, &Handle::owner(), unresolved, stamp.at);
                let Ok(moved) = taken else { return Ok(false) };
                tx.update(&held, &moved.mission)?;
                tx.append(Event::MissionMoved { mission: mission.clone(), from: moved.from, to: moved.to });
                Ok(true)
            })
            .await
    }

    /// What another process does to a mission.
    pub(crate) async fn put(&self, mission: &MissionId, state: &MissionState) {
        let stamp = &stamp(&self.clock);
        let put = self.store.transact(stamp, |tx| async move {
            let held = tx.get::<Mission>(mission).await?.unwrap();
            let (from, to) = (held.record.state.name(), state.name());
            let mission = Mission { state: state.clone(), updated_at: stamp.at, ..held.record.clone() };
            tx.update(&held, &mission)?;
            tx.append(Event::MissionMoved { mission: mission.id, from, to });
            Ok::<_, store::Error>(())
        });
        put.await.unwrap();
    }
}

impl MissionRunner for Hands {
    async fn post(&self, mission: &Mission) -> Post {
        let agent = mission.agent.clone().unwrap_or_else(|| "claude".to_owned());
        Post { account: agent.clone(), agent, budget: None }
    }

    async fn conditions(&self) -> Conditions {
        let mut state = self.state();
        state.asked += 1;
        let busy = Busy { project: None, agent: "claude".to_owned(), place: Place::Here };
        Conditions {
            busy: vec![busy; state.working.len()],
            slots: Slots { fleet: state.slots, node: state.slots, ..Slots::default() },
            parked: state.parked.clone(),
            budgets: state.budgets.clone(),
            ..Conditions::default()
        }
    }

    async fn eased(&self) {
        self.eased.notified().await;
    }

    async fn start(&self, mission: &MissionId, because: Option<&MissionId>) -> Result<(), NotStarted> {
        let now = self.clock.now();
        let meanwhile = {
            let mut state = self.state();
            state.tried.push((mission.clone(), now));
            if let Some(secs) = state.refused.get(mission) {
                let again_at = Timestamp::from_second(now.as_second() + secs).unwrap();
                return Err(NotStarted::Failed { why: "there is no such agent".to_owned(), again_at });
            }
            if state.slots_after_all.is_some_and(|slots| state.working.len() >= slots as usize) {
                return Err(NotStarted::Full);
            }
            state.meanwhile.take()
        };
        if let Some((other, state)) = meanwhile {
            self.put(&other, &state).await;
        }
        match self.take(mission).await {
            Ok(true) => {}
            Ok(false) => return Err(NotStarted::Gone),
            Err(error) => return Err(NotStarted::Failed { why: error.to_string(), again_at: now }),
        }
        let mut state = self.state();
        state.working.push(mission.clone());
        state.begun.push((mission.clone(), because.cloned()));
        Ok(())
    }
}

pub(crate) fn stamp(clock: &Clock) -> Stamp {
    Stamp { at: clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
}

async fn unresolved(tx: &Transaction, mission: &Mission) -> Result<Vec<MissionId>, store::Error> {
    let mut open = Vec::new();
    for id in &mission.depends_on {
        let held = tx.get::<Mission>(id).await?;
        if held.is_none_or(|held| held.record.state.name() != StateName::Done) {
            open.push(id.clone());
        }
    }
    Ok(open)
}

fn session(mission: &MissionId) -> SessionId {
    SessionId::from_code(mission.as_str().trim_start_matches("m-")).unwrap()
}
