//! Under which rules a landing is tried: those that hold now, on the target that it came for.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use types::{Landing, LandingRules, LandingState, Project, ProjectId};

use super::records::Move;
use crate::{Result, Service};

/// What is read once in a turn, since those of one project have it in common.
#[derive(Debug, Default)]
pub(super) struct Rulebook(HashMap<Option<ProjectId>, std::result::Result<LandingRules, String>>);

/// What the rules of now mean for a landing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ruled {
    /// It is tried under the rules that it has.
    Tried(Box<Landing>),
    /// It waits, since nobody can tell what has to be green.
    Unclear {
        /// Why.
        why: String,
    },
    /// It went to another queue, or to a person.
    Gone,
}

impl Service {
    /// Gives a landing the rules that hold now: what its project says may have changed since its session ended.
    pub(super) async fn rule(&self, landing: Landing, book: &mut Rulebook) -> Result<Ruled> {
        let key = landing.project.clone();
        if !book.0.contains_key(&key) {
            let rules = self.rules_now(&landing).await?;
            book.0.insert(key.clone(), rules);
        }
        let rules = match book.0.get(&key) {
            Some(Ok(rules)) => rules.clone(),
            Some(Err(why)) => return Ok(Ruled::Unclear { why: why.clone() }),
            None => return Ok(Ruled::Unclear { why: "its rules are not known".to_owned() }),
        };
        if rules.target != landing.rules.target {
            // HEAD is on a branch by now, and that is where it goes.
            let state = LandingState::Queued { since: self.clock.now() };
            let next = Landing { rules, state, ..landing.clone() };
            self.move_landing(&landing, next, None, &self.landing_stamp(&landing)).await?;
            return Ok(Ruled::Gone);
        }
        if rules.checks.is_empty() && !landing.rules.checks.is_empty() {
            // Nothing lands by itself without a check; who took the last one away may say that this one lands.
            let state = LandingState::Review { since: self.clock.now() };
            let next = Landing { rules, state, ..landing.clone() };
            self.move_landing(&landing, next, None, &self.landing_stamp(&landing)).await?;
            return Ok(Ruled::Gone);
        }
        if rules == landing.rules {
            return Ok(Ruled::Tried(Box::new(landing)));
        }
        let next = Landing { rules, ..landing.clone() };
        match self.move_landing(&landing, next, None, &self.landing_stamp(&landing)).await? {
            Move::Done(landing) => Ok(Ruled::Tried(landing)),
            Move::Lost => Ok(Ruled::Gone),
        }
    }

    /// Reads the rules of a landing's project, and of its repository where that says nothing.
    async fn rules_now(&self, landing: &Landing) -> Result<std::result::Result<LandingRules, String>> {
        let project = match &landing.project {
            Some(project) => self.store.get::<Project>(project).await?,
            None => None,
        };
        let own = project.map_or_else(|| landing.rules.clone(), |project| project.landing);
        // Where it lands was settled when it came, so that it does not change queues in the middle of one.
        let own = LandingRules { target: landing.rules.target.clone(), ..own };
        Ok(sessions::landing_rules(&self.workspaces, &own, Path::new(&landing.folder)).await)
    }

    /// How long one check may run under these rules.
    pub(super) fn check_timeout(&self, rules: &LandingRules) -> Duration {
        let secs = rules.check_timeout_secs.unwrap_or_else(|| self.settings().check_timeout_secs);
        Duration::from_secs(secs.into())
    }
}
