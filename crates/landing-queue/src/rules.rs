//! The rules under which a landing is tried: the current ones, on the target branch that it was queued for.

use std::collections::HashMap;
use std::path::Path;

use landing::CommandRules;
use types::{Landing, LandingRules, LandingState, Mission, Project, ProjectId, SaidBy, Session};

use crate::Result;
use crate::landings::Landings;
use crate::records::Move;

/// The rules of each project, read once in a turn.
#[derive(Debug, Default)]
pub(crate) struct RulesOfTurn(HashMap<Option<ProjectId>, std::result::Result<LandingRules, String>>);

/// What the current rules mean for a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ruling {
    /// It is tried under the rules in its record.
    Try(Box<Landing>),
    /// It waits, since the rules cannot be read.
    Unclear {
        /// Why.
        why: String,
    },
    /// It went to another queue, or awaits review.
    Left,
}

impl Landings {
    /// Gives a landing the current rules: its project may have changed them since the session ended.
    pub(crate) async fn rule(&self, landing: Landing, known: &mut RulesOfTurn) -> Result<Ruling> {
        let key = landing.project.clone();
        if !known.0.contains_key(&key) {
            let rules = self.rules_now(&landing).await?;
            known.0.insert(key.clone(), rules);
        }
        let rules = match known.0.get(&key) {
            Some(Ok(rules)) => rules.clone(),
            Some(Err(why)) => return Ok(Ruling::Unclear { why: why.clone() }),
            None => return Ok(Ruling::Unclear { why: "its rules are not known".to_owned() }),
        };
        if rules.target != landing.rules.target {
            // No target was known when it was queued; HEAD is on a branch now, so that is its target.
            let state = LandingState::Queued { since: self.now() };
            let next = Landing { rules, state, ..landing.clone() };
            self.move_landing(&landing, next, None, &self.stamp(&landing)).await?;
            return Ok(Ruling::Left);
        }
        if rules.checks.is_empty() && !landing.rules.checks.is_empty() {
            // Nothing lands by itself without a check; the last one was removed, so a person decides.
            let state = LandingState::Review { since: self.now() };
            let next = Landing { rules, state, ..landing.clone() };
            self.move_landing(&landing, next, None, &self.stamp(&landing)).await?;
            return Ok(Ruling::Left);
        }
        if rules == landing.rules {
            return Ok(Ruling::Try(Box::new(landing)));
        }
        let next = Landing { rules, ..landing.clone() };
        match self.move_landing(&landing, next, None, &self.stamp(&landing)).await? {
            Move::Done(landing) => Ok(Ruling::Try(landing)),
            Move::Lost => Ok(Ruling::Left),
        }
    }

    /// Returns what the checks of a landing may reach: what its project says, and no more than its mission and the order
    /// of its session say, since checks run what that session wrote.
    pub(crate) async fn check_sandbox(&self, landing: &Landing) -> Result<std::result::Result<CommandRules, String>> {
        let project = match &landing.project {
            Some(project) => self.store.get::<Project>(project).await?,
            None => None,
        };
        let mission = self.store.get::<Mission>(&landing.mission).await?;
        let session = self.store.get::<Session>(&landing.session).await?;
        let of_mission = mission.iter().map(|mission| (SaidBy::Mission, &mission.sandbox));
        let of_order = session.iter().map(|session| (SaidBy::Command, &session.order.sandbox));
        let narrower: Vec<_> = of_mission.chain(of_order).collect();
        Ok(self.sessions.command_rules(project.as_ref(), Path::new(&landing.folder), &narrower).await)
    }

    /// Reads the rules of a landing's project, completed by those of its repository.
    async fn rules_now(&self, landing: &Landing) -> Result<std::result::Result<LandingRules, String>> {
        let project = match &landing.project {
            Some(project) => self.store.get::<Project>(project).await?,
            None => None,
        };
        let own = project.map_or_else(|| landing.rules.clone(), |project| project.landing);
        // The target was settled when it was queued, so that it does not change queues half-way.
        let own = LandingRules { target: landing.rules.target.clone(), ..own };
        Ok(sessions::landing_rules(self.workspaces.of_sessions(), &own, Path::new(&landing.folder)).await)
    }
}
