//! Finished branches on their way to the target branch.

use api::devfleet::{ApproveLanding, DropLanding, LandMission, LandingView, ListLandings, RetryLanding};
use api::{Code, Error, Listing};
use landing_queue::{Move, move_landing};
use missions::{Arrival, Relaunch, Standing};
use store::{Query, Transaction, by};
use tokens::Member;
use types::{
    Event, Landing, LandingId, LandingRules, LandingState, LandingStateName, Mission, Project, Publication, Role,
};

use super::{LIST_MAX, not_found, paged};
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
        let query = paged(Query::latest(group, LIST_MAX), op.page);
        let page = self.store.list::<Landing>(query).await?;
        let who = self.viewer(member);
        let seen = page.records.into_iter().filter(|landing| who.sees(landing));
        Ok(Listing { items: seen.map(LandingView::from).collect(), next: page.next })
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
        let landing = self.landing(member, &op.landing).await?;
        match landing.state.name() {
            LandingStateName::Review => self.retry(member, &landing).await,
            state if LandingView::can_retry(state) => {
                let hint = format!("Try it again with `fleet land retry {}`.", landing.id);
                Err(not_now(&landing, "it does not wait for approval").hint(hint).into())
            }
            _ => Err(not_now(&landing, "it does not wait for approval").into()),
        }
    }
}

impl Handle<RetryLanding> for Service {
    async fn handle(&self, caller: &Caller, op: RetryLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.landing(member, &op.landing).await?;
        self.retry(member, &landing).await
    }
}

impl Service {
    /// Puts a landing that waits for a person into the queue again.
    async fn retry(&self, member: &Member, landing: &Landing) -> Result<LandingView> {
        let newest = Query::latest(by::landing::mission(&landing.mission), 1);
        if self.store.list::<Landing>(newest).await?.records.pop().is_some_and(|newest| newest.id != landing.id) {
            return Err(not_now(landing, "a later one is on its way").into());
        }
        let stamp = self.stamp(member, &landing.team);
        let (id, stamp) = (&landing.id, &stamp);
        let tried = self.store.transact(stamp, |tx| async move {
            let held = tx.get::<Landing>(id).await?.ok_or_else(not_found::landing)?;
            let from = held.record.state.name();
            let next = match (from, &held.record.publication) {
                (LandingStateName::Landed, Some(Publication::Refused { .. })) => {
                    let publication = Some(Publication::Pending { since: stamp.at });
                    Landing { publication, ..held.record.clone() }
                }
                (state, _) if LandingView::can_retry(state) => {
                    set_out(&tx, &held.record, stamp.at).await?;
                    let state = LandingState::Queued { since: stamp.at };
                    Landing { returns: 0, state, ..held.record.clone() }
                }
                (_, _) => return Err(not_now(&held.record, "there is nothing to try again").into()),
            };
            // What the project says now, since that may be what was mended.
            let rules = rules_now(&tx, &held.record).await?;
            if next.publication.is_some() && rules.push.is_none() && !rules.pr {
                return Err(not_now(&held.record, "its project asks for no push any more").into());
            }
            let next = Landing { rules, updated_at: stamp.at, ..next };
            tx.update(&held, &next)?;
            let (landing, mission, to) = (next.id.clone(), next.mission.clone(), next.state.name());
            tx.append(Event::LandingMoved { landing, mission, from: Some(from), to });
            Ok::<_, crate::Error>(next)
        });
        Ok(tried.await?.into())
    }
}

impl Handle<DropLanding> for Service {
    async fn handle(&self, caller: &Caller, op: DropLanding) -> Result<LandingView> {
        let member = caller.member()?;
        let landing = self.landing(member, &op.landing).await?;
        let mission = self.store.get::<Mission>(&landing.mission).await?;
        let at_work = missions::standing(mission.as_ref(), &landing) == Standing::AtWork;
        match landing.state.name() {
            LandingStateName::Returned if at_work => {
                return Err(not_now(&landing, "its agent works on it; end its session first").into());
            }
            LandingStateName::Cleared => return Err(not_now(&landing, "it is landing this very moment").into()),
            LandingStateName::Landed => return Err(not_now(&landing, "it has landed").into()),
            LandingStateName::Dropped => return Err(not_now(&landing, "it was taken out before").into()),
            LandingStateName::Queued
            | LandingStateName::Review
            | LandingStateName::Waiting
            | LandingStateName::Returned
            | LandingStateName::Stuck => {}
        }
        let (stamp, by) = (self.stamp(member, &landing.team), member.handle.clone());
        let state = LandingState::Dropped { at: stamp.at, by: by.clone(), why: String::new() };
        let next = Landing { state, ..landing.clone() };
        // From exactly what was seen: who is cleared to land meanwhile is not taken out, and the other way round.
        match move_landing(&self.store, &landing, next, Some(Arrival::Dropped { by }), &stamp).await? {
            Move::Done(dropped) => Ok((*dropped).into()),
            Move::Lost => {
                let now = self.landing(member, &op.landing).await?;
                Err(not_now(&now, "it went on while this was asked").into())
            }
        }
    }
}

impl Service {
    async fn landing(&self, member: &Member, id: &LandingId) -> Result<Landing> {
        let who = self.viewer(member);
        let landing = self.store.get::<Landing>(id).await?.filter(|landing| who.sees(landing));
        landing.ok_or_else(|| not_found::landing().into())
    }
}

/// Makes the mission of a landing land again, unless it has another holder.
async fn set_out(tx: &Transaction, landing: &Landing, now: types::Timestamp) -> Result<()> {
    let elsewhere = || not_now(landing, "its mission went another way");
    let mission = tx.get::<Mission>(&landing.mission).await?.ok_or_else(elsewhere)?;
    match missions::relaunch(&mission.record, landing, now) {
        Relaunch::OnItsWay => Ok(()),
        Relaunch::Elsewhere => Err(elsewhere().into()),
        Relaunch::Moved(step) => Ok(tx.move_mission(&mission, &step.mission)?),
    }
}

async fn rules_now(tx: &Transaction, landing: &Landing) -> Result<LandingRules> {
    let project = match &landing.project {
        Some(project) => tx.get::<Project>(project).await?,
        None => None,
    };
    let Some(project) = project else { return Ok(landing.rules.clone()) };
    let rules = project.record.landing;
    // Where the project names no target, it stays the one that it came for.
    let target = rules.target.clone().or_else(|| landing.rules.target.clone());
    Ok(LandingRules { target, ..rules })
}

fn not_now(landing: &Landing, why: &str) -> Error {
    let message = format!("landing `{}` is {}: {why}", landing.id, landing.state.name().as_str());
    Error::new(Code::LANDING_REFUSED, message).hint("`fleet land status` shows the state of each.")
}
