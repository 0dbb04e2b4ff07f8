//! What the lander asks before it moves a target branch: records that the move may happen before it does, and passes on
//! the outcome of each candidate.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;
use landing::{Candidate, Clearance, Cleared, Outcome, Word};
use tokio::sync::mpsc::UnboundedSender;
use types::{Landing, LandingState};

use crate::Result;
use crate::landings::Landings;
use crate::records::Move;

/// Where the outcome of each candidate is sent.
type Outcomes = UnboundedSender<(String, Outcome)>;

/// The clearance of one batch; clones are the same.
#[derive(Debug, Clone)]
pub(crate) struct StoreClearance<'a> {
    landings: &'a Landings,
    /// Landings of the batch without an outcome so far, as they were last written.
    open: Arc<Mutex<BTreeMap<String, Landing>>>,
    outcomes: Arc<Mutex<Option<Outcomes>>>,
}

impl<'a> StoreClearance<'a> {
    pub(crate) fn new(landings: &'a Landings, batch: &[Landing], outcomes: Outcomes) -> Self {
        let open = batch.iter().map(|landing| (landing.id.to_string(), landing.clone())).collect();
        Self { landings, open: Arc::new(Mutex::new(open)), outcomes: Arc::new(Mutex::new(Some(outcomes))) }
    }

    /// Ends the stream of outcomes.
    pub(crate) fn close(&self) {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Takes a landing whose outcome is known.
    pub(crate) fn take(&self, id: &str) -> Option<Landing> {
        self.open().remove(id)
    }

    /// Returns the landings that have no outcome and have not begun to land.
    pub(crate) fn undecided(&self) -> Vec<Landing> {
        let left = self.open();
        left.values().filter(|landing| !matches!(landing.state, LandingState::Cleared { .. })).cloned().collect()
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Landing>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves some of the batch to a state, all at once so that they share a write to the disk; returns the landings that others
    /// have moved meanwhile.
    async fn put(&self, ids: &[String], state: &LandingState) -> Result<Vec<String>> {
        let seen: Vec<Landing> = ids.iter().filter_map(|id| self.open().get(id).cloned()).collect();
        let moving = seen.iter().map(|landing| self.landings.put_landing(landing, state.clone()));
        let mut lost = Vec::new();
        for (landing, moved) in seen.iter().zip(join_all(moving).await) {
            match moved? {
                Move::Done(moved) => drop(self.open().insert(moved.id.to_string(), *moved)),
                Move::Lost => lost.push(landing.id.to_string()),
            }
        }
        Ok(lost)
    }

    /// Puts cleared landings that do not land now back into the queue.
    async fn requeue(&self, ids: &[String]) -> Result<()> {
        let is_cleared = |id: &&String| {
            let open = self.open();
            open.get(*id).is_some_and(|landing| matches!(landing.state, LandingState::Cleared { .. }))
        };
        let cleared: Vec<String> = ids.iter().filter(is_cleared).cloned().collect();
        self.put(&cleared, &LandingState::Queued { since: self.landings.now() }).await.map(drop)
    }
}

impl Clearance for StoreClearance<'_> {
    async fn clear(&mut self, clearance: &Cleared<'_>) -> Word {
        let (since, commit) = (self.landings.now(), clearance.commit.to_string());
        let state = LandingState::Cleared { since, commit, checks: landing::slim(clearance.checks.to_vec()) };
        let folder = clearance.together.first().and_then(|id| Some(self.open().get(id)?.folder.clone()));
        let ahead = self.landings.workspaces.look_ahead(folder.as_deref(), clearance.commit);
        let (written, ()) = tokio::join!(self.put(clearance.together, &state), ahead);
        let lost = match written {
            Ok(lost) if lost.is_empty() => return Word::Go,
            Ok(lost) => lost,
            // Some may be recorded as cleared: the next turn reads the target branch before it tries them.
            Err(error) => return Word::NotNow { why: error.to_string() },
        };
        match self.requeue(clearance.together).await {
            Ok(()) => Word::Without(lost),
            Err(error) => Word::NotNow { why: error.to_string() },
        }
    }

    async fn recall(&mut self, together: &[String]) {
        if let Err(error) = self.requeue(together).await {
            // The next turn treats them as landings that may have landed.
            tracing::error!(%error, landings = together.join(", "), "cannot record that a landing did not happen");
        }
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        if let Some(outcomes) = &*self.outcomes.lock().unwrap_or_else(PoisonError::into_inner) {
            // The receiver outlives the lander.
            let _ = outcomes.send((candidate.id.clone(), outcome));
        }
    }
}
