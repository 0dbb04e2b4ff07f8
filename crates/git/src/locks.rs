//! Keeps our git processes out of each other's way, and is patient with those of others.
//!
//! One change of a repository's registrations at a time, by a lock for each common directory; git's own lock files are
//! waited for a bounded number of times, because the user may run git too.

use std::collections::HashMap;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use runtime::Clock;
use tokio::sync::OwnedMutexGuard;

use crate::error::Error;

/// How often a command is tried whose way is blocked by a lock file of another process.
const TRIES: u32 = 10;

/// The first wait; each further one is twice as long, up to [`WAIT_MAX`].
const WAIT: Duration = Duration::from_millis(10);

/// The longest wait, so that ten tries take about two seconds.
const WAIT_MAX: Duration = Duration::from_millis(400);

/// A lock for each repository, by its common directory.
#[derive(Debug, Default)]
pub(crate) struct Locks(Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>);

impl Locks {
    /// Waits until no other task of this process changes the registrations of a repository.
    pub(crate) async fn take(&self, common_dir: &Path) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(locks.entry(common_dir.to_owned()).or_default())
        };
        lock.lock_owned().await
    }
}

/// Runs `attempt` until it ends otherwise than by a lock file that is in its way.
pub(crate) async fn patiently<T, F>(clock: &Clock, mut attempt: impl FnMut() -> F) -> Result<T, Error>
where
    F: Future<Output = Result<T, Error>>,
{
    let mut wait = WAIT;
    for _ in 1..TRIES {
        match attempt().await {
            Err(error) if error.is_lock() => clock.sleep(wait).await,
            result => return result,
        }
        wait = (wait * 2).min(WAIT_MAX);
    }
    attempt().await
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::error::Failure;

    fn locked() -> Error {
        let stderr = "fatal: Unable to create 'x.lock': File exists.".to_owned();
        Error::Failed(Failure { command: "git x".to_owned(), code: Some(128), stderr })
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_goes_away_is_waited_for() {
        let tries = Cell::new(0);
        let attempt = || {
            tries.set(tries.get() + 1);
            let result = if tries.get() < 4 { Err(locked()) } else { Ok(7) };
            async { result }
        };
        assert_eq!(patiently(&Clock::system(), attempt).await.unwrap(), 7);
        assert_eq!(tries.get(), 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_lock_that_stays_is_told_in_the_end() {
        let tries = Cell::new(0);
        let attempt = || {
            tries.set(tries.get() + 1);
            async { Err::<(), _>(locked()) }
        };
        assert!(patiently(&Clock::system(), attempt).await.unwrap_err().is_lock());
        assert_eq!(tries.get(), TRIES);
    }

    #[tokio::test]
    async fn two_repositories_do_not_wait_for_each_other() {
        let locks = Locks::default();
        let first = locks.take(Path::new("/a")).await;
        let _second = locks.take(Path::new("/b")).await;
        drop(first);
        let _again = locks.take(Path::new("/a")).await;
    }
}
