//! What stands in for git: where agents work, and what they leave there.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use types::SessionId;

/// Where agents work. Landing belongs here: merging a branch, checking exactly that tree and moving the target branch
/// are calls of a ground, and "nothing lands red" is a promise the auditor can hold against it.
pub trait Ground: Debug + Send + Sync + 'static {
    /// An agent commits something on its session's branch.
    fn commit(&self, session: &SessionId);

    /// Says how many commits Fleet sees on a session's branch.
    fn commits(&self, session: &SessionId) -> u64;
}

/// A ground on which nothing is in anybody's way: every session has its own branch, and nothing lands.
#[derive(Debug, Default)]
pub struct Meadow(Mutex<BTreeMap<SessionId, u64>>);

impl Ground for Meadow {
    fn commit(&self, session: &SessionId) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(session.clone()).or_default() += 1;
    }

    fn commits(&self, session: &SessionId) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(session).copied().unwrap_or_default()
    }
}
