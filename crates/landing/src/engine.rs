//! What lands, as a queue sees it: the [`Lander`] of this machine, or one that a simulation plays.

use std::fmt::Debug;

use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::clearance::{Clearance, Cleared, Word};
use crate::error::Error;
use crate::outcome::{Outcome, Push};
use crate::{Candidate, Ground, Lander};

/// Merges, checks and moves target branches.
pub trait LandingEngine: Debug + Send + Sync + 'static {
    /// As [`Lander::batch`].
    fn batch<'a>(
        &'a self,
        ground: &'a Ground,
        candidates: &'a [Candidate],
        clearance: AnyClearance<'a>,
    ) -> BoxFuture<'a, Result<(), Error>>;

    /// As [`Lander::has`].
    fn has<'a>(&'a self, ground: &'a Ground, commits: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<bool>, Error>>;

    /// As [`Lander::push`].
    fn push<'a>(&'a self, ground: &'a Ground, remote: &'a str) -> BoxFuture<'a, Result<Push, Error>>;

    /// As [`Lander::check_again`]; an engine that remembers nothing has nothing to do.
    fn check_again<'a>(&'a self, _: &'a Ground) -> BoxFuture<'a, Result<(), Error>> {
        std::future::ready(Ok(())).boxed()
    }
}

impl LandingEngine for Lander {
    fn batch<'a>(
        &'a self,
        ground: &'a Ground,
        candidates: &'a [Candidate],
        clearance: AnyClearance<'a>,
    ) -> BoxFuture<'a, Result<(), Error>> {
        self.batch(ground, candidates, clearance).boxed()
    }

    fn has<'a>(&'a self, ground: &'a Ground, commits: &'a [&'a str]) -> BoxFuture<'a, Result<Vec<bool>, Error>> {
        self.has(ground, commits).boxed()
    }

    fn push<'a>(&'a self, ground: &'a Ground, remote: &'a str) -> BoxFuture<'a, Result<Push, Error>> {
        self.push(ground, remote).boxed()
    }

    fn check_again<'a>(&'a self, ground: &'a Ground) -> BoxFuture<'a, Result<(), Error>> {
        self.check_again(ground).boxed()
    }
}

/// A clearance whose type is not known to the engine.
pub struct AnyClearance<'a>(Box<dyn DynClearance + 'a>);

impl<'a> AnyClearance<'a> {
    /// Forgets the type of a clearance.
    pub fn new(clearance: impl Clearance + 'a) -> Self {
        Self(Box::new(clearance))
    }
}

impl Clearance for AnyClearance<'_> {
    async fn clear(&mut self, clearance: &Cleared<'_>) -> Word {
        self.0.clear_boxed(*clearance).await
    }

    async fn recall(&mut self, together: &[String]) {
        self.0.recall_boxed(together.to_vec()).await;
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        self.0.tell_boxed(candidate, outcome);
    }
}

impl Debug for AnyClearance<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AnyClearance")
    }
}

/// [`Clearance`] with futures that have a size.
trait DynClearance: Send {
    fn clear_boxed<'a>(&'a mut self, clearance: Cleared<'a>) -> BoxFuture<'a, Word>;
    fn recall_boxed(&mut self, together: Vec<String>) -> BoxFuture<'_, ()>;
    fn tell_boxed(&mut self, candidate: &Candidate, outcome: Outcome);
}

impl<T: Clearance> DynClearance for T {
    fn clear_boxed<'a>(&'a mut self, clearance: Cleared<'a>) -> BoxFuture<'a, Word> {
        async move { self.clear(&clearance).await }.boxed()
    }

    fn recall_boxed(&mut self, together: Vec<String>) -> BoxFuture<'_, ()> {
        async move { self.recall(&together).await }.boxed()
    }

    fn tell_boxed(&mut self, candidate: &Candidate, outcome: Outcome) {
        self.tell(candidate, outcome);
    }
}
