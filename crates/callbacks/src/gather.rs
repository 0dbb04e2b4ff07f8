//! Reads the change feed for missions that have ended, and stores the deliveries.

use std::sync::Arc;

use redact::Redactor;
use runtime::Clock;
use store::{Entry, Position, Query, Stamp, Store, Tail, by};
use types::{Bookmark, Callback, CallbackState, Handle, Mission, Report, Session, TeamName, Timestamp};

use crate::told::{Ended, body, ended, id_of};

/// Who reads the feed here.
const READER: &str = "callbacks";

/// Changes after which the place is written down, if nothing else is.
const BOOKMARK_EVERY: u64 = 500;

/// Reads the feed behind the place it had got to.
#[derive(Debug)]
pub(crate) struct Gatherer {
    store: Store,
    clock: Clock,
    redactor: Arc<Redactor>,
    tail: Tail,
    /// The last place that was written down.
    marked: u64,
}

impl Gatherer {
    /// Continues where the last one ended; the first begins with what happens from now on.
    pub(crate) async fn open(store: &Store, clock: &Clock, redactor: &Arc<Redactor>) -> Result<Self, store::Error> {
        let found = store.get::<Bookmark>(&READER.to_owned()).await?;
        let position = match found {
            Some(bookmark) => bookmark.position,
            None => store.position().number(),
        };
        let after = position.to_string().parse().unwrap_or(Position::START);
        let (tail, clock, redactor) = (store.tail(after), clock.clone(), Arc::clone(redactor));
        let mut gatherer = Self { store: store.clone(), clock, redactor, tail, marked: position };
        gatherer.mark(position).await?;
        Ok(gatherer)
    }

    /// Takes in the next change. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Arc<Entry>, store::Error> {
        self.tail.next().await
    }

    /// Stores the delivery for a change; returns whether there is one.
    pub(crate) async fn take_in(&mut self, entry: &Entry) -> Result<bool, store::Error> {
        let mut any = false;
        for (place, mission, how) in ended(&entry.change.events) {
            let Some(mission) = self.store.get::<Mission>(&mission).await? else { continue };
            if let Some(url) = mission.callback_url.clone() {
                self.write_down(entry, place, &mission, how, url).await?;
                any = true;
            }
        }
        let position = entry.position.number();
        if any || position >= self.marked.saturating_add(BOOKMARK_EVERY) {
            self.mark(position).await?;
        }
        Ok(any)
    }

    async fn write_down(
        &self,
        entry: &Entry,
        place: usize,
        mission: &Mission,
        how: Ended,
        url: String,
    ) -> Result<(), store::Error> {
        let Some(id) = id_of(entry, place) else { return Ok(()) };
        let last = Query::latest(by::session::mission(&mission.id), 1);
        let session = self.store.list::<Session>(last).await?.records.pop();
        let report = match &session {
            Some(session) => {
                let last = Query::latest(by::report::session(&session.id), 1);
                self.store.list::<Report>(last).await?.records.pop()
            }
            None => None,
        };
        let at = entry.change.at;
        let callback = &Callback {
            id,
            team: mission.team.clone(),
            mission: mission.id.clone(),
            url,
            // The receiver is outside this machine.
            body: self.redactor.text(&body(mission, how, session.as_ref(), report.as_ref())).into_owned(),
            tries: 0,
            state: CallbackState::Due { at, why: None },
            created_at: at,
            updated_at: at,
        };
        let stamp = by_itself(at, mission.team.clone());
        self.store
            .transact(&stamp, |tx| async move {
                match tx.get::<Callback>(&callback.id).await? {
                    // It was written down before a crash that lost the place.
                    Some(_) => Ok(()),
                    None => tx.insert(callback),
                }
            })
            .await
    }

    /// Writes down how far it has read.
    async fn mark(&mut self, position: u64) -> Result<(), store::Error> {
        let stamp = &by_itself(self.clock.now(), TeamName::default_team());
        let bookmark = &Bookmark { reader: READER.to_owned(), position };
        self.store
            .transact(stamp, |tx| async move {
                match tx.get::<Bookmark>(&bookmark.reader).await? {
                    Some(held) if held.record == *bookmark => Ok(()),
                    Some(held) => tx.update(&held, bookmark),
                    None => tx.insert(bookmark),
                }
            })
            .await?;
        self.marked = position;
        Ok(())
    }
}

/// Says that Fleet itself does it.
pub(crate) fn by_itself(at: Timestamp, team: TeamName) -> Stamp {
    Stamp { at, handle: Handle::owner(), team }
}
