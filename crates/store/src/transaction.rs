//! A transaction: what was read, which must still hold, and what is to be written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use kv::{Action, Expect, Key, Operation, Revision};
use types::{Change, Event, Handle, TeamName, Timestamp};

use crate::feed::FeedRow;
use crate::record::{decode, encode};
use crate::sequence::Taken;
use crate::{Error, Held, Index, Record, Store, key};

/// A view of the store in which a decision is made; nothing is written before it is committed.
///
/// Every record read through it must be unchanged when it commits, so decisions are serialisable. Clones share one
/// transaction.
#[derive(Debug, Clone)]
pub struct Transaction {
    store: Store,
    draft: Arc<Mutex<Draft>>,
}

#[derive(Debug, Default)]
struct Draft {
    operations: BTreeMap<Key, (Expect, Action)>,
    events: Vec<Event>,
    deltas: BTreeMap<String, i64>,
    taken: Vec<Taken>,
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
        let key = key::record::<R>(id);
        let row = self.store.engine().get(&key).await?;
        let expect = row.as_ref().map_or(Expect::Absent, |row| Expect::At(row.revision));
        self.draft().operations.entry(key).or_insert((expect, Action::Check));
        row.map(|row| Ok(Held { record: decode(&id.to_string(), &row.value)?, revision: row.revision })).transpose()
    }

    /// Stores a record that must not exist yet.
    ///
    /// # Errors
    /// Fails when the record cannot be written as a document.
    pub fn insert<R: Record>(&self, record: &R) -> Result<(), Error> {
        self.put(record, Expect::Absent, None)
    }

    /// Replaces a record that was read.
    ///
    /// # Errors
    /// Fails when the record cannot be written as a document.
    pub fn update<R: Record>(&self, held: &Held<R>, record: &R) -> Result<(), Error> {
        self.put(record, Expect::At(held.revision), Some(&held.record))
    }

    /// Removes a record that was read.
    pub fn delete<R: Record>(&self, held: &Held<R>) {
        let id = held.record.id();
        let mut draft = self.draft();
        draft.operations.insert(key::record::<R>(&id), (Expect::At(held.revision), Action::Delete));
        draft.reindex(&id.to_string(), &held.record.indexes(), &[]);
        draft.count(&held.record.labels(), -1);
    }

    /// Tells what happened; it is stored with the effect and shown in the feed.
    pub fn append(&self, event: Event) {
        self.draft().events.push(event);
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

    fn put<R: Record>(&self, record: &R, expect: Expect, before: Option<&R>) -> Result<(), Error> {
        let id = record.id();
        let action = Action::Put(Bytes::from(encode(record)?));
        let mut draft = self.draft();
        draft.operations.insert(key::record::<R>(&id), (expect, action));
        draft.reindex(&id.to_string(), &before.map(R::indexes).unwrap_or_default(), &record.indexes());
        draft.count(&before.map(R::labels).unwrap_or_default(), -1);
        draft.count(&record.labels(), 1);
        Ok(())
    }

    /// Turns what was drafted into a commit at a place of the feed; nothing, when it only read.
    pub(crate) fn prepare(&self, position: u64, nonce: u64, by: &Stamp) -> Result<(Vec<Operation>, FeedRow), Error> {
        let mut draft = self.draft();
        let change = Change { at: by.at, by: by.handle.clone(), team: by.team.clone(), events: draft.events.clone() };
        for (place, event) in change.events.iter().enumerate() {
            if let Some(mission) = event.mission() {
                let row = serde_json::to_vec(&(change.at, event)).map_err(Error::Encode)?;
                let key = key::mission_event(mission, position, place);
                draft.operations.insert(key, (Expect::Anything, Action::Put(row.into())));
            }
        }
        let operations = std::mem::take(&mut draft.operations)
            .into_iter()
            .map(|(key, (expect, action))| Operation { key, expect, action })
            .collect();
        let deltas = std::mem::take(&mut draft.deltas).into_iter().filter(|(_, by)| *by != 0).collect();
        Ok((operations, FeedRow { nonce, change, deltas }))
    }

    pub(crate) fn writes(&self) -> bool {
        let draft = self.draft();
        !draft.events.is_empty() || draft.operations.values().any(|(_, action)| *action != Action::Check)
    }

    /// Gives back the numbers it took, when it was not applied.
    pub(crate) fn release(&self) {
        for taken in self.draft().taken.drain(..) {
            self.store.sequences().release(&taken);
        }
    }

    fn draft(&self) -> MutexGuard<'_, Draft> {
        self.draft.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

impl Draft {
    /// Moves a record from its old places to its new ones; a place that stays is not touched.
    fn reindex(&mut self, id: &str, before: &[Index], after: &[Index]) {
        for gone in before.iter().filter(|index| !after.contains(index)) {
            self.operations.insert(key::index(gone, id), (Expect::Anything, Action::Delete));
        }
        for new in after.iter().filter(|index| !before.contains(index)) {
            let expect = if new.unique { Expect::Absent } else { Expect::Anything };
            let action = Action::Put(Bytes::copy_from_slice(id.as_bytes()));
            self.operations.insert(key::index(new, id), (expect, action));
        }
    }

    fn count(&mut self, labels: &[String], by: i64) {
        for label in labels {
            *self.deltas.entry(label.clone()).or_default() += by;
        }
    }
}

/// The revision is the engine's business; nothing above the store can make one up.
impl<R> Held<R> {
    pub(crate) fn at(record: R, revision: Revision) -> Self {
        Self { record, revision }
    }
}
