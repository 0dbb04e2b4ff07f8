//! Who the engine speaks to: writes down that a move may happen before it does, and takes what became of each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::join_all;
use landing::{Candidate, Clearance, Outcome, Tower, Word};
use tokio::sync::mpsc::UnboundedSender;
use types::{Landing, LandingState};

use super::records::Move;
use crate::{Result, Service};

/// Where it is told what became of whom.
type Outcomes = UnboundedSender<(String, Outcome)>;

/// The desk of one batch; clones are the same.
#[derive(Debug, Clone)]
pub(super) struct Desk<'a> {
    service: &'a Service,
    /// Those of the batch of whom nothing was told yet, as they were last written.
    open: Arc<Mutex<BTreeMap<String, Landing>>>,
    outcomes: Arc<Mutex<Option<Outcomes>>>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(service: &'a Service, batch: &[Landing], outcomes: Outcomes) -> Self {
        let open = batch.iter().map(|landing| (landing.id.to_string(), landing.clone())).collect();
        Self { service, open: Arc::new(Mutex::new(open)), outcomes: Arc::new(Mutex::new(Some(outcomes))) }
    }

    /// Says that nothing more will be told.
    pub(super) fn close(&self) {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Takes a landing of which something was told.
    pub(super) fn take(&self, id: &str) -> Option<Landing> {
        self.open().remove(id)
    }

    /// Returns those who were told nothing and have not begun to land.
    pub(super) fn untold(&self) -> Vec<Landing> {
        let left = self.open();
        left.values().filter(|landing| !matches!(landing.state, LandingState::Cleared { .. })).cloned().collect()
    }

    fn open(&self) -> MutexGuard<'_, BTreeMap<String, Landing>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves some of the batch to a state, all at once so that they share a write to the disk; returns who was lost.
    async fn put(&self, ids: &[String], state: &LandingState) -> Result<Vec<String>> {
        let seen: Vec<Landing> = ids.iter().filter_map(|id| self.open().get(id).cloned()).collect();
        let moving = seen.iter().map(|landing| self.service.put_landing(landing, state.clone()));
        let mut lost = Vec::new();
        for (landing, moved) in seen.iter().zip(join_all(moving).await) {
            match moved? {
                Move::Done(moved) => drop(self.open().insert(moved.id.to_string(), *moved)),
                Move::Lost => lost.push(landing.id.to_string()),
            }
        }
        Ok(lost)
    }

    /// Puts those back into the queue that were cleared and will not land now.
    async fn back(&self, ids: &[String]) -> Result<()> {
        let is_cleared = |id: &&String| {
            let open = self.open();
            open.get(*id).is_some_and(|landing| matches!(landing.state, LandingState::Cleared { .. }))
        };
        let cleared: Vec<String> = ids.iter().filter(is_cleared).cloned().collect();
        self.put(&cleared, &LandingState::Queued { since: self.service.clock.now() }).await.map(drop)
    }
}

impl Tower for Desk<'_> {
    async fn clear(&mut self, clearance: &Clearance<'_>) -> Word {
        let (since, commit) = (self.service.clock.now(), clearance.commit.to_string());
        let state = LandingState::Cleared { since, commit, checks: landing::slim(clearance.checks.to_vec()) };
        let folder = clearance.together.first().and_then(|id| Some(self.open().get(id)?.folder.clone()));
        let ahead = self.service.workspaces.look_ahead(folder.as_deref(), clearance.commit);
        let (written, ()) = tokio::join!(self.put(clearance.together, &state), ahead);
        let lost = match written {
            Ok(lost) if lost.is_empty() => return Word::Go,
            Ok(lost) => lost,
            // Some may be written as cleared: the next turn looks where the branch stands before it tries them.
            Err(error) => return Word::NotNow { why: error.told().to_string() },
        };
        match self.back(clearance.together).await {
            Ok(()) => Word::Without(lost),
            Err(error) => Word::NotNow { why: error.told().to_string() },
        }
    }

    async fn recall(&mut self, together: &[String]) {
        if let Err(error) = self.back(together).await {
            // They are looked at again as those that may have landed.
            tracing::error!(%error, ?together, "cannot write that a landing did not happen");
        }
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        if let Some(outcomes) = &*self.outcomes.lock().unwrap_or_else(PoisonError::into_inner) {
            // Whoever listens ends after the engine does.
            let _ = outcomes.send((candidate.id.clone(), outcome));
        }
    }
}
