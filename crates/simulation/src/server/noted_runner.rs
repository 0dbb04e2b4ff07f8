//! The shipped mission runner as the dispatcher has it: its starts are in the trace, and a planted bug forgets some.

use dispatcher::{Conditions, MissionRunner, NotStarted, Post};
use mission_runner::Runner;
use types::{Mission, MissionId};

use crate::bug::Bug;
use crate::site::Site;

pub(super) struct NotedRunner {
    pub(super) runner: Runner,
    pub(super) site: Site,
}

impl MissionRunner for NotedRunner {
    async fn post(&self, mission: &Mission) -> Post {
        self.runner.post(mission).await
    }

    async fn conditions(&self) -> Conditions {
        self.runner.conditions().await
    }

    async fn eased(&self) {
        self.runner.eased().await;
    }

    async fn start(&self, mission: &MissionId, because: Option<&MissionId>) -> Result<(), NotStarted> {
        if self.site.has(Bug::ForgetsStarts) && self.site.rng.below(4) == 0 {
            return Ok(());
        }
        let started = MissionRunner::start(&self.runner, mission, because).await;
        self.site.trace.note(&format!("{mission} is dispatched: {started:?}"));
        started
    }
}
