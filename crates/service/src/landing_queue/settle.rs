//! What is done about an outcome: the record, the mission, and the agent that takes work up again.

use landing::{Follows, Outcome};
use missions::Arrival;
use sessions::Asked;
use types::{CheckRun, Landing, LandingState, Obstacle, Publication};

use super::records::Move;
use super::told::told;
use crate::{Result, Service};

impl Service {
    /// Does what follows from an outcome; says whether it has to be looked at again.
    pub(super) async fn settle(&self, landing: &Landing, outcome: Outcome) -> Result<bool> {
        match landing::follows(landing, outcome) {
            Follows::Landed { commit, checks } => {
                self.arrived(landing, commit, checks).await?;
                Ok(false)
            }
            Follows::Returned { obstacle } => self.send_back(landing, obstacle).await,
            Follows::Stuck { obstacle } => {
                self.stuck(landing, obstacle).await?;
                Ok(false)
            }
            Follows::Waits { why } => {
                self.wait_for(landing, &why).await?;
                Ok(true)
            }
            Follows::Nothing => Ok(false),
        }
    }

    /// Says that a landing is on the target branch, and that its mission is done.
    pub(super) async fn arrived(&self, landing: &Landing, commit: String, checks: Vec<CheckRun>) -> Result<()> {
        let stamp = self.landing_stamp(landing);
        let green = u32::try_from(checks.len()).unwrap_or(u32::MAX);
        let asked = landing.rules.push.is_some() || landing.rules.pr;
        let publication = asked.then_some(Publication::Pending { since: stamp.at });
        let checks = landing::slim(checks);
        let state = LandingState::Landed { at: stamp.at, commit: commit.clone(), checks };
        let next = Landing { state, publication, ..landing.clone() };
        let arrival = Some(Arrival::Landed { commit, checks: green });
        self.move_landing(landing, next, arrival, &stamp).await.map(drop)
    }

    async fn stuck(&self, landing: &Landing, obstacle: Obstacle) -> Result<()> {
        let stamp = self.landing_stamp(landing);
        let state = LandingState::Stuck { since: stamp.at, obstacle: obstacle.clone() };
        let next = Landing { state, ..landing.clone() };
        self.move_landing(landing, next, Some(Arrival::Stuck { obstacle }), &stamp).await.map(drop)
    }

    /// Waits for something outside; said once, however often it is looked at.
    pub(super) async fn wait_for(&self, landing: &Landing, why: &str) -> Result<()> {
        if matches!(&landing.state, LandingState::Waiting { why: known, .. } if known == why) {
            return Ok(());
        }
        let state = LandingState::Waiting { since: self.clock.now(), why: why.to_owned() };
        self.put_landing(landing, state).await.map(drop)
    }

    /// Sends work back to its agent with the evidence; says whether that has to be tried again.
    async fn send_back(&self, landing: &Landing, obstacle: Obstacle) -> Result<bool> {
        // Counted before the agent hears of it: it may be done again before this is written.
        let state = LandingState::Returned { since: self.clock.now(), obstacle };
        let next = Landing { returns: landing.returns + 1, state, ..landing.clone() };
        match self.move_landing(landing, next, None, &self.landing_stamp(landing)).await? {
            Move::Done(returned) => self.take_back(&returned).await,
            Move::Lost => Ok(false),
        }
    }

    /// Lets the agent of a landing that was sent back take it up; says whether that has to be tried again.
    pub(super) async fn take_back(&self, landing: &Landing) -> Result<bool> {
        let LandingState::Returned { obstacle, .. } = &landing.state else { return Ok(false) };
        let asked = Asked { prompt: Some(told(landing, obstacle)), ..Asked::default() };
        match self.sessions.resume(&landing.session, asked, &self.landing_stamp(landing)).await {
            Ok(_) => Ok(false),
            Err(sessions::Error::Refused(sessions::Refusal::Full { .. })) => Ok(true),
            Err(sessions::Error::Refused(refusal)) => {
                let why = format!("{obstacle}, and its agent cannot take it up again: {refusal}");
                self.stuck(landing, Obstacle::Failed { why }).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}
