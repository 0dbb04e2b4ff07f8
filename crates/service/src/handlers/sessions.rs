//! Sessions under `/api/sessions`.

use std::collections::HashMap;

use api::Listing;
use api::devfleet::{CancelSession, Deleted, GetSession, ListSessions, SessionDetail, SessionRow, SessionStatus};
use api::{Code, Error, SqlTime};
use store::{Query, by};
use tokens::Member;
use types::{Mission, MissionId, Project, ProjectId, Role, Session, SessionId};

use super::{LIST_MAX, not_found};
use crate::{Caller, Handle, Result, Service};

/// Most lines of output that are shown with a session.
pub(super) const OUTPUT_LINES_MAX: usize = 2_000;

impl Handle<ListSessions> for Service {
    async fn handle(&self, caller: &Caller, op: ListSessions) -> Result<Listing<SessionRow>> {
        let member = caller.member()?;
        let groups = groups(member, &op);
        let query = Query { groups, ..Query::latest(String::new(), LIST_MAX) };
        let wanted = |session: &Session| op.status.is_none_or(|status| SessionStatus::from(&session.state) == status);
        let page = self.page_of(member, query, op.page, wanted).await?;
        Ok(Listing { items: self.session_rows(page.records).await?, next: page.next })
    }
}

impl Handle<GetSession> for Service {
    async fn handle(&self, caller: &Caller, op: GetSession) -> Result<SessionDetail> {
        let session = self.session(caller.member()?, &op.session).await?;
        let output_log = self.sessions.output(&session, OUTPUT_LINES_MAX).await?.join("\n");
        let error_log = self.sessions.errors(&session).await?;
        let mission = match &session.mission {
            Some(assignment) => self.store.get::<Mission>(&assignment.mission).await?,
            None => None,
        };
        let report = match self.store.latest_report(by::report::session(&session.id)).await? {
            Some(report) => Some(self.report_row(report).await?),
            None => None,
        };
        let row = self.session_rows(vec![session]).await?.pop();
        let row = row.ok_or_else(|| crate::Error::Fault("a session has no row".to_owned()))?;
        Ok(SessionDetail {
            session: SessionRow { output_log, error_log, ..row },
            mission_number: mission.and_then(|mission| mission.number),
            report,
        })
    }
}

impl Handle<CancelSession> for Service {
    async fn handle(&self, caller: &Caller, op: CancelSession) -> Result<Deleted> {
        let member = caller.member()?;
        let session = self.session(member, &op.session).await?;
        if !session.state.is_live() {
            return Err(Error::new(Code::SESSION_NOT_RUNNING, "Session not running")
                .hint(format!("It ended before; `fleet session show {}` shows how.", session.id))
                .into());
        }
        self.sessions.stop(&op.session, &member.handle).await?;
        Ok(Deleted::OK)
    }
}

impl Service {
    /// Reads a session that the member may see.
    ///
    /// # Errors
    /// When there is none, or the store fails.
    pub async fn session(&self, member: &Member, id: &SessionId) -> Result<Session> {
        self.read_seen(member, id, not_found::session).await
    }

    /// Shows sessions with what they have cost until now and the names of what they work on.
    pub(super) async fn session_rows(&self, sessions: Vec<Session>) -> Result<Vec<SessionRow>> {
        let mut missions: HashMap<MissionId, Option<String>> = HashMap::new();
        let mut projects: HashMap<ProjectId, Option<String>> = HashMap::new();
        let mut rows = Vec::with_capacity(sessions.len());
        for session in sessions {
            let live = self.sessions.live(&session.id);
            let row = match live {
                Some(live) => {
                    // These are in the record when the process has ended, and here as soon as the agent reports them.
                    let seen = Session { model: live.model, ..live.session };
                    let (state, waits_for) = self.session_standing(&seen).await?;
                    let row = SessionRow::of(&seen, live.spending);
                    let claude_session_id = live.conversation.unwrap_or_default();
                    SessionRow { claude_session_id, state, waits_for, ..row }
                }
                None => SessionRow::of(&session, session.spending),
            };
            let trimmed_at = self.sessions.trimmed(&session).map(|trimmed| SqlTime(trimmed.at));
            let mut row = SessionRow { trimmed_at, ..row };
            if let Some(assignment) = &session.mission {
                if !missions.contains_key(&assignment.mission) {
                    let read = self.store.get::<Mission>(&assignment.mission).await?;
                    missions.insert(assignment.mission.clone(), read.map(|mission| mission.title));
                }
                row.mission_title = missions.get(&assignment.mission).cloned().flatten();
            }
            if let Some(project) = &session.project {
                if !projects.contains_key(project) {
                    let read = self.store.get::<Project>(project).await?;
                    projects.insert(project.clone(), read.map(|project| project.name));
                }
                row.project_name = projects.get(project).cloned().flatten();
            }
            rows.push(row);
        }
        Ok(rows)
    }
}

/// The groups to list: those of the mission, else of the states asked for, else of the team; filtered again afterwards.
fn groups(member: &Member, op: &ListSessions) -> Vec<String> {
    match (&op.mission_id, op.status) {
        (Some(mission), _) => vec![by::session::mission(mission)],
        (None, Some(status)) => status.states().map(by::session::state).collect(),
        (None, None) if member.role == Role::Owner => vec![by::session::all()],
        (None, None) => vec![by::session::team(&member.team)],
    }
}
