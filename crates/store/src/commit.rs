//! Commits what a transaction decided, and makes certain how that ended when the answer was lost.

use std::sync::Arc;
use std::time::Duration;

use kv::{Commit, Engine, Expect, Key, Operation, Outcome};

use crate::feed::{FeedRow, Place, Position};
use crate::{Error, Stamp, Store, Transaction, key};

/// How often a commit is sent while the engine says that it is unavailable or loses the answer.
const SENDS_MAX: u32 = 6;

/// Pause before the second send; doubled for each further one.
const PAUSE: Duration = Duration::from_millis(5);

/// Stands at a place of the feed at which nothing happened, and nothing ever can.
const CLOSED: &[u8] = b"null";

/// How sending a commit ended.
enum Sent {
    Applied,
    Conflict,
    /// Certainly not applied.
    Failed(kv::Error),
    /// An answer was lost: it may have been applied, or may yet be.
    Unsure(kv::Error),
}

impl Store {
    /// Commits what was decided; `false` if it has to be decided anew.
    pub(crate) async fn commit(&self, transaction: &Transaction, by: &Stamp) -> Result<bool, Error> {
        if let Err(error) = self.resolve().await {
            tracing::warn!(%error, "what became of an abandoned commit is not known yet");
        }
        let applied = self.apply(transaction, by).await;
        if !matches!(applied, Ok(true)) {
            transaction.release();
        }
        applied
    }

    async fn apply(&self, transaction: &Transaction, by: &Stamp) -> Result<bool, Error> {
        let nonce = self.next_nonce();
        let place = self.feed().take(transaction.changing());
        let feed = key::feed(self.writer(), place.position);
        let prepared = transaction.prepare(&feed, place.position, nonce, by);
        let Ok(Some((commit, row))) = prepared else {
            place.empty();
            return prepared.map(|_| false);
        };
        let found = match send(self.engine(), commit).await {
            Sent::Applied => Some(row),
            Sent::Conflict => None,
            Sent::Failed(error) => {
                place.empty();
                return Err(error.into());
            }
            Sent::Unsure(lost) => close(self.engine(), &feed).await.map_err(|_| lost)?,
        };
        let applied = found.as_ref().is_some_and(|found| found.nonce == nonce);
        self.show(place, found);
        Ok(applied)
    }

    /// Makes certain what became of commits whose senders went away or were told [`kv::Error::Unknown`], and shows what
    /// was applied; what is read afterwards does not change by them any more.
    ///
    /// # Errors
    /// Fails when the engine does; then it is not certain yet.
    pub async fn resolve(&self) -> Result<(), Error> {
        while let Some(place) = self.feed().adopt() {
            let found = close(self.engine(), &key::feed(self.writer(), place.position)).await?;
            self.show(place, found);
        }
        Ok(())
    }

    fn show(&self, place: Place<'_>, found: Option<FeedRow>) {
        let Some(row) = found else { return place.empty() };
        let entry = Arc::new(row.at(Position(place.position)));
        self.counts().acknowledge(&entry);
        place.applied(entry);
    }
}

/// Sends a commit until it is answered.
///
/// The commit puts the feed's row on condition that its place is empty, so however often it is sent, it is applied once
/// at most.
async fn send(engine: &dyn Engine, commit: Commit) -> Sent {
    let mut lost = None;
    let mut pause = PAUSE;
    let mut sends = 0;
    let ended = loop {
        sends += 1;
        match engine.commit(commit.clone()).await {
            Ok(Outcome::Committed(_)) => return Sent::Applied,
            Ok(Outcome::Conflict { .. }) => break Sent::Conflict,
            Err(error @ kv::Error::Unknown(_)) if sends == SENDS_MAX => break Sent::Unsure(error),
            Err(error @ kv::Error::Unknown(_)) => lost = Some(error),
            Err(kv::Error::Unavailable(_)) if sends < SENDS_MAX => {}
            Err(error) => break Sent::Failed(error),
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    };
    lost.map_or(ended, Sent::Unsure)
}

/// Makes certain what became of the commit that was sent for a place of the feed; returns its row if it was applied.
///
/// It takes the place itself, with a row that says nothing. Where that succeeds, the commit can never be applied any
/// more, even if it is still on its way; where the place is taken, the row that is there says what happened.
async fn close(engine: &dyn Engine, place: &Key) -> Result<Option<FeedRow>, Error> {
    let mut pause = PAUSE;
    let mut sends = 0;
    loop {
        sends += 1;
        match occupy(engine, place).await {
            Err(Error::Engine(kv::Error::Unknown(_) | kv::Error::Unavailable(_))) if sends < SENDS_MAX => {}
            ended => return ended,
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

async fn occupy(engine: &dyn Engine, place: &Key) -> Result<Option<FeedRow>, Error> {
    match engine.commit(Operation::put(place, Expect::Absent, CLOSED).into()).await? {
        Outcome::Committed(_) => Ok(None),
        Outcome::Conflict { .. } => engine.get(place).await?.map_or(Ok(None), |row| FeedRow::decode(&row)),
    }
}
