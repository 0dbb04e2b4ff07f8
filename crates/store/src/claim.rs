//! The claim of an idempotency key: written by the first commit of the call, so that the key is taken exactly if the call
//! had an effect.
//!
//! The claim travels with the task that carries out the call, past every crate that commits on its behalf: none of them
//! needs to know that there are keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use types::KeyedCall;

use crate::{Error, Transaction};

tokio::task_local! {
    static CLAIM: Claim;
}

/// A key that the first commit of a call takes.
#[derive(Debug, Clone)]
pub struct Claim {
    call: KeyedCall,
    is_made: Arc<AtomicBool>,
}

impl Claim {
    /// Prepares the claim for a call that has not been answered yet.
    #[must_use]
    pub fn new(call: KeyedCall) -> Self {
        Self { call, is_made: Arc::default() }
    }

    /// Carries out the call; its first commit takes the key.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> T {
        CLAIM.scope(self.clone(), work).await
    }

    /// Returns whether a commit took the key.
    #[must_use]
    pub fn is_made(&self) -> bool {
        self.is_made.load(Ordering::Relaxed)
    }

    /// Returns the claim that a commit of this task is to make, if there is one.
    pub(crate) fn due() -> Option<Self> {
        CLAIM.try_with(Self::clone).ok().filter(|claim| !claim.is_made())
    }

    /// Puts the claim into a transaction.
    ///
    /// # Errors
    /// Fails if another call has taken the key.
    pub(crate) async fn put(&self, transaction: &Transaction) -> Result<(), Error> {
        match transaction.get::<KeyedCall>(&self.call.id).await? {
            Some(_) => Err(Error::KeyTaken),
            None => transaction.insert(&self.call),
        }
    }

    /// Notes that the claim is in a commit that was applied.
    pub(crate) fn made(&self) {
        self.is_made.store(true, Ordering::Relaxed);
    }
}
