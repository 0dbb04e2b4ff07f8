//! What every step of a queue can reach: records, clock, settings, sessions, workspaces and the lander.

use std::sync::Arc;
use std::time::Duration;

use config::Settings;
use landing::LandingEngine;
use runtime::{Clock, Tree};
use sessions::SessionManager;
use store::{Stamp, Store};
use tokio::sync::watch;
use types::{Handle, Landing, LandingRules, Timestamp};

use crate::landing_workspaces::LandingWorkspaces;

/// What the queues are made of.
#[derive(Debug)]
pub struct Parts {
    /// Where records are.
    pub store: Store,
    /// What time it is.
    pub clock: Clock,
    /// The settings in force.
    pub settings: watch::Receiver<Arc<Settings>>,
    /// Resumes the session whose work came back.
    pub sessions: SessionManager,
    /// Reads rules, pushes branches and opens pull requests.
    pub workspaces: Arc<dyn LandingWorkspaces>,
    /// Merges, checks and moves target branches.
    pub lander: Arc<dyn LandingEngine>,
    /// Where workers run.
    pub tree: Tree,
}

/// The steps of a queue, whichever queue it is.
#[derive(Debug)]
pub(crate) struct Landings {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) settings: watch::Receiver<Arc<Settings>>,
    pub(crate) sessions: SessionManager,
    pub(crate) workspaces: Arc<dyn LandingWorkspaces>,
    pub(crate) lander: Arc<dyn LandingEngine>,
}

impl Landings {
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Says that Fleet itself changes a landing, now.
    pub(crate) fn stamp(&self, landing: &Landing) -> Stamp {
        Stamp { at: self.now(), handle: Handle::owner(), team: landing.team.clone() }
    }

    /// How long one check may run under these rules.
    pub(crate) fn check_timeout(&self, rules: &LandingRules) -> Duration {
        let secs = rules.check_timeout_secs.unwrap_or_else(|| self.settings.borrow().check_timeout_secs);
        Duration::from_secs(secs.into())
    }
}
