//! The server as the runner of missions.

use std::time::Duration;

use dispatcher::{Conditions, MissionRunner, NotStarted, Post};
use schedule::{Busy, Parking, Place};
use sessions::Automatic;
use types::{Mission, MissionId};

use super::{NotBegun, Server, agent};
use crate::bug::Bug;

/// How long a mission that could not be started waits for the next try.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

impl MissionRunner for Server {
    async fn post(&self, mission: &Mission) -> Post {
        let agent = agent(mission);
        Post { account: agent.clone(), agent, budget: sessions::own_budget(mission) }
    }

    async fn conditions(&self) -> Conditions {
        let parked = self.sessions.parked().await.unwrap_or_default();
        let budgets = self.sessions.budgets().await.unwrap_or_default();
        let busy = self.sessions.each(|live| {
            let (project, agent) = (live.session.project.clone(), live.session.order.agent.clone());
            live.takes_slot().then_some(Busy { project, agent, place: Place::Here })
        });
        let slots = schedule::Slots { fleet: self.site.slots_max, node: self.site.slots_max, ..Default::default() };
        let busy = busy.into_iter().flatten().collect();
        Conditions { busy, slots, parked, parking: Parking::Account, budgets, ..Conditions::default() }
    }

    async fn eased(&self) {
        self.sessions.eased().await;
    }

    async fn start(&self, mission: &MissionId, because: Option<&MissionId>) -> Result<(), NotStarted> {
        if self.site.has(Bug::ForgetsStarts) && self.site.rng.below(4) == 0 {
            return Ok(());
        }
        let spawned = self.spawn(mission, Some(Automatic { freed_by: because.cloned() })).await;
        self.site.trace.note(&format!("{mission} is dispatched: {spawned:?}"));
        match spawned {
            Ok(()) => Ok(()),
            Err(NotBegun::Full) => Err(NotStarted::Full),
            Err(NotBegun::Refused) => Err(NotStarted::Gone),
            Err(NotBegun::Store(why)) => Err(NotStarted::Failed { why, again_at: self.site.clock.now() + AGAIN_AFTER }),
        }
    }
}
