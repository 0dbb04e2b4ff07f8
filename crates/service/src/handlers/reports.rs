//! Reports under `/api/reports` and `/api/missions`, the mission that follows from one, and the tools that read them.

use std::collections::HashMap;

use api::devfleet::{
    GenerateNext, GetMissionContext, GetMissionReport, GetReport, ListReports, MissionContext, MissionReport,
    MissionRow, MissionStatus, ReadReports, ReportRow, ReportedSession, SessionRow, no_report,
};
use api::{Listing, SqlTime};
use missions::Statement;
use store::{Query, by};
use tokens::Member;
use types::{Landing, Mission, Project, Report, Role, Session};

use super::not_found;
use super::sessions::OUTPUT_LINES_MAX;
use super::{LIST_MAX, limit};
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

impl Handle<ListReports> for Service {
    async fn handle(&self, caller: &Caller, op: ListReports) -> Result<Listing<ReportRow>> {
        let member = caller.member()?;
        let group = match (&op.mission_id, &op.project_id) {
            (Some(mission), _) => by::report::mission(mission),
            (None, Some(project)) => by::report::project(project),
            (None, None) => every_report(member),
        };
        let of_project = |report: &Report| op.project_id.is_none() || op.project_id == report.project;
        let page = self.page_of(member, Query::latest(group, LIST_MAX), op.page, of_project).await?;
        Ok(Listing { items: self.report_rows(page.records).await?, next: page.next })
    }
}

impl Handle<GetReport> for Service {
    async fn handle(&self, caller: &Caller, op: GetReport) -> Result<ReportRow> {
        self.report_row(self.read_seen(caller.member()?, &op.report, not_found::report).await?).await
    }
}

impl Handle<GetMissionReport> for Service {
    async fn handle(&self, caller: &Caller, op: GetMissionReport) -> Result<MissionReport> {
        let mission = self.mission(caller.member()?, &op.mission, NOUN).await?;
        let query = Query::latest(by::session::mission(&mission.id), 1);
        let session = match self.store.list::<Session>(query).await?.records.pop() {
            Some(session) => Some(self.reported(session, op.log_tail_bytes).await?),
            None => None,
        };
        let report = match self.latest_report(&mission.id).await? {
            Some(report) => Some(self.report_row(report).await?),
            None => None,
        };
        let model = self.model_shown(&mission).await?;
        let newest = Query::latest(by::landing::mission(&mission.id), 1);
        let landing = self.store.list::<Landing>(newest).await?.records.pop().map(Into::into);
        Ok(MissionReport {
            landing,
            status: MissionStatus::from(&mission.state),
            mission_id: mission.id,
            title: mission.title,
            model,
            created_at: SqlTime(mission.created_at),
            updated_at: SqlTime(mission.updated_at),
            session,
            report,
        })
    }
}

impl Handle<GenerateNext> for Service {
    async fn handle(&self, caller: &Caller, op: GenerateNext) -> Result<MissionRow> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, NOUN).await?;
        let report = self.latest_report(&mission.id).await?;
        let said = report.as_ref().and_then(Report::words).ok_or_else(|| no_report(&mission.id))?;
        let next = reports::next_mission(&mission, said);
        let stated = Statement {
            acceptance: next.acceptance,
            priority: mission.priority,
            tags: mission.tags.clone(),
            sandbox: mission.sandbox.clone(),
            ..Statement::new(mission.team.clone(), next.title, next.prompt)
        };
        let made = self.state(member, mission.project.as_ref(), stated).await?;
        let row = self.rows(vec![made]).await?.pop();
        row.ok_or_else(|| crate::Error::Fault("a mission has no row".to_owned()))
    }
}

impl Handle<ReadReports> for Service {
    async fn handle(&self, caller: &Caller, op: ReadReports) -> Result<Listing<ReportRow>> {
        let mission = self.outlook(caller.member()?, op.mission_id.as_ref()).await?.mission;
        let query = Query::latest(by::report::mission(&mission.id), limit(Some(op.limit)));
        Ok(Listing::whole(self.report_rows(self.store.list::<Report>(query).await?.records).await?))
    }
}

impl Handle<GetMissionContext> for Service {
    async fn handle(&self, caller: &Caller, op: GetMissionContext) -> Result<MissionContext> {
        let mission = self.outlook(caller.member()?, op.mission_id.as_ref()).await?.mission;
        let report = match self.latest_report(&mission.id).await? {
            Some(report) => Some(self.report_row(report).await?),
            None => None,
        };
        let model = self.model_shown(&mission).await?;
        Ok(MissionContext::of(mission, model, report))
    }
}

impl Service {
    /// Says which model a mission gets.
    async fn model_shown(&self, mission: &Mission) -> Result<String> {
        let project = self.project_of(mission).await?;
        Ok(self.shown_model(mission, project.as_ref()))
    }

    /// Shows a report with the names of what it is about.
    pub(super) async fn report_row(&self, report: Report) -> Result<ReportRow> {
        let row = self.report_rows(vec![report]).await?.pop();
        row.ok_or_else(|| crate::Error::Fault("a report has no row".to_owned()))
    }

    /// Shows the newest reports that the member may see.
    pub(super) async fn recent_reports(&self, member: &Member, limit: usize) -> Result<Vec<ReportRow>> {
        let reports = self.store.list::<Report>(Query::latest(every_report(member), limit)).await?.records;
        let who = self.viewer(member);
        self.report_rows(reports.into_iter().filter(|report| who.sees(report)).collect()).await
    }

    async fn report_rows(&self, reports: Vec<Report>) -> Result<Vec<ReportRow>> {
        let (mut missions, mut projects) = (HashMap::new(), HashMap::new());
        let mut rows = Vec::with_capacity(reports.len());
        for report in reports {
            if let Some(mission) = report.mission.as_ref().filter(|mission| !missions.contains_key(*mission)) {
                let read = self.store.get::<Mission>(mission).await?;
                missions.insert(mission.clone(), read.map(|mission| mission.title));
            }
            if let Some(project) = report.project.as_ref().filter(|project| !projects.contains_key(*project)) {
                let read = self.store.get::<Project>(project).await?;
                projects.insert(project.clone(), read.map(|project| project.name));
            }
            let title = report.mission.as_ref().and_then(|mission| missions.get(mission).cloned().flatten());
            let name = report.project.as_ref().and_then(|project| projects.get(project).cloned().flatten());
            rows.push(ReportRow::of(report, title, name));
        }
        Ok(rows)
    }

    async fn reported(&self, session: Session, chars_max: u32) -> Result<ReportedSession> {
        let output_log = self.sessions.output(&session, OUTPUT_LINES_MAX).await?.join("\n");
        let error_log = self.sessions.errors(&session).await?;
        let row = self.session_rows(vec![session]).await?.pop();
        let row = row.ok_or_else(|| crate::Error::Fault("a session has no row".to_owned()))?;
        let row = SessionRow { output_log, error_log, ..row };
        Ok(ReportedSession::of(row, usize::try_from(chars_max).unwrap_or(usize::MAX)))
    }
}

fn every_report(member: &Member) -> String {
    if member.role == Role::Owner { by::report::all() } else { by::report::team(&member.team) }
}
