//! A transaction: what was read, which must still hold, and what is to be written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use kv::{Action, Commit, Expect, Key, Operation};
use types::{Change, Event, Handle, MissionId, TeamName, Timestamp};

use crate::draft::{Draft, Traces};
use crate::feed::FeedRow;
use crate::record::{decode, encode};
use crate::versions::Changing;
use crate::{Error, Held, Record, Store, key};

/// A view of the store in which a decision is made; nothing is written before it is committed.
///
/// Every record read through it must be unchanged when it commits, so decisions that write are serialisable. A record
/// reads the same however often it is read, but for what the transaction itself writes. Clones share one transaction.
#[derive(Debug, Clone)]
pub struct Transaction {
    store: Store,
    draft: Arc<Mutex<Draft>>,
}

impl Transaction {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, draft: Arc::default() }
    }

    /// Reads a record, which must be the same when the transaction commits.
    ///
    /// # Errors
    /// Fails when the engine does, or when the document cannot be read.
    pub async fn get<R: Record>(&self, id: &R::Id) -> Result<Option<Held<R>>, Error> {
        let (key, id) = (key::record::<R>(id), id.to_string());
        let seen = self.draft().seen(&key);
        let (expect, value) = match seen {
            Some(seen) => seen,
            None => self.read(key, &id).await?,
        };
        value.map(|value| Ok(Held::new(decode(&id, &value)?, expect))).transpose()
    }

    async fn read(&self, key: Key, id: &str) -> Result<(Expect, Option<Bytes>), Error> {
        let row = self.store.engine().get(&key).await?;
        let expect = row.as_ref().map_or(Expect::Absent, |row| Expect::At(row.revision));
        Ok(self.draft().read(key, id.to_owned(), expect, row.map(|row| row.value)))
    }

    /// Stores a record that must not exist yet.
    ///
    /// # Errors
    /// Fails when the record cannot be written as a document.
    pub fn insert<R: Record>(&self, record: &R) -> Result<(), Error> {
        let (key, value) = (key::record::<R>(&record.id()), encode(record)?);
        let mut draft = self.draft();
        let taken = draft.seen(&key).is_some_and(|(_, value)| value.is_some());
        draft.torn |= taken;
        let after = (Some(value.into()), Traces::of(record));
        draft.write(key, record.id().to_string(), (Expect::Absent, Traces::default()), after);
        Ok(())
    }

    /// Replaces a record that was read.
    ///
    /// # Errors
    /// Fails when the record cannot be written as a document.
    pub fn update<R: Record>(&self, held: &Held<R>, record: &R) -> Result<(), Error> {
        let (key, value) = (key::record::<R>(&record.id()), encode(record)?);
        let after = (Some(value.into()), Traces::of(record));
        self.draft().write(key, record.id().to_string(), held.before(), after);
        Ok(())
    }

    /// Removes a record that was read.
    pub fn delete<R: Record>(&self, held: &Held<R>) {
        let id = held.record.id();
        self.draft().write(key::record::<R>(&id), id.to_string(), held.before(), (None, Traces::default()));
    }

    /// Tells what happened; it is stored with the effect and shown in the feed.
    pub fn append(&self, event: Event) {
        self.draft().events.push(event);
    }

    /// Adds to a counter that counts more than records.
    pub(crate) fn add(&self, label: String, amount: i64) {
        let mut draft = self.draft();
        let sum = draft.amounts.entry(label).or_default();
        *sum = sum.saturating_add(amount);
    }

    /// Takes the next number of a group whose order is a number, such as the missions of a project.
    ///
    /// # Errors
    /// Fails when the engine does.
    pub async fn next_number(&self, group: &str) -> Result<u64, Error> {
        let taken = self.store.sequences().take(self.store.engine(), group).await?;
        let number = taken.number;
        self.draft().taken.push(taken);
        Ok(number)
    }

    /// Turns what was drafted into a commit at a place of the feed; nothing, when it has to be decided anew.
    pub(crate) fn prepare(
        &self,
        feed: &Key,
        position: u64,
        nonce: u64,
        by: &Stamp,
    ) -> Result<Option<(Commit, FeedRow)>, Error> {
        let draft = self.draft();
        let Some(mut operations) = draft.operations() else { return Ok(None) };
        let change = Change { at: by.at, by: by.handle.clone(), team: by.team.clone(), events: draft.events.clone() };
        for (mission, events) in by_mission(&change.events) {
            // What happened to a mission goes with it.
            if events.iter().any(|event| matches!(event, Event::MissionDeleted { .. })) {
                continue;
            }
            let row = serde_json::to_vec(&(change.at, events)).map_err(Error::Encode)?;
            let key = key::mission_events(mission, position);
            operations.insert(key, (Expect::Anything, Action::Put(row.into())));
        }
        let row = FeedRow { nonce, change, deltas: draft.deltas() };
        let bytes = serde_json::to_vec(&row).map_err(Error::Encode)?;
        operations.insert(feed.clone(), (Expect::Absent, Action::Put(bytes.into())));
        let operation = |(key, (expect, action))| Operation { key, expect, action };
        Ok(Some((Commit { operations: operations.into_iter().map(operation).collect() }, row)))
    }

    /// Says that the groups of what it writes are being changed.
    pub(crate) fn changing(&self) -> Changing {
        self.store.versions().begin(self.draft().groups())
    }

    pub(crate) fn writes(&self) -> bool {
        self.draft().writes()
    }

    /// Gives back the numbers it took, when it was not applied.
    pub(crate) fn release(&self) {
        for taken in self.draft().taken.drain(..).rev() {
            self.store.sequences().release(&taken);
        }
    }

    fn draft(&self) -> MutexGuard<'_, Draft> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gathers what happened to each mission, in order.
fn by_mission(events: &[Event]) -> BTreeMap<&MissionId, Vec<&Event>> {
    let mut gathered: BTreeMap<&MissionId, Vec<&Event>> = BTreeMap::new();
    for event in events {
        if let Some(mission) = event.mission() {
            gathered.entry(mission).or_default().push(event);
        }
    }
    gathered
}

/// Who changes something, and when.
#[derive(Debug, Clone)]
pub struct Stamp {
    /// When it is decided.
    pub at: Timestamp,
    /// Whose token it is done with.
    pub handle: Handle,
    /// The team it concerns.
    pub team: TeamName,
}
