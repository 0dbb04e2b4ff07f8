//! Sends one commit and finds out how it ended, whatever happened to the answer.

use std::sync::Arc;
use std::time::Duration;

use kv::{Action, Commit, Engine, Expect, Operation, Outcome};

use crate::Error;
use crate::feed::{Entry, FeedRow, Place, Position};

/// How often a commit is sent while the engine says that it is unavailable or loses the answer.
const SENDS_MAX: u32 = 6;

/// Pause before the second send; doubled for each further one.
const PAUSE: Duration = Duration::from_millis(5);

/// How a commit ended, for certain.
pub(crate) enum Ended {
    Applied(Arc<Entry>),
    Conflict,
}

/// Sends the operations with the feed's row until it is certain whether they were applied.
pub(crate) async fn settle(
    engine: &dyn Engine,
    writer: &str,
    place: Place<'_>,
    mut operations: Vec<Operation>,
    row: FeedRow,
) -> Result<Ended, Error> {
    let key = crate::key::feed(writer, place.position);
    let bytes = serde_json::to_vec(&row).map_err(Error::Encode)?;
    operations.push(Operation { key: key.clone(), expect: Expect::Absent, action: Action::Put(bytes.into()) });
    let outcome = send(engine, Commit { operations }, &key, row.nonce).await;
    match outcome {
        Ok(true) => {
            let position = Position(place.position);
            let entry = Arc::new(Entry { position, change: row.change, deltas: row.deltas });
            place.applied(Arc::clone(&entry));
            Ok(Ended::Applied(entry))
        }
        Ok(false) => {
            place.empty();
            Ok(Ended::Conflict)
        }
        Err(error) => {
            place.empty();
            Err(error)
        }
    }
}

/// Returns whether the commit was applied.
///
/// The feed's row is put on condition that its place is empty, so a commit that is sent again can be applied once at
/// most, and a row with our nonce proves that it was.
async fn send(engine: &dyn Engine, commit: Commit, feed: &kv::Key, nonce: u64) -> Result<bool, Error> {
    let mut pause = PAUSE;
    let mut sends = 0;
    let mut answer_lost = false;
    loop {
        sends += 1;
        let error = match engine.commit(commit.clone()).await {
            Ok(Outcome::Committed(_)) => return Ok(true),
            Ok(Outcome::Conflict { .. }) if answer_lost => return ours(engine, feed, nonce).await,
            Ok(Outcome::Conflict { .. }) => return Ok(false),
            Err(error @ (kv::Error::TooLarge(_) | kv::Error::Corrupt(_))) => return Err(error.into()),
            Err(error @ kv::Error::Unknown(_)) => {
                answer_lost = true;
                error
            }
            Err(error @ kv::Error::Unavailable(_)) => error,
        };
        if sends == SENDS_MAX {
            return if answer_lost && ours(engine, feed, nonce).await? { Ok(true) } else { Err(error.into()) };
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

async fn ours(engine: &dyn Engine, feed: &kv::Key, nonce: u64) -> Result<bool, Error> {
    let mut last = None;
    for _ in 0..SENDS_MAX {
        match engine.get(feed).await {
            Ok(row) => {
                let row = row.and_then(|row| serde_json::from_slice::<FeedRow>(&row.value).ok());
                return Ok(row.is_some_and(|row| row.nonce == nonce));
            }
            Err(error) => last = Some(error),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(last.map_or(Error::Contention { tries: SENDS_MAX }, Error::Engine))
}
