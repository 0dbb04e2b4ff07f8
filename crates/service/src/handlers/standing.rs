//! Where missions and sessions stand, with what is read for it; [`MissionStanding`] and [`SessionStanding`] decide.

use api::devfleet::{Around, MissionRow};
use api::fleet::{Beside, MissionStanding, SessionStanding};
use types::{ApprovalId, Holder, Landing, Mission, MissionState, Session};

use crate::{Result, Service};

impl Service {
    /// Returns the approval that a session waits for.
    pub(super) async fn asks_of(&self, session: &Session) -> Result<Option<ApprovalId>> {
        if !session.state.is_live() {
            return Ok(None);
        }
        Ok(self.sessions.asks(&session.id).await?.map(|approval| approval.id))
    }

    /// Returns the state of a session, and what it waits for.
    pub(super) async fn session_standing(&self, session: &Session) -> Result<(SessionStanding, Option<String>)> {
        Ok(SessionStanding::of(session, self.asks_of(session).await?.as_ref()))
    }

    /// Shows a mission, as its session and its landing have it stand.
    pub(super) async fn mission_row(&self, mission: Mission, around: Around) -> Result<MissionRow> {
        let (state, waits_for) = self.mission_standing(&mission).await?;
        Ok(MissionRow { state, waits_for, ..MissionRow::of(mission, around) })
    }

    pub(super) async fn mission_standing(&self, mission: &Mission) -> Result<(MissionStanding, Option<String>)> {
        match &mission.state {
            MissionState::Held { holder: Holder::Session { session, .. }, .. } => {
                let live = self.sessions.live(session).map(|live| live.session);
                let asks = match &live {
                    Some(session) => self.asks_of(session).await?,
                    None => None,
                };
                let beside = Beside { session: live.as_ref(), asks: asks.as_ref(), landing: None };
                Ok(MissionStanding::of(mission, beside))
            }
            MissionState::Landing { landing, .. } => {
                let landing = self.store.get::<Landing>(landing).await?;
                Ok(MissionStanding::of(mission, Beside { landing: landing.as_ref(), ..Beside::default() }))
            }
            MissionState::Held { holder: Holder::Agent { .. }, .. }
            | MissionState::Draft
            | MissionState::Ready { .. }
            | MissionState::Parked { .. }
            | MissionState::Done { .. }
            | MissionState::Failed { .. }
            | MissionState::Cancelled { .. } => Ok(MissionStanding::of(mission, Beside::default())),
        }
    }
}
