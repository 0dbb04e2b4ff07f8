//! Why a mission does not run.

use schedule::Why;
use types::{Holder, Mission, MissionState};

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
            Some(why @ Why::Held { .. }) => self.pending_approval(mission).await?.unwrap_or(why),
            Some(why) => why,
            None => dispatcher::why(&self.store, &self.clock, self, &mission.id).await?,
        })
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
