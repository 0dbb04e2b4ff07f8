//! The tool `get_sub_mission_status`: where the missions stand that an agent handed on, by what Fleet itself knows.
//!
//! It waits for nothing. An agent that asks again and again waits all the same, with a place that its sub-missions may
//! be waiting for: therefore whoever asks lends it to them.

use std::collections::BTreeSet;

use api::devfleet::{GetSubMissionStatus, LandingView, SubMissionStatus, SubMissions};
use store::{Query, by};
use tokens::Member;
use types::{Landing, Mission, MissionId, MissionState};

use super::caller_view::works_on;
use crate::{Caller, Handle, Result, Service};

/// Most sub-missions that are shown; an agent makes fewer.
const SHOWN: usize = 100;

impl Handle<GetSubMissionStatus> for Service {
    async fn handle(&self, caller: &Caller, op: GetSubMissionStatus) -> Result<SubMissions> {
        let member = caller.member()?;
        let outlook = self.outlook(member, op.mission_id.as_ref()).await?;
        let mut children = self.children(member, &outlook.mission.id).await?;
        children.sort_by(|one, other| (one.created_at, &one.id).cmp(&(other.created_at, &other.id)));
        children.truncate(SHOWN);
        if outlook.is_own() {
            self.sessions.lend(&outlook.mission.id, open(&children));
        }
        let mut sub_missions = Vec::with_capacity(children.len());
        for child in children {
            sub_missions.push(self.stands(child).await?);
        }
        Ok(SubMissions { count: sub_missions.len(), sub_missions })
    }
}

impl Service {
    /// Lends the place of an agent that waits for a mission, if it is one that it handed on.
    pub(super) async fn lend_to(&self, member: &Member, awaited: &Mission) -> Result<()> {
        let session = self.sessions.named(&member.team, &member.handle).await?;
        let own = session.as_ref().and_then(works_on).filter(|own| awaited.parent.as_ref() == Some(own));
        if let Some(own) = own {
            self.sessions.lend(own, open(std::slice::from_ref(awaited)));
        }
        Ok(())
    }

    /// Shows where a sub-mission stands, with what came of its last run and of its branch.
    async fn stands(&self, child: Mission) -> Result<SubMissionStatus> {
        let why = self.said(&child).await?;
        let report = self.latest_report(&child.id).await?;
        let query = Query::latest(by::landing::mission(&child.id), 1);
        let landing = self.store.list::<Landing>(query).await?.records.pop().map(|it| LandingView::from(it).status);
        let shown = SubMissionStatus { landing, ..SubMissionStatus::of(child, why) };
        Ok(match report {
            Some(report) => shown.with_report(&report),
            None => shown,
        })
    }
}

/// Those of the missions that somebody may still have to work on.
fn open(missions: &[Mission]) -> BTreeSet<MissionId> {
    let open = missions.iter().filter(|mission| match &mission.state {
        MissionState::Ready { .. }
        | MissionState::Held { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. } => true,
        MissionState::Draft
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => false,
    });
    open.map(|mission| mission.id.clone()).collect()
}
