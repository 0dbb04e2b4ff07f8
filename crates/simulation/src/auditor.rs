//! Looks at every commit as it is applied, and says which promise it breaks.
//!
//! It keeps books of its own, made of what was really stored and nothing else, and never writes.

mod budgets;
mod landings;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kv::{Action, Commit, Operation};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use store::{Query, Store, by};
use types::{
    Event, Holder, Landing, LandingId, Mission, MissionId, MissionState, ParkReason, Project, ProjectId, Proof,
    Session, SessionId, SessionStateName, StateName,
};

use crate::field::Field;
use crate::trace::Trace;

/// Most records in one list; far more than a run has.
const LIST_MAX: usize = 10_000;

/// The books. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Auditor {
    trace: Trace,
    field: Field,
    books: Arc<Mutex<Books>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Books {
    pub(crate) missions: BTreeMap<MissionId, Mission>,
    pub(crate) sessions: BTreeMap<SessionId, Session>,
    pub(crate) landings: BTreeMap<LandingId, Landing>,
    pub(crate) projects: BTreeMap<ProjectId, Project>,
    /// How often the target branch moved with each.
    moves: BTreeMap<LandingId, u32>,
    deleted: BTreeSet<MissionId>,
}

impl Books {
    /// Tells whether a mission is stored, or was.
    pub(crate) fn has_known(&self, mission: &MissionId) -> bool {
        self.missions.contains_key(mission) || self.deleted.contains(mission)
    }
}

/// A record as it is stored.
#[derive(Deserialize)]
struct Stored<T> {
    d: T,
}

/// The part of a row of the feed that is looked at.
#[derive(Deserialize)]
struct Told {
    events: Vec<Event>,
}

impl Auditor {
    pub(crate) fn new(trace: Trace, field: Field) -> Self {
        Self { trace, field, books: Arc::default() }
    }

    /// Takes in a commit that was applied, and checks what it did.
    pub(crate) fn committed(&self, commit: &Commit) {
        let mut books = self.books();
        let (mut missions, mut sessions, mut deleted) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut landings = Vec::new();
        for operation in &commit.operations {
            let (partition, sort) = (operation.key.partition.as_str(), &operation.key.sort);
            if partition == "mission" && !sort.contains('/') {
                missions.extend(take_in(&mut books.missions, operation));
            } else if partition == "session" {
                sessions.extend(take_in(&mut books.sessions, operation));
            } else if partition == "landing" {
                landings.extend(take_in(&mut books.landings, operation));
            } else if partition == "project" {
                drop(take_in(&mut books.projects, operation));
            } else if partition.starts_with("feed/") {
                deleted.extend(told_deleted(operation));
            }
        }
        for (id, before) in &missions {
            match books.missions.get(id) {
                Some(after) => {
                    self.mission(before.as_ref(), after);
                    self.taken_back(&books, before.as_ref(), after);
                }
                None if deleted.contains(id) => {}
                None => self.trace.broken(&format!("mission {id} was lost")),
            }
        }
        for (id, before) in &sessions {
            match books.sessions.get(id) {
                Some(after) => self.session(before.as_ref(), after),
                None => self.trace.broken(&format!("session {id} was lost")),
            }
        }
        for (id, before) in &landings {
            match books.landings.get(id) {
                Some(after) => self.landing(before.as_ref(), after),
                None => self.trace.broken(&format!("landing {id} was lost")),
            }
        }
        books.deleted.extend(deleted);
        if !(missions.is_empty() && sessions.is_empty()) {
            self.holds(&books);
        }
    }

    fn mission(&self, before: Option<&Mission>, after: &Mission) {
        let id = &after.id;
        let (from, to) = (before.map(|before| &before.state), &after.state);
        self.trace.note(&format!("mission {id}: {:?} -> {:?}", from.map(MissionState::name), to.name()));
        let holders = before.map_or(0, |before| before.holders);
        if after.holders < holders {
            self.trace.broken(&format!("mission {id} went back to an older generation"));
        }
        if let MissionState::Held { generation, .. } = to {
            let was_held = matches!(from, Some(MissionState::Held { .. }));
            if *generation != after.holders
                || (was_held && after.holders != holders)
                || (!was_held && after.holders <= holders)
            {
                self.trace.broken(&format!("mission {id} is held twice: {from:?} became {to:?}"));
            }
        }
        if let MissionState::Done { proof: Proof::Session { session, commits: Some(0) }, .. } = to {
            self.trace.broken(&format!("mission {id} is done by the word of {session} alone"));
        }
    }

    fn session(&self, before: Option<&Session>, after: &Session) {
        let (from, to) = (before.map(|before| before.state.name()), after.state.name());
        self.trace.note(&format!("session {}: {from:?} -> {to:?}", after.id));
        if before.is_some_and(|before| !before.state.is_live() && after.state.is_live() && after.runs <= before.runs) {
            self.trace.broken(&format!("session {} lives again after its end", after.id));
        }
    }

    /// Whoever holds a mission is alive and knows it.
    fn holds(&self, books: &Books) {
        for mission in books.missions.values() {
            let MissionState::Held { holder: Holder::Session { session, .. }, generation, .. } = &mission.state else {
                continue;
            };
            let found = books.sessions.get(session).filter(|session| session.state.is_live());
            let assigned = found.and_then(|session| session.mission.as_ref());
            if assigned.is_none_or(|held| held.mission != mission.id || held.generation != *generation) {
                self.trace
                    .broken(&format!("mission {} is held by {session}, which does not know or is gone", mission.id));
            }
        }
    }

    /// At rest, with nothing in anybody's way: every hold has ended, and nobody waits who need not.
    pub(crate) fn rest(&self) {
        let books = self.books();
        for mission in books.missions.values() {
            let id = &mission.id;
            if let MissionState::Held { holder: Holder::Session { session, .. }, .. } = &mission.state {
                self.trace.broken(&format!("mission {id} is held by {session} for ever"));
            }
            if let MissionState::Parked { why, until } = &mission.state
                && why.landing().is_none()
                && !matches!(why, ParkReason::Blocked { .. })
            {
                self.trace.broken(&format!("mission {id} is parked until {until:?} and nobody wakes it"));
            }
        }
        for session in books.sessions.values().filter(|session| session.state.is_live()) {
            self.trace.broken(&format!("session {} never ends: {:?}", session.id, session.state));
        }
        self.rest_of_landings(&books);
    }

    /// Tells whether nobody works and nobody waits for a time, an account or a slot.
    pub(crate) fn is_at_rest(&self) -> bool {
        let books = self.books();
        !books.sessions.values().any(|session| session.state.is_live())
            && !books.landings.values().any(|landing| books.is_under_way(landing))
    }

    /// Holds the store's lists and counters against the books.
    pub(crate) async fn compare(&self, store: &Store) -> Result<(), store::Error> {
        for state in StateName::ALL {
            let ids = |books: &Books| {
                let of = books.missions.values().filter(|mission| mission.state.name() == state);
                of.map(|mission| mission.id.clone()).collect::<BTreeSet<_>>()
            };
            let listed = store.list::<Mission>(Query::latest(by::mission::state(state), LIST_MAX)).await?;
            let listed: BTreeSet<_> = listed.records.into_iter().map(|mission| mission.id).collect();
            let (known, counted) = (ids(&self.books()), store.count(&by::mission::state_count(state)));
            if listed != known || counted != known.len() as u64 {
                self.trace
                    .broken(&format!("{counted} missions are counted {state:?}, {listed:?} listed, {known:?} are"));
            }
        }
        for state in SessionStateName::ALL {
            let listed = store.list::<Session>(Query::latest(by::session::state(state), LIST_MAX)).await?.records.len();
            let counted = store.count(&by::session::state_count(state));
            let known = self.books().sessions.values().filter(|session| session.state.name() == state).count();
            if listed != known || counted != known as u64 {
                self.trace.broken(&format!("{counted} sessions are counted {state:?}, {listed} listed, {known} are"));
            }
        }
        Ok(())
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Writes a record down, and returns what was there before; nothing if it was only looked at.
fn take_in<I: Ord + Clone + std::str::FromStr, R: DeserializeOwned>(
    records: &mut BTreeMap<I, R>,
    operation: &Operation,
) -> Option<(I, Option<R>)> {
    let id = operation.key.sort.parse::<I>().ok()?;
    let before = match &operation.action {
        Action::Put(bytes) => records.insert(id.clone(), serde_json::from_slice::<Stored<R>>(bytes).ok()?.d),
        Action::Delete => records.remove(&id),
        Action::Check => return None,
    };
    Some((id, before))
}

fn told_deleted(operation: &Operation) -> Vec<MissionId> {
    let Action::Put(bytes) = &operation.action else { return Vec::new() };
    let Ok(Told { events }) = serde_json::from_slice(bytes) else { return Vec::new() };
    let deleted = |event| if let Event::MissionDeleted { mission } = event { Some(mission) } else { None };
    events.into_iter().filter_map(deleted).collect()
}
