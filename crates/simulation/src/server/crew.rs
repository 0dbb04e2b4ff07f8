//! The server as the crew of the dispatcher; as `service::crew`.

use std::time::Duration;

use dispatcher::{Conditions, Crew, NotStarted, Post};
use schedule::{Busy, Parking, Place};
use types::{Mission, MissionId};

use super::{NotBegun, Server, agent, needs_slot};
use crate::bug::Bug;

/// How long a mission that could not be started waits for the next try.
const AGAIN_AFTER: Duration = Duration::from_secs(60);

impl Crew for Server {
    async fn post(&self, mission: &Mission) -> Post {
        let agent = agent(mission);
        Post { account: agent.clone(), agent, budget: self.own_budget(mission) }
    }

    async fn conditions(&self) -> Conditions {
        let now = self.site.clock.now();
        let parked = self.parked(now).await.unwrap_or_default();
        let budgets = self.budgets(now).await.unwrap_or_default();
        let live = self.live();
        let busy = live.values().filter(|live| needs_slot(&live.session.state)).map(|live| Busy {
            project: live.session.project.clone(),
            agent: live.session.order.agent.clone(),
            place: Place::Here,
        });
        let slots = schedule::Slots { fleet: self.site.slots_max, node: self.site.slots_max, ..Default::default() };
        Conditions { busy: busy.collect(), slots, parked, parking: Parking::Account, budgets, ..Conditions::default() }
    }

    async fn eased(&self) {
        self.slots.eased().await;
    }

    async fn start(&self, mission: &MissionId, _because: Option<&MissionId>) -> Result<(), NotStarted> {
        let Some(server) = self.site.server() else { return Err(NotStarted::Full) };
        if self.site.has(Bug::ForgetsStarts) && self.site.rng.below(4) == 0 {
            return Ok(());
        }
        let spawned = server.spawn(mission, true).await;
        self.site.trace.note(&format!("{mission} is dispatched: {spawned:?}"));
        match spawned {
            Ok(()) => Ok(()),
            Err(NotBegun::Full) => Err(NotStarted::Full),
            Err(NotBegun::Refused) => Err(NotStarted::Gone),
            Err(NotBegun::Store(error)) => {
                let again_at = self.site.clock.now() + AGAIN_AFTER;
                Err(NotStarted::Failed { why: error.to_string(), again_at })
            }
        }
    }
}
