//! Who the engine of landings speaks to: writes down that a move may happen before it does; as `service` has it.

use std::sync::Arc;

use landing::{Candidate, Clearance, Outcome, Tower, Word};
use missions::{Standing, standing};
use tokio::sync::mpsc;
use types::{Landing, LandingId, LandingState, LandingStateName, Mission};

use super::Server;
use super::landing::tell;
use crate::bug::Bug;

/// Who clears moves of the target branch, and hears what became of candidates.
pub(super) struct Desk {
    server: Arc<Server>,
    told: mpsc::UnboundedSender<(String, Outcome)>,
}

impl Desk {
    pub(super) fn new(server: Arc<Server>, told: mpsc::UnboundedSender<(String, Outcome)>) -> Self {
        Self { server, told }
    }
}

impl Tower for Desk {
    async fn clear(&mut self, clearance: &Clearance<'_>) -> Word {
        match self.server.clear(clearance).await {
            Ok(gone) if gone.is_empty() => Word::Go,
            Ok(gone) => Word::Without(gone),
            Err(error) => Word::NotNow { why: error.to_string() },
        }
    }

    async fn recall(&mut self, together: &[String]) {
        for id in together.iter().filter_map(|id| id.parse::<LandingId>().ok()) {
            // What stays cleared is looked at with everything else.
            drop(self.server.back_in_line(&id).await);
        }
    }

    fn tell(&mut self, candidate: &Candidate, outcome: Outcome) {
        drop(self.told.send((candidate.id.clone(), outcome)));
    }
}

impl Server {
    /// Writes down that the target branch may move with these; those who were taken out meanwhile, if some were.
    async fn clear(&self, clearance: &Clearance<'_>) -> Result<Vec<String>, store::Error> {
        let stamp = &self.stamp();
        let (commit, checks) = (clearance.commit.to_string(), clearance.checks.to_vec());
        let state = &LandingState::Cleared { since: stamp.at, commit, checks };
        let cleared = self.store.transact(stamp, |tx| async move {
            let mut gone = Vec::new();
            for name in clearance.together {
                let Ok(id) = name.parse::<LandingId>() else { continue };
                let held = tx.get::<Landing>(&id).await?.filter(|held| {
                    let state = held.record.state.name();
                    matches!(state, LandingStateName::Queued | LandingStateName::Waiting)
                });
                let Some(held) = held else {
                    gone.push(name.clone());
                    continue;
                };
                let mission = tx.get::<Mission>(&held.record.mission).await?;
                if standing(mission.as_ref().map(|held| &held.record), &held.record) != Standing::OnItsWay {
                    gone.push(name.clone());
                    continue;
                }
                let moved = Landing { state: state.clone(), updated_at: stamp.at, ..held.record.clone() };
                tx.update(&held, &moved)?;
                tell(&tx, Some(held.record.state.name()), &moved);
            }
            match gone.is_empty() {
                true => Ok(Vec::new()),
                // Nothing of this may be written.
                false => Err(Held::Gone(gone)),
            }
        });
        match cleared.await {
            Ok(gone) => Ok(gone),
            Err(Held::Gone(_)) if self.site.has(Bug::LandsDropped) => Ok(Vec::new()),
            Err(Held::Gone(gone)) => Ok(gone),
            Err(Held::Store(error)) => Err(error),
        }
    }
}

/// Why nobody was cleared.
enum Held {
    Gone(Vec<String>),
    Store(store::Error),
}

impl From<store::Error> for Held {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}
