//! What becomes of the mission and the branch of a session that is over; as `sessions::actor::leaving`.

use missions::{Release, Way, way};
use reports::Expectation;
use store::{Query, Transaction, by};
use types::{
    Assignment, Evidence, Landing, LandingId, LandingRules, LandingState, LandingStateName, LeftOut, Mission, Said,
    Session, SessionEnding, SessionState, Timestamp, Verdict,
};

use super::actor::Actor;
use super::landing::tell;
use crate::bug::Bug;

impl Actor {
    /// Decides how a session that is over leaves its mission, and which way its branch goes.
    pub(super) async fn leaving(&self, session: &Session) -> Result<(Release, Option<Box<Landing>>), store::Error> {
        match &session.state {
            SessionState::Ended { ending: SessionEnding::Completed { .. }, at } => self.finished(session, *at).await,
            SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } => {
                Ok((Release::Failed { class: class.clone() }, None))
            }
            SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Stopping { .. } => Ok((Release::Dropped, None)),
        }
    }

    async fn finished(
        &self,
        session: &Session,
        now: Timestamp,
    ) -> Result<(Release, Option<Box<Landing>>), store::Error> {
        let site = &self.server.site;
        let commits = site.field.commits(&session.id);
        if let Verdict::NotDone(reasons) = self.judged(session, commits)
            && !site.has(Bug::BelievesAgents)
        {
            return Ok((Release::NotDone { reasons }, None));
        }
        let stays = (Release::Done { commits: Some(commits) }, None);
        let Some(assignment) = &session.mission else { return Ok(stays) };
        let Some(mission) = self.server.store.get::<Mission>(&assignment.mission).await? else { return Ok(stays) };
        let rules = LandingRules { checks: vec!["make test".to_owned()], ..LandingRules::default() };
        let state = match way(mission.land, &rules, Some(commits)) {
            Way::Stays => return Ok(stays),
            Way::Lands => LandingState::Queued { since: now },
            Way::WaitsForReview => LandingState::Review { since: now },
        };
        let earlier = self.earlier(session, assignment).await?;
        let Some(landing) = earlier.or_else(|| self.landing(session, &mission, now)) else { return Ok(stays) };
        let landing = Landing { rules, state, updated_at: now, ..landing };
        Ok((Release::Landing { landing: landing.id.clone() }, Some(Box::new(landing))))
    }

    /// Judges the work by what git shows.
    fn judged(&self, session: &Session, commits: u64) -> Verdict {
        let said = Said { what_done: session.order.prompt.clone(), ..Said::default() };
        let count = usize::try_from(commits).unwrap_or(usize::MAX);
        let evidence = Evidence { left_out: LeftOut { commits: count, files: count }, ..Evidence::default() };
        reports::judge(Some(&said), &evidence, Expectation { commit_due: true, checks_due: false })
    }

    /// What was sent back comes again as what it was.
    async fn earlier(&self, session: &Session, assignment: &Assignment) -> Result<Option<Landing>, store::Error> {
        let query = Query::latest(by::landing::mission(&assignment.mission), 1);
        let last = self.server.store.list::<Landing>(query).await?.records.pop();
        Ok(last.filter(|landing| landing.session == session.id && landing.state.name() == LandingStateName::Returned))
    }

    fn landing(&self, session: &Session, mission: &Mission, now: Timestamp) -> Option<Landing> {
        Some(Landing {
            id: LandingId::from_code(&self.server.site.rng.short_code(5)).ok()?,
            team: session.team.clone(),
            project: mission.project.clone(),
            folder: "field".to_owned(),
            mission: mission.id.clone(),
            session: session.id.clone(),
            branch: session.id.to_string(),
            title: mission.title.clone(),
            rules: LandingRules::default(),
            returns: 0,
            state: LandingState::Queued { since: now },
            publication: None,
            created_at: now,
            updated_at: now,
        })
    }
}

pub(super) async fn set_out(tx: &Transaction, landing: &Landing) -> Result<(), store::Error> {
    let held = tx.get::<Landing>(&landing.id).await?;
    match &held {
        Some(held) => tx.update(held, landing)?,
        None => tx.insert(landing)?,
    }
    tell(tx, held.map(|held| held.record.state.name()), landing);
    Ok(())
}
