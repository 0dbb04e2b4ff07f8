//! Settles an outcome: moves the landing and its mission, and resumes the agent whose work came back.

use landing::{Follows, Outcome};
use missions::Arrival;
use sessions::Asked;
use types::{CheckRun, Landing, LandingState, Obstacle, Publication};

use crate::Result;
use crate::feedback::feedback;
use crate::landings::Landings;
use crate::records::Move;

/// How many reasons for which work was sent back are kept.
const SENT_BACK_KEPT: usize = 5;

impl Landings {
    /// Settles an outcome; returns whether the landing has to be tried again later.
    pub(crate) async fn settle(&self, landing: &Landing, outcome: Outcome) -> Result<bool> {
        match landing::follows(landing, outcome) {
            Follows::Landed { commit, checks } => {
                self.landed(landing, commit, checks).await?;
                Ok(false)
            }
            Follows::Returned { obstacle } => self.send_back(landing, obstacle).await,
            Follows::Stuck { obstacle } => {
                self.stuck(landing, obstacle).await?;
                Ok(false)
            }
            Follows::Waits { why, check } => {
                self.wait_with(landing, &why, check).await?;
                Ok(true)
            }
            Follows::Nothing => Ok(false),
        }
    }

    /// Records that a landing is on the target branch, and that its mission is done.
    pub(crate) async fn landed(&self, landing: &Landing, commit: String, checks: Vec<CheckRun>) -> Result<()> {
        let stamp = self.stamp(landing);
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
        let stamp = self.stamp(landing);
        let state = LandingState::Stuck { since: stamp.at, obstacle: obstacle.clone() };
        let next = Landing { state, ..landing.clone() };
        self.move_landing(landing, next, Some(Arrival::Stuck { obstacle }), &stamp).await.map(drop)
    }

    /// Records that a landing waits for something outside; written once per reason.
    pub(crate) async fn wait_for(&self, landing: &Landing, why: &str) -> Result<()> {
        self.wait_with(landing, why, None).await
    }

    async fn wait_with(&self, landing: &Landing, why: &str, check: Option<CheckRun>) -> Result<()> {
        if matches!(&landing.state, LandingState::Waiting { why: known, .. } if known == why) {
            return Ok(());
        }
        let state = LandingState::Waiting { since: self.now(), why: why.to_owned(), check };
        self.put_landing(landing, state).await.map(drop)
    }

    /// Sends work back to its agent with the evidence; returns whether that has to be tried again.
    async fn send_back(&self, landing: &Landing, obstacle: Obstacle) -> Result<bool> {
        // Counted before the agent is resumed: it may finish again before this would be written.
        let mut sent_back = landing.sent_back.clone();
        sent_back.push(obstacle.clone());
        let sent_back = sent_back.split_off(sent_back.len().saturating_sub(SENT_BACK_KEPT));
        let state = LandingState::Returned { since: self.now(), obstacle };
        let next = Landing { returns: landing.returns + 1, sent_back, state, ..landing.clone() };
        match self.move_landing(landing, next, None, &self.stamp(landing)).await? {
            Move::Done(returned) => self.resume_agent(&returned).await,
            Move::Lost => Ok(false),
        }
    }

    /// Resumes the agent of a landing that was sent back; returns whether that has to be tried again.
    pub(crate) async fn resume_agent(&self, landing: &Landing) -> Result<bool> {
        let LandingState::Returned { obstacle, .. } = &landing.state else { return Ok(false) };
        let asked = Asked { prompt: Some(feedback(landing, obstacle)), ..Asked::default() };
        match self.sessions.resume(&landing.session, asked, &self.stamp(landing)).await {
            Ok(_) => Ok(false),
            Err(sessions::Error::Refused(sessions::Refusal::Full { .. })) => Ok(true),
            Err(sessions::Error::Refused(refusal)) => {
                let why = format!("{obstacle}, and its agent cannot be resumed: {refusal}");
                self.stuck(landing, Obstacle::Failed { why }).await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}
