//! DevFleet's tools that start, stop and await agents, and its dashboard.

use std::time::Duration;

use api::devfleet::{
    AwaitedMission, CancelMissionTool, Dashboard, DashboardStats, DispatchMission, DispatchMissionTool, DispatchedTool,
    GetDashboardStats, GetDashboardTool, GetMissionStatusTool, MissionStatus, MissionStatusReport, RecentActivity,
    RecentSession, RunningAgent, SessionRow, SessionStatus, SessionSummary, WaitForMissionTool,
};
use api::{Code, Error};
use store::{Query, by};
use tokens::Member;
use types::{Holder, Mission, MissionState, Role, Session, SessionId};

use crate::{Caller, Handle, Result, Service};

/// Sessions shown in the dashboard.
const RECENT: usize = 10;

impl Handle<GetMissionStatusTool> for Service {
    async fn handle(&self, caller: &Caller, op: GetMissionStatusTool) -> Result<MissionStatusReport> {
        let mission = self.mission(caller.member()?, &op.mission_id, "Mission").await?;
        self.mission_report(mission).await
    }
}

impl Handle<DispatchMissionTool> for Service {
    async fn handle(&self, caller: &Caller, op: DispatchMissionTool) -> Result<DispatchedTool> {
        let DispatchMissionTool { mission_id, model, max_turns, agent, coder, executor } = op;
        let op =
            DispatchMission { model, max_turns, agent, coder, executor, ..DispatchMission::of(mission_id.clone()) };
        let started = self.handle(caller, op).await?;
        Ok(DispatchedTool {
            hint: "Use wait_for_mission to hear when it has ended, or get_mission_status to look.".to_owned(),
            mission_id,
            status: match started.session_id {
                Some(_) => "dispatched".to_owned(),
                None => started.status.as_str().to_owned(),
            },
            session_id: started.session_id,
            model: started.model,
        })
    }
}

impl Handle<CancelMissionTool> for Service {
    async fn handle(&self, caller: &Caller, op: CancelMissionTool) -> Result<MissionStatusReport> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission_id, "Mission").await?;
        let Some(session) = holder(&mission) else {
            return Err(Error::new(Code::SESSION_NOT_RUNNING, "no session of Fleet works on the mission")
                .hint("get_mission_status tells where it stands.")
                .into());
        };
        self.sessions.stop(session, &member.handle).await?;
        let mission = self.mission(member, &op.mission_id, "Mission").await?;
        self.mission_report(mission).await
    }
}

impl Handle<WaitForMissionTool> for Service {
    async fn handle(&self, caller: &Caller, op: WaitForMissionTool) -> Result<AwaitedMission> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission_id, "Mission").await?;
        self.lend_to(member, &mission).await?;
        let at_most = Duration::from_secs(op.timeout_seconds.into());
        let rested = self.sessions.at_rest(&mission.id, at_most).await?;
        let timed_out = rested.is_none();
        let mission = match rested {
            Some(mission) => mission,
            None => self.mission(member, &op.mission_id, "Mission").await?,
        };
        let report = self.latest_report(&mission.id).await?.map(Into::into);
        Ok(AwaitedMission { timed_out, mission: self.mission_report(mission).await?, report })
    }
}

impl Handle<GetDashboardTool> for Service {
    async fn handle(&self, caller: &Caller, _: GetDashboardTool) -> Result<Dashboard> {
        let member = caller.member()?;
        let live = self.recent(member, by::session::live(), super::LIST_MAX).await?;
        let ended = self.recent(member, everything(member), RECENT).await?;
        let max = self.settings().max_workers;
        let activity = |row: SessionRow| RecentActivity {
            id: row.id,
            title: row.mission_title,
            status: row.status,
            ended_at: row.ended_at,
            total_cost_usd: row.total_cost_usd,
        };
        Ok(Dashboard {
            projects: self.store.count(by::project::ALL),
            missions: MissionStatus::counted(|state| self.missions_in(state)),
            running_agents: live
                .into_iter()
                .map(|row| RunningAgent { id: row.id, mission_id: row.mission_id, title: row.mission_title })
                .collect(),
            agent_slots: format!("{}/{max}", self.sessions.running()),
            recent_activity: ended.into_iter().filter(|row| row.ended_at.is_some()).map(activity).collect(),
        })
    }
}

impl Handle<GetDashboardStats> for Service {
    async fn handle(&self, caller: &Caller, _: GetDashboardStats) -> Result<DashboardStats> {
        let member = caller.member()?;
        let recent = self.recent(member, everything(member), RECENT).await?;
        let reports = self.recent_reports(member, RECENT).await?;
        let shown = |row: SessionRow| RecentSession {
            id: row.id,
            status: row.status,
            started_at: row.started_at,
            ended_at: row.ended_at,
            mission_title: row.mission_title,
            project_name: row.project_name,
        };
        Ok(DashboardStats {
            total_projects: self.store.count(by::project::ALL),
            missions_by_status: MissionStatus::counted(|state| self.missions_in(state)),
            running_agents: self.sessions.running(),
            max_agents: self.settings().max_workers,
            recent_reports: reports.into_iter().map(Into::into).collect(),
            recent_sessions: recent.into_iter().map(shown).collect(),
        })
    }
}

impl Service {
    /// Shows the newest sessions of a group that the member may see.
    async fn recent(&self, member: &Member, group: String, limit: usize) -> Result<Vec<SessionRow>> {
        let sessions = self.store.list::<Session>(Query::latest(group, limit)).await?.records;
        self.session_rows(sessions.into_iter().filter(|session| member.sees(&session.team)).collect()).await
    }

    /// Shows where a mission stands, with its newest session.
    async fn mission_report(&self, mission: Mission) -> Result<MissionStatusReport> {
        let query = Query::latest(by::session::mission(&mission.id), 1);
        let newest = self.store.list::<Session>(query).await?.records;
        let stderr = match newest.first() {
            Some(session) if SessionStatus::from(&session.state) == SessionStatus::Failed => {
                Some(self.sessions.errors(session).await?)
            }
            Some(_) | None => None,
        };
        let row = self.session_rows(newest).await?.pop();
        let session = row.map(|row| SessionSummary::of(row, stderr));
        Ok(MissionStatusReport { session, ..mission.into() })
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
