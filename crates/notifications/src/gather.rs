//! Reads the change feed for what waits for a person, and stores what is to be told.

use std::sync::Arc;

use config::Settings;
use redact::Redactor;
use runtime::Clock;
use store::{Entry, Position, Query, Stamp, Store, Tail, by};
use types::{Bookmark, Channel, Handle, Notification, NotificationId, TeamName, Timestamp};

use crate::kind::kind_of;
use crate::subject::sentence;

/// Who reads the feed here.
const READER: &str = "notifications";

/// Changes after which the place is written down, if nothing else is.
const BOOKMARK_EVERY: u64 = 500;

/// Notifications of a channel that may wait; what comes then is in the inbox alone.
pub(crate) const WAITING_MAX: usize = 200;

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
        gatherer.write_down(position, &[]).await?;
        Ok(gatherer)
    }

    /// Takes in the next change. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Arc<Entry>, store::Error> {
        self.tail.next().await
    }

    /// Stores what is to be told of a change, by which channels; returns whether there is something.
    pub(crate) async fn take_in(
        &mut self,
        entry: &Entry,
        channels: &[Channel],
        settings: &Settings,
    ) -> Result<bool, store::Error> {
        let (position, mut made) = (entry.position.number(), Vec::new());
        for (place, event) in entry.change.events.iter().enumerate() {
            let Some(kind) = kind_of(event).filter(|kind| settings.notify_kinds.iter().any(|it| it == kind.as_str()))
            else {
                continue;
            };
            if channels.is_empty() {
                continue;
            }
            // What is settled by now is not told.
            let Some(text) = sentence(&self.store, event).await? else { continue };
            tracing::debug!(kind = kind.as_str(), "people are told that something waits for them");
            let now = self.clock.now();
            for channel in channels {
                let waiting = Query::earliest(by::notification::due(*channel), WAITING_MAX);
                if self.store.list::<Notification>(waiting).await?.records.len() >= WAITING_MAX {
                    continue;
                }
                made.push(Notification {
                    id: NotificationId::derived(&format!("{position}/{place}/{}", channel.as_str())),
                    team: entry.change.team.clone(),
                    channel: *channel,
                    about: event.clone(),
                    text: self.redactor.text(&text).into_owned(),
                    tries: 0,
                    at: settings.notify_quiet.as_ref().and_then(|quiet| quiet.ends_at(now)).unwrap_or(now),
                    created_at: now,
                });
            }
        }
        if !made.is_empty() || position >= self.marked.saturating_add(BOOKMARK_EVERY) {
            self.write_down(position, &made).await?;
        }
        Ok(!made.is_empty())
    }

    /// Writes down how far it has read, and what is to be told of that: in one commit, so that nothing is told twice.
    async fn write_down(&mut self, position: u64, made: &[Notification]) -> Result<(), store::Error> {
        let stamp = &by_itself(self.clock.now());
        let bookmark = &Bookmark { reader: READER.to_owned(), position };
        self.store
            .transact(stamp, |tx| async move {
                match tx.get::<Bookmark>(&bookmark.reader).await? {
                    // It was written down, and the answer was lost.
                    Some(held) if held.record == *bookmark => return Ok(()),
                    Some(held) => tx.update(&held, bookmark)?,
                    None => tx.insert(bookmark)?,
                }
                for notification in made {
                    tx.insert(notification)?;
                }
                Ok::<_, store::Error>(())
            })
            .await?;
        self.marked = position;
        Ok(())
    }
}

/// Says that Fleet itself does it.
pub(crate) fn by_itself(at: Timestamp) -> Stamp {
    Stamp { at, handle: Handle::owner(), team: TeamName::default_team() }
}
