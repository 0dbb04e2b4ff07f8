//! Why a mission does not run.

use schedule::Why;
use store::{Query, by};
use types::{Holder, Landing, LandingState, Mission, MissionState};

use crate::{Result, Runner};

impl Runner {
    /// Says why a mission does not run, or that it does.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn explain(&self, mission: &Mission) -> Result<Why> {
        Ok(match schedule::why(&mission.state) {
            // It was parked while an agent worked on it; it may wait for another budget by now.
            Some(why @ Why::Parked { .. }) => self.sessions.overdrawn(mission).await?.map_or(why, Why::from),
            Some(why @ Why::Held { .. }) => match self.pending_approval(mission).await? {
                Some(approval) => approval,
                None => self.sent_back(mission, why).await?,
            },
            Some(Why::Landing { since, .. }) => {
                let progress = self.landing(mission).await?.map(|landing| landing.progress());
                Why::Landing { since, progress }
            }
            Some(why) => why,
            None => dispatcher::why(&self.store, &self.clock, self, &mission.id).await?,
        })
    }

    /// Says what kept the work from landing, if that is what its agent works on.
    async fn sent_back(&self, mission: &Mission, why: Why) -> Result<Why> {
        let Why::Held { holder, since } = &why else { return Ok(why) };
        let landing = self.landing(mission).await?;
        let returned = landing.filter(|landing| matches!(landing.state, LandingState::Returned { .. }));
        Ok(match returned {
            Some(landing) => Why::SentBack { holder: holder.clone(), since: *since, why: landing.progress() },
            None => why,
        })
    }

    /// Returns the newest landing of a mission.
    async fn landing(&self, mission: &Mission) -> Result<Option<Landing>> {
        let newest = Query::latest(by::landing::mission(&mission.id), 1);
        Ok(self.store.list::<Landing>(newest).await?.records.pop())
    }

    /// Returns the approval that the agent of a mission awaits.
    async fn pending_approval(&self, mission: &Mission) -> Result<Option<Why>> {
        let MissionState::Held { holder: Holder::Session { session, .. }, .. } = &mission.state else {
            return Ok(None);
        };
        let asked = self.sessions.asks(session).await?;
        Ok(asked.map(|asked| Why::Approval { approval: asked.id, summary: asked.wanted.summary }))
    }
}
