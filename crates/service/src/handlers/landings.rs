//! Finished branches on their way to the target branch.

use api::devfleet::{DropLanding, LandingView, ListLandings, RetryLanding};
use api::{Code, Error, Listing};
use store::{Query, by};
use tokens::Member;
use types::{Event, Landing, LandingId, LandingState, LandingStateName, Mission, Project, Role};

use super::limit;
use crate::{Caller, Handle, Result, Service};

impl Handle<ListLandings> for Service {
    async fn handle(&self, caller: &Caller, op: ListLandings) -> Result<Listing<LandingView>> {
        let member = caller.member()?;
        let group = match (&op.mission_id, &op.project_id) {
            (Some(mission), _) => by::landing::mission(mission),
            (None, Some(project)) => by::landing::project(project),
            (None, None) if member.role == Role::Owner => by::landing::all(),
            (None, None) => by::landing::team(&member.team),
        };
        let query = Query { after: op.after, ..Query::latest(group, limit(op.limit)) };
        let page = self.store.list::<Landing>(query).await?;
        let seen = page.records.into_iter().filter(|landing| member.sees(&landing.team));
        Ok(Listing { items: seen.map(LandingView::from).collect(), next: page.next })
    }
}

impl Handle<RetryLanding> for Service {
    async fn handle(&self, caller: &Caller, op: RetryLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.landing(member, &op.landing).await?;
        let newest = Query::latest(by::landing::mission(&landing.mission), 1);
        if self.store.list::<Landing>(newest).await?.records.pop().is_some_and(|newest| newest.id != landing.id) {
            return Err(not_now(&landing).into());
        }
        let stamp = self.stamp(member, &landing.team);
        let (id, stamp) = (&landing.id, &stamp);
        let queued = self.store.transact(stamp, |tx| async move {
            let held = tx.get::<Landing>(id).await?.ok_or_else(not_found)?;
            let from = held.record.state.name();
            if !LandingView::can_retry(from) {
                return Err(not_now(&held.record).into());
            }
            let state = LandingState::Queued { since: stamp.at };
            // What the project says now, since that may be what was mended.
            let rules = match &held.record.project {
                Some(project) => tx.get::<Project>(project).await?.map(|project| project.record.landing),
                None => None,
            };
            let rules = rules.unwrap_or_else(|| held.record.rules.clone());
            let queued = Landing { returns: 0, rules, state, updated_at: stamp.at, ..held.record.clone() };
            tx.update(&held, &queued)?;
            if let Some(mission) = tx.get::<Mission>(&queued.mission).await?
                && let Some(step) = missions::relaunch(&mission.record, &queued.id, &queued.session, stamp.at)
            {
                tx.update(&mission, &step.mission)?;
                let mission = step.mission.id.clone();
                tx.append(Event::MissionMoved { mission, from: step.from, to: step.to });
            }
            let (landing, mission, to) = (queued.id.clone(), queued.mission.clone(), LandingStateName::Queued);
            tx.append(Event::LandingMoved { landing, mission, from: Some(from), to });
            Ok::<_, crate::Error>(queued)
        });
        Ok(queued.await?.into())
    }
}

impl Handle<DropLanding> for Service {
    async fn handle(&self, caller: &Caller, op: DropLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.landing(member, &op.landing).await?;
        let over = [LandingStateName::Landed, LandingStateName::Dropped, LandingStateName::Returned];
        if over.contains(&landing.state.name()) {
            return Err(not_now(&landing).into());
        }
        let state = LandingState::Dropped { at: self.clock.now(), by: member.handle.clone() };
        let dropped = self.move_landing(&landing, state, Some(missions::Arrival::Dropped)).await?;
        match dropped.state.name() {
            LandingStateName::Dropped => Ok(dropped.into()),
            // It went on while this was asked.
            LandingStateName::Queued
            | LandingStateName::Review
            | LandingStateName::Waiting
            | LandingStateName::Returned
            | LandingStateName::Stuck
            | LandingStateName::Landed => Err(not_now(&dropped).into()),
        }
    }
}

impl Service {
    async fn landing(&self, member: &Member, id: &LandingId) -> Result<Landing> {
        let landing = self.store.get::<Landing>(id).await?.filter(|landing| member.sees(&landing.team));
        landing.ok_or_else(|| not_found().into())
    }
}

fn not_found() -> Error {
    Error::new(Code::LANDING_NOT_FOUND, "Landing not found").hint("`fleet land status` shows them.")
}

fn not_now(landing: &Landing) -> Error {
    let message = format!("landing `{}` is {}", landing.id, landing.state.name().as_str());
    Error::new(Code::LANDING_REFUSED, message).hint("`fleet land status` tells where each stands.")
}
