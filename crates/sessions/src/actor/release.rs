//! Releases the mission and the branch of a session that is over.

use std::path::Path;

use missions::{Release, Way, way};
use store::{Query, Transaction, by};
use types::{
    Event, FailureClass, LandMode, Landing, LandingId, LandingRules, LandingState, Mission, Project, Session,
    SessionEnding, SessionState, Timestamp, Tree,
};

use super::Actor;
use super::report::Closing;
use crate::{Error, Result};

/// Characters behind the prefix of a landing's id.
const ID_LENGTH: usize = 5;

/// How a session leaves its mission.
#[derive(Debug, Clone)]
pub(super) struct Released {
    /// How the mission is let go of.
    pub(super) release: Release,
    /// The way its branch goes, if it goes one.
    pub(super) landing: Option<Box<Landing>>,
}

/// Returns whether a session was started for its mission, rather than a worker that took one and is dismissed.
fn is_on_a_mission(session: &Session) -> bool {
    session.order.stay != types::Stay::UntilDismissed
}

impl Actor {
    /// Decides how a session that is over leaves its mission.
    pub(super) async fn released(&self, session: &Session, closing: &Closing) -> Result<Released> {
        let stays = |release| Released { release, landing: None };
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
            // Its clients offer to resume what failed, and wait until a mission is completed or failed.
            SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. } if is_on_a_mission(session) => {
                Ok(stays(Release::Failed { class: FailureClass::Interrupted }))
            }
            SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. }
            | SessionState::Starting { .. }
            | SessionState::Running { .. }
            | SessionState::Waiting { .. }
            | SessionState::Stopping { .. } => Ok(stays(Release::Dropped)),
        }
    }

    /// Decides where the branch of a session goes whose agent says that it is done.
    async fn finished(&self, session: &Session, closing: &Closing, now: Timestamp) -> Result<Released> {
        let commits = closing.commits();
        let stays = Released { release: Release::Done { commits }, landing: None };
        let tree = session.workspace.as_ref().and_then(|workspace| workspace.worktree.as_ref());
        let (Some(mission), Some(tree)) = (closing.mission(), tree) else { return Ok(stays) };
        let project = match &mission.project {
            Some(project) => self.shared.parts.store.get::<Project>(project).await?,
            None => None,
        };
        let own = project.map(|project| project.landing).unwrap_or_default();
        let (way, rules) = self.way(mission, own, commits, tree).await;
        let way = match way {
            // It brings commits of others that were not to land by themselves.
            Way::Lands if mission.land != Some(LandMode::Auto) && self.has_unlanded(mission).await? => {
                Way::WaitsForReview
            }
            way @ (Way::Stays | Way::Lands | Way::WaitsForReview) => way,
        };
        let state = match way {
            Way::Stays => return Ok(stays),
            Way::Lands => LandingState::Queued { since: now },
            Way::WaitsForReview => LandingState::Review { since: now },
        };
        let landing = match self.earlier(session).await? {
            // What was sent back, or a person saw to, comes again as what it was.
            Some(earlier) => earlier,
            None => self.landing(session, mission, tree, now)?,
        };
        let landing = Landing { rules, state, updated_at: now, ..landing };
        Ok(Released { release: Release::Landing { landing: landing.id.clone() }, landing: Some(Box::new(landing)) })
    }

    /// Returns whether a mission started from work of its dependencies that has not landed.
    async fn has_unlanded(&self, mission: &Mission) -> Result<bool> {
        let mut dependencies = Vec::new();
        for id in &mission.depends_on {
            dependencies.extend(self.shared.parts.store.get::<Mission>(id).await?);
        }
        Ok(missions::unlanded(mission, &dependencies).iter().any(|work| work.has_commits))
    }

    /// Decides which way a branch goes, and under which rules.
    async fn way(
        &self,
        mission: &Mission,
        own: LandingRules,
        commits: Option<u64>,
        tree: &Tree,
    ) -> (Way, LandingRules) {
        // Where git cannot count there may be work; landing finds out.
        let commits = commits.or(Some(1));
        if commits == Some(0) || mission.land.or(own.mode) == Some(LandMode::Never) {
            return (Way::Stays, own);
        }
        let (workspaces, folder) = (&self.shared.parts.workspaces, Path::new(&tree.repository));
        match crate::landing_rules(workspaces.as_ref(), &own, folder).await {
            Ok(rules) => (way(mission.land, &rules, commits), rules),
            // The required checks are unknown; the queue shows that to people, and lands nothing until then.
            Err(why) => {
                tracing::warn!(mission = %mission.id, %why, "cannot tell how work lands");
                (Way::Lands, own)
            }
        }
    }

    fn landing(&self, session: &Session, mission: &Mission, tree: &Tree, now: Timestamp) -> Result<Landing> {
        let code = self.shared.parts.rng.short_code(ID_LENGTH);
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
            rules: LandingRules::default(),
            returns: 0,
            sent_back: Vec::new(),
            state: LandingState::Queued { since: now },
            publication: None,
            created_at: now,
            updated_at: now,
        })
    }

    /// Finds the last landing of this session's work, if it has not come to its end.
    async fn earlier(&self, session: &Session) -> Result<Option<Landing>> {
        let Some(assignment) = &session.mission else { return Ok(None) };
        let query = Query::latest(by::landing::mission(&assignment.mission), 1);
        let last = self.shared.parts.store.list::<Landing>(query).await?.records.pop();
        Ok(last.filter(|landing| landing.session == session.id).and_then(come_again))
    }
}

/// Returns a landing as it comes again; none if it is over, or will be in a moment.
fn come_again(landing: Landing) -> Option<Landing> {
    match landing.state {
        LandingState::Queued { .. }
        | LandingState::Review { .. }
        | LandingState::Waiting { .. }
        | LandingState::Returned { .. } => Some(landing),
        LandingState::Stuck { .. } => Some(Landing { returns: 0, ..landing }),
        LandingState::Cleared { .. } | LandingState::Landed { .. } | LandingState::Dropped { .. } => None,
    }
}

/// Puts a landing on its way, in the transaction that lets go of its mission.
pub(super) async fn set_out(tx: &Transaction, landing: &Landing) -> std::result::Result<(), store::Error> {
    let held = tx.get::<Landing>(&landing.id).await?;
    match &held {
        Some(held) => tx.update(held, landing)?,
        None => tx.insert(landing)?,
    }
    tx.append(Event::LandingMoved {
        landing: landing.id.clone(),
        mission: landing.mission.clone(),
        from: held.map(|held| held.record.state.name()),
        to: landing.state.name(),
    });
    Ok(())
}
