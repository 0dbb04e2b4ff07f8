//! Why a mission does not run.

use schedule::Why;
use store::{Query, by};
use types::{Failure, Holder, Landing, LandingState, Mission, MissionState, Session, SessionEnding, SessionState};

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
            Some(why @ Why::Held { .. }) => match self.held_up(mission).await? {
                Some(waits) => waits,
                None => self.sent_back(mission, why).await?,
            },
            Some(Why::Landing { since, .. }) => {
                let progress = self.landing(mission).await?.map(|landing| landing.progress());
                Why::Landing { since, progress }
            }
            Some(Why::Failed { at, failure, .. }) => {
                let text = self.last_words(&failure).await?;
                Why::Failed { at, failure, text }
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

    /// Returns what a failed session ended with, which its logs show too.
    async fn last_words(&self, failure: &Failure) -> Result<Option<String>> {
        let Failure::Session { session, .. } = failure else { return Ok(None) };
        let session = self.store.get::<Session>(session).await?;
        Ok(session.and_then(|session| match session.state {
            SessionState::Ended { ending: SessionEnding::Failed { text, .. }, .. } => Some(text),
            SessionState::Ended { ending: SessionEnding::Cancelled { by }, .. } => Some(format!("{by} cancelled it")),
            SessionState::Ended { ending: SessionEnding::Completed { .. }, .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Stopping { .. } => None,
        }))
    }

    /// Returns what the agent of a mission waits for: an answer, or a process.
    async fn held_up(&self, mission: &Mission) -> Result<Option<Why>> {
        let MissionState::Held { holder: Holder::Session { session, .. }, .. } = &mission.state else {
            return Ok(None);
        };
        if let Some(asked) = self.sessions.asks(session).await? {
            return Ok(Some(Why::Approval { approval: asked.id, summary: asked.wanted.summary }));
        }
        if let Some(asked) = self.sessions.open_question(session).await? {
            return Ok(Some(Why::Asking { question: asked.id, text: asked.text }));
        }
        let live = self.sessions.live(session).map(|live| live.session);
        Ok(live.and_then(|Session { id, state, trouble, .. }| match state {
            SessionState::Waiting { wait, until } => {
                Some(Why::Waits { session: id, wait, until, text: trouble.map(|trouble| trouble.text) })
            }
            SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Stopping { .. }
            | SessionState::Ended { .. } => None,
        }))
    }
}
