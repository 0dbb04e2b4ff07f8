//! What becomes of the mission and the branch of a session that is over.

use missions::{Release, Way, way};
use store::{Query, Transaction, by};
use types::{
    Event, FailureClass, Landing, LandingId, LandingState, Mission, Project, Session, SessionEnding, SessionState,
    Timestamp, Tree,
};

use super::Actor;
use super::report::Closing;
use crate::{Error, Result};

/// Characters behind the prefix of a landing's id.
const ID_LENGTH: usize = 5;

/// How a session leaves its mission.
#[derive(Debug, Clone)]
pub(super) struct Leaving {
    /// How the mission is let go of.
    pub(super) release: Release,
    /// The way its branch goes, if it goes one.
    pub(super) landing: Option<Box<Landing>>,
}

impl Actor {
    /// Decides how a session that is over leaves its mission.
    pub(super) async fn leaving(&self, session: &Session, closing: &Closing) -> Result<Leaving> {
        let stays = |release| Leaving { release, landing: None };
        match &session.state {
            SessionState::Ended { ending: SessionEnding::Completed { .. }, at } => {
                self.finished(session, closing, *at).await
            }
            SessionState::Ended { ending: SessionEnding::Failed { class, .. }, .. } => {
                Ok(stays(match closing.missing() {
                    Some(reasons) if *class == FailureClass::NotDone => Release::NotDone { reasons: reasons.to_vec() },
                    Some(_) | None => Release::Failed { class: class.clone() },
                }))
            }
            SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Stopping { .. } => Ok(stays(Release::Dropped)),
        }
    }

    /// Decides where the branch of a session goes whose agent says that it is done.
    async fn finished(&self, session: &Session, closing: &Closing, now: Timestamp) -> Result<Leaving> {
        let commits = closing.commits();
        let stays = Leaving { release: Release::Done { commits }, landing: None };
        let tree = session.workspace.as_ref().and_then(|workspace| workspace.worktree.as_ref());
        let (Some(mission), Some(tree)) = (closing.mission(), tree) else { return Ok(stays) };
        let project = match &mission.project {
            Some(project) => self.hub.parts.store.get::<Project>(project).await?,
            None => None,
        };
        let rules = project.map(|project| project.landing).unwrap_or_default();
        let state = match way(mission.land, &rules, commits) {
            Way::Stays => return Ok(stays),
            Way::Lands => LandingState::Queued { since: now },
            Way::WaitsForReview => LandingState::Review { since: now },
        };
        let returns = self.returns(session).await?;
        let landing = self.landing(session, mission, tree, now)?;
        let landing = Landing { rules, returns, state, ..landing };
        Ok(Leaving { release: Release::Landing { landing: landing.id.clone() }, landing: Some(Box::new(landing)) })
    }

    fn landing(&self, session: &Session, mission: &Mission, tree: &Tree, now: Timestamp) -> Result<Landing> {
        let code = self.hub.parts.rng.short_code(ID_LENGTH);
        let id = LandingId::from_code(&code).map_err(|error| Error::File {
            what: "cannot name a landing".to_owned(),
            source: std::io::Error::other(error),
        })?;
        Ok(Landing {
            id,
            team: session.team.clone(),
            project: mission.project.clone(),
            folder: tree.repository.clone(),
            mission: mission.id.clone(),
            session: session.id.clone(),
            branch: tree.branch.clone(),
            title: mission.title.clone(),
            rules: types::LandingRules::default(),
            returns: 0,
            state: LandingState::Queued { since: now },
            created_at: now,
            updated_at: now,
        })
    }

    /// Counts how often work of this session was sent back before.
    async fn returns(&self, session: &Session) -> Result<u32> {
        let Some(assignment) = &session.mission else { return Ok(0) };
        let query = Query::latest(by::landing::mission(&assignment.mission), 1);
        let last = self.hub.parts.store.list::<Landing>(query).await?.records.pop();
        let last = last.filter(|landing| landing.session == session.id);
        Ok(last.map_or(0, |landing| match landing.state {
            LandingState::Returned { .. }
            | LandingState::Queued { .. }
            | LandingState::Review { .. }
            | LandingState::Waiting { .. } => landing.returns,
            LandingState::Stuck { .. } | LandingState::Landed { .. } | LandingState::Dropped { .. } => 0,
        }))
    }
}

/// Puts a landing on its way, in the transaction that lets go of its mission.
pub(super) fn set_out(tx: &Transaction, landing: &Landing) -> std::result::Result<(), store::Error> {
    tx.insert(landing)?;
    tx.append(Event::LandingMoved {
        landing: landing.id.clone(),
        mission: landing.mission.clone(),
        from: None,
        to: landing.state.name(),
    });
    Ok(())
}
