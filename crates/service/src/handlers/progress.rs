//! Missions that are cancelled and waited for, and the dashboard.

use std::time::Duration;

use api::devfleet::{
    AwaitedMission, CancelMission, DashboardStats, GetDashboardStats, MissionDetail, MissionStatus, SessionRow,
    WaitForMission,
};
use api::{Code, Error};
use store::{Query, by};
use tokens::Member;
use types::{Holder, Mission, MissionState, Role, Session, SessionId};

use crate::{Caller, Handle, Result, Service};

/// Sessions shown in the dashboard.
const RECENT: usize = 10;

impl Handle<CancelMission> for Service {
    async fn handle(&self, caller: &Caller, op: CancelMission) -> Result<MissionDetail> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, "Mission").await?;
        let Some(session) = holder(&mission) else {
            return Err(Error::new(Code::SESSION_NOT_RUNNING, "no session of Fleet works on the mission")
                .hint(format!("`fleet mission show {}` shows its state.", mission.id))
                .into());
        };
        self.sessions.stop(session, &member.handle).await?;
        let mission = self.mission(member, &op.mission, "Mission").await?;
        self.mission_detail(member, mission).await
    }
}

impl Handle<WaitForMission> for Service {
    async fn handle(&self, caller: &Caller, op: WaitForMission) -> Result<AwaitedMission> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, "Mission").await?;
        self.lend_to(member, &mission).await?;
        let at_most = Duration::from_secs(op.timeout_seconds.into());
        let rested = self.sessions.at_rest(&mission.id, at_most).await?;
        let timed_out = rested.is_none();
        let mission = match rested {
            Some(mission) => mission,
            None => self.mission(member, &op.mission, "Mission").await?,
        };
        let detail = self.mission_detail(member, mission).await?;
        let report = detail.latest_report.clone().map(Into::into);
        Ok(AwaitedMission { timed_out, mission: detail.into(), report })
    }
}

impl Handle<GetDashboardStats> for Service {
    async fn handle(&self, caller: &Caller, _: GetDashboardStats) -> Result<DashboardStats> {
        let member = caller.member()?;
        let live = self.recent(member, by::session::live(), super::LIST_MAX).await?;
        let recent = self.recent(member, everything(member), RECENT).await?;
        let reports = self.recent_reports(member, RECENT).await?;
        Ok(DashboardStats {
            total_projects: self.store.count(by::project::ALL),
            missions_by_status: MissionStatus::counted(|state| self.missions_in(state)),
            running_agents: self.sessions.running(),
            max_agents: self.settings().max_workers,
            waiting_for_person: self.waiting_for_person(member).await?,
            running: live.into_iter().map(Into::into).collect(),
            recent_reports: reports.into_iter().map(Into::into).collect(),
            recent_sessions: recent.into_iter().map(Into::into).collect(),
        })
    }
}

impl Service {
    /// Shows the newest sessions of a group that the member may see.
    async fn recent(&self, member: &Member, group: String, limit: usize) -> Result<Vec<SessionRow>> {
        let sessions = self.store.list::<Session>(Query::latest(group, limit)).await?.records;
        let who = self.viewer(member);
        self.session_rows(sessions.into_iter().filter(|session| who.sees(session)).collect()).await
    }
}

fn everything(member: &Member) -> String {
    if member.role == Role::Owner { by::session::all() } else { by::session::team(&member.team) }
}

fn holder(mission: &Mission) -> Option<&SessionId> {
    match &mission.state {
        MissionState::Held { holder: Holder::Session { session, .. }, .. } => Some(session),
        MissionState::Held { holder: Holder::Agent { .. }, .. }
        | MissionState::Draft
        | MissionState::Ready { .. }
        | MissionState::Landing { .. }
        | MissionState::Parked { .. }
        | MissionState::Done { .. }
        | MissionState::Failed { .. }
        | MissionState::Cancelled { .. } => None,
    }
}
