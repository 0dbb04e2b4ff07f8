//! Short ways to open a store, make records and change them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::engines::Probe;
use fleet_store::{Entry, Error, Options, Position, Record, Stamp, Store, Tail, by};
use kv::{Engine, MemEngine};
use types::{
    Event, Handle, Limits, Mission, MissionId, MissionState, ProjectId, Retry, Start, StartFrom, StateName, TeamName,
    Timestamp,
};

/// The store that most tests use; a seed tells one opening from another.
pub(crate) async fn open(engine: impl Engine, seed: u64) -> Store {
    open_as(Arc::new(engine), "server", seed).await
}

pub(crate) async fn open_as(engine: Arc<dyn Engine>, writer: &str, seed: u64) -> Store {
    Store::open(engine, Options { writer: writer.to_owned(), seed }).await.unwrap()
}

pub(crate) async fn fresh() -> Store {
    open(MemEngine::new(), 1).await
}

/// The n-th second of the tests' time.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + second).unwrap()
}

/// Who changes things in tests, and when.
pub(crate) fn stamp() -> &'static Stamp {
    static STAMP: LazyLock<Stamp> =
        LazyLock::new(|| Stamp { at: at(0), handle: Handle::owner(), team: TeamName::default_team() });
    &STAMP
}

fn code(number: usize) -> String {
    let digit = |place: u32| types::ID_ALPHABET.as_bytes()[number / 31_usize.pow(place) % 31];
    [4, 3, 2, 1, 0].map(digit).map(char::from).iter().collect()
}

/// The n-th mission's id; ids sort as their numbers.
pub(crate) fn id(number: usize) -> MissionId {
    MissionId::from_code(&code(number)).unwrap()
}

/// The n-th project's id.
pub(crate) fn project(number: usize) -> ProjectId {
    ProjectId::from_code(&code(number)).unwrap()
}

/// The n-th mission, with the least said about it.
pub(crate) fn mission(number: usize) -> Mission {
    Mission {
        id: id(number),
        project: None,
        number: None,
        team: TeamName::default_team(),
        title: "Add a cart".to_owned(),
        prompt: "Add a cart to the shop.".to_owned(),
        acceptance: String::new(),
        kind: types::MissionKind::Implement,
        state: MissionState::Draft,
        priority: 0,
        tags: Vec::new(),
        depends_on: Vec::new(),
        parent: None,
        assignee: None,
        created_by: Handle::owner(),
        land: None,
        sandbox: types::SandboxRules::default(),
        agent: None,
        start: Start::ByHand,
        model: None,
        allowed_tools: None,
        limits: Limits::default(),
        spent: types::Spent::default(),
        schedule: None,
        callback_url: None,
        retry: Retry { times_max: 3, automatic: true },
        start_from: StartFrom::Target,
        may_change_nothing: false,
        base: None,
        worker: None,
        shares: Vec::new(),
        holders: 0,
        created_at: at(0),
        updated_at: at(0),
    }
}

pub(crate) async fn insert(store: &Store, mission: &Mission) -> Result<(), Error> {
    store
        .transact(stamp(), |tx| async move {
            tx.insert(mission)?;
            tx.append(Event::MissionCreated { mission: mission.id.clone() });
            Ok(())
        })
        .await
}

/// Changes a mission that is there.
pub(crate) async fn change(store: &Store, id: &MissionId, with: impl Fn(&mut Mission)) -> Result<(), Error> {
    let with = &with;
    store
        .transact(stamp(), |tx| async move {
            let held = tx.get::<Mission>(id).await?.unwrap();
            let mut mission = held.record.clone();
            with(&mut mission);
            tx.update(&held, &mission)?;
            tx.append(Event::MissionUpdated { mission: id.clone() });
            Ok(())
        })
        .await
}

pub(crate) async fn remove(store: &Store, id: &MissionId) -> Result<(), Error> {
    store
        .transact(stamp(), |tx| async move {
            let held = tx.get::<Mission>(id).await?.unwrap();
            tx.delete(&held);
            tx.append(Event::MissionDeleted { mission: id.clone() });
            Ok(())
        })
        .await
}

/// A mission with a tag that is too long for a key, so that a commit of it fails for certain.
pub(crate) fn oversized(number: usize) -> Mission {
    Mission { tags: vec!["x".repeat(kv::KEY_BYTES_MAX)], ..mission(number) }
}

pub(crate) async fn take(tail: &mut Tail, count: usize) -> Vec<Arc<Entry>> {
    let mut entries = Vec::with_capacity(count);
    while entries.len() < count {
        entries.push(tail.next().await.unwrap());
    }
    entries
}

/// Everything that is in the feed up to its present end.
pub(crate) async fn whole_feed(store: &Store) -> Vec<Arc<Entry>> {
    let (end, mut tail) = (store.position(), store.tail(Position::START));
    let mut entries: Vec<Arc<Entry>> = Vec::new();
    while entries.last().is_none_or(|entry| entry.position < end) && end > Position::START {
        entries.push(tail.next().await.unwrap());
    }
    entries
}

/// The missions that a change is about.
pub(crate) fn about(entry: &Entry) -> Vec<MissionId> {
    entry.change.events.iter().filter_map(|event| event.mission().cloned()).collect()
}

/// Compares every counter with a count of the records.
pub(crate) fn assert_counted<'a>(store: &Store, missions: impl IntoIterator<Item = &'a Mission>) {
    let mut counted: HashMap<String, u64> = StateName::ALL.map(|state| (by::mission::state_count(state), 0)).into();
    counted.insert(by::mission::SCHEDULED.to_owned(), 0);
    for label in missions.into_iter().flat_map(Mission::labels) {
        *counted.entry(label).or_default() += 1;
    }
    for (label, count) in counted {
        assert_eq!(store.count(&label), count, "count of {label}");
    }
}

/// Compares every place that is stored with the places of these missions: none is missing, none was left behind.
pub(crate) async fn assert_places<'a>(probe: &Probe, missions: impl IntoIterator<Item = &'a Mission>) {
    let mut expected: Vec<(String, String)> = Vec::new();
    for mission in missions {
        expected.extend(mission.indexes().into_iter().map(|index| (index.group, mission.id.to_string())));
    }
    expected.sort();
    let rows = probe.rows().await.into_iter().filter(|row| row.key.partition.as_str().starts_with("mission/"));
    let place = |row: kv::Row| (row.key.partition.as_str().to_owned(), String::from_utf8(row.value.to_vec()).unwrap());
    let mut found: Vec<_> = rows.map(place).collect();
    found.sort();
    assert_eq!(found, expected);
}
