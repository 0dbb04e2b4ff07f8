//! Whether the server can do its work: it can write to its store, and the disk of the database has room.
//!
//! Writing costs a disk write, and anyone may ask for the health, so an answer is kept for a while.

use std::path::Path;
use std::time::Duration;

use api::{Code, Error};
use config::StorageBackend;

use crate::Service;

/// How long it is believed that all is well.
const GOOD_FOR: Duration = Duration::from_secs(10);

/// How long a failure is repeated before it is looked again.
const BAD_FOR: Duration = Duration::from_secs(1);

/// How long writing may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// With less than this, the next commits of SQLite may not find the room for its log.
const FREE_BYTES_MIN: u64 = 32_000_000;

/// What was found, and when, by the clock that never goes back.
#[derive(Debug, Default)]
pub(crate) struct Condition(tokio::sync::Mutex<Option<(Duration, Option<String>)>>);

impl Service {
    /// Refuses, with the part that fails, if the server cannot do its work.
    pub(crate) async fn check_condition(&self) -> Result<(), Error> {
        let mut known = self.condition.0.lock().await;
        let now = self.clock.monotonic();
        let is_fresh = |found: &Option<String>, at: Duration| {
            now.saturating_sub(at) < if found.is_some() { BAD_FOR } else { GOOD_FOR }
        };
        let found = match known.take() {
            Some((at, found)) if is_fresh(&found, at) => {
                *known = Some((at, found.clone()));
                found
            }
            Some(_) | None => {
                let found = self.fault().await;
                *known = Some((now, found.clone()));
                found
            }
        };
        match found {
            None => Ok(()),
            Some(fault) => Err(Error::new(Code::STORE_UNAVAILABLE, fault).hint(
                "`fleet doctor` shows the free space; `fleet retention run` and `fleet workspace prune --apply` make room.",
            )),
        }
    }

    /// Names the part that fails.
    async fn fault(&self) -> Option<String> {
        if let Some(free) = self.free_bytes().await.filter(|free| *free < FREE_BYTES_MIN) {
            let megabytes = free / 1_000_000;
            return Some(format!("the disk of the database is full: {megabytes} MB are free"));
        }
        match self.clock.timeout(PATIENCE, self.store.probe()).await {
            Ok(Ok(())) => None,
            Ok(Err(error)) => {
                tracing::error!(%error, "the store cannot be written");
                let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
                Some(format!("the database cannot be written: {error}{cause}"))
            }
            Err(_) => Some(format!("the database was not written within {} seconds", PATIENCE.as_secs())),
        }
    }

    async fn free_bytes(&self) -> Option<u64> {
        let settings = self.settings();
        if settings.storage_backend == StorageBackend::Memory {
            return None;
        }
        let folder = settings.db_path.parent().map(Path::to_owned)?;
        // What cannot be measured does not fail; writing will tell.
        runtime::blocking(move || workspaces::free_bytes(&folder).ok()).await
    }
}
