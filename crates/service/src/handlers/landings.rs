//! Finished branches on their way to the target branch.

use api::devfleet::{ApproveLanding, DropLanding, LandMission, LandingView, ListLandings, RetryLanding};
use api::{Code, Listing};
use landing_queue::CommandError;
use store::{Query, by};
use types::{Landing, LandingStateName, Role};

use super::{LIST_MAX, listing, not_found};
use crate::{Caller, Error, Handle, Result, Service};

impl Handle<ListLandings> for Service {
    async fn handle(&self, caller: &Caller, op: ListLandings) -> Result<Listing<LandingView>> {
        let member = caller.member()?;
        let group = match (&op.mission_id, &op.project_id) {
            (Some(mission), _) => by::landing::mission(mission),
            (None, Some(project)) => by::landing::project(project),
            (None, None) if member.role == Role::Owner => by::landing::all(),
            (None, None) => by::landing::team(&member.team),
        };
        let page = self.page_of::<Landing>(member, Query::latest(group, LIST_MAX), op.page, |_| true).await?;
        Ok(listing(page, LandingView::from))
    }
}

impl Handle<LandMission> for Service {
    async fn handle(&self, caller: &Caller, op: LandMission) -> Result<LandingView> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, "Mission").await?;
        Ok(self.land(member, &mission).await?.into())
    }
}

impl Handle<ApproveLanding> for Service {
    async fn handle(&self, caller: &Caller, op: ApproveLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.read_seen::<Landing>(member, &op.landing, not_found::landing).await?;
        let state = landing.state.name();
        if state == LandingStateName::Review {
            let stamp = self.stamp(member, &landing.team);
            return Ok(landing_queue::retry(&self.store, &landing, &stamp).await?.into());
        }
        let refused = landing_queue::not_now(&landing, "it does not wait for approval");
        if landing_queue::can_retry(state) {
            let hint = format!("Try it again with `fleet land retry {}`.", landing.id);
            return Err(api::Error::new(Code::LANDING_REFUSED, refused.to_string()).hint(hint).into());
        }
        Err(refused.into())
    }
}

impl Handle<RetryLanding> for Service {
    async fn handle(&self, caller: &Caller, op: RetryLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.read_seen::<Landing>(member, &op.landing, not_found::landing).await?;
        let stamp = self.stamp(member, &landing.team);
        Ok(landing_queue::retry(&self.store, &landing, &stamp).await?.into())
    }
}

impl Handle<DropLanding> for Service {
    async fn handle(&self, caller: &Caller, op: DropLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.read_seen::<Landing>(member, &op.landing, not_found::landing).await?;
        let stamp = self.stamp(member, &landing.team);
        Ok(landing_queue::drop_landing(&self.store, &landing, &stamp).await?.into())
    }
}

impl From<CommandError> for Error {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Gone => not_found::landing().into(),
            CommandError::NotNow { .. } => api::Error::new(Code::LANDING_REFUSED, error.to_string())
                .hint("`fleet land status` shows the state of each.")
                .into(),
            CommandError::Store(error) => error.into(),
        }
    }
}
