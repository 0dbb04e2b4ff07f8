//! Missions given to agents, resumed, and explained.

use std::path::Path;

use api::devfleet::{
    DispatchMission, Dispatched, ExplainMission, Explained, MissionStatus, ResumeMission, Resumed, SessionStatus,
    shown_model,
};
use api::{Code, Error};
use mission_runner::{StartPlace, StartRequest};
use schedule::Why;
use sessions::Refusal;
use store::{Query, by};
use tokens::Member;
use types::{Mission, Project, Session};

use super::LIST_MAX;
use super::start_request::start_request;
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

impl Handle<DispatchMission> for Service {
    async fn handle(&self, caller: &Caller, op: DispatchMission) -> Result<Dispatched> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, NOUN).await?;
        let mut request = start_request(mission, op.options)?;
        self.own_base(member, &request).await?;
        self.no_wider_start(member, &request, &request.tools(&self.settings())?).await?;
        if let StartPlace::Inherit(session) = &request.place {
            self.session(member, session).await?;
        }
        let kept = request.as_edit();
        request.sandbox = self.sandbox_of_start(member, &request).await?;
        let stamp = self.stamp(member, &request.mission.team);
        let order = self.runner.order(&request).await?;
        // Better now than a second after the answer that it runs.
        self.check_place(&order.place).await?;
        self.check_ready(&order.agent)?;
        match self.runner.start_as(&request, order, None, &stamp).await {
            Ok(session) => Ok(Dispatched {
                model: shown_model(session.order.model),
                session_id: Some(session.id),
                status: MissionStatus::Running,
            }),
            Err(mission_runner::Error::Session(sessions::Error::Refused(full @ Refusal::Full { .. }))) => match kept {
                Some(edit) => self.queue_mission(member, &request.mission.id, &edit).await,
                None => Err(sessions::Error::from(full).into()),
            },
            Err(error) => Err(error.into()),
        }
    }
}

impl Handle<ResumeMission> for Service {
    async fn handle(&self, caller: &Caller, op: ResumeMission) -> Result<Resumed> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, NOUN).await?;
        super::mission_commands::not_held(&mission)?;
        let mut request = start_request(mission, op.options)?;
        self.own_base(member, &request).await?;
        let last = self.runner.last_session(&request.mission).await?;
        self.no_wider_start(member, &request, &request.tools_of_resumed(&last)).await?;
        request.sandbox = self.sandbox_of_start(member, &request).await?;
        let stamp = self.stamp(member, &request.mission.team);
        self.check_ready(&last.order.agent)?;
        let session = self.runner.resume(&request, &last, &stamp).await?;
        Ok(Resumed { session_id: session.id, status: SessionStatus::Running, resumed: true })
    }
}

impl Handle<ExplainMission> for Service {
    async fn handle(&self, caller: &Caller, op: ExplainMission) -> Result<Explained> {
        let mission = self.mission(caller.member()?, &op.mission, NOUN).await?;
        let why = self.said(&mission).await?;
        let row = self.rows(vec![mission.clone()]).await?.pop();
        let (state, waits_for) = row.map_or((None, None), |row| (Some(row.state), row.waits_for));
        Ok(Explained { status: MissionStatus::from(&mission.state), state, waits_for, mission: mission.id, why })
    }
}

impl Service {
    /// Refuses an agent that would start work from a commit of its own choice, which no person has seen.
    pub(super) async fn own_base(&self, member: &Member, request: &StartRequest) -> Result<()> {
        let (Some(agent), StartPlace::Worktree { base: Some(base) }) =
            (self.viewer(member).agent().cloned(), &request.place)
        else {
            return Ok(());
        };
        let name = base.strip_prefix("refs/heads/").unwrap_or(base);
        for mission in agent.mission.iter().chain([&request.mission.id]) {
            let sessions = Query::latest(by::session::mission(mission), LIST_MAX);
            let branches = self.store.list::<Session>(sessions).await?.records;
            let mut trees = branches.into_iter().filter_map(|session| session.workspace?.worktree);
            if trees.any(|tree| tree.branch == name) {
                return Ok(());
            }
        }
        if let Some(project) = self.project_of(&request.mission).await?
            && let Ok(rules) =
                sessions::landing_rules(&self.workspaces, &project.landing, Path::new(&project.path)).await
            && rules.target.as_deref() == Some(name)
        {
            return Ok(());
        }
        let message = "Insufficient permissions: an agent starts a mission from the target branch or from a branch of \
                       its own mission";
        Err(Error::new(Code::ROLE_REFUSED, message).hint("Leave `base` out.").with("rule", "own-lineage").into())
    }

    pub(crate) async fn project_of(&self, mission: &Mission) -> Result<Option<Project>> {
        Ok(self.runner.project_of(mission).await?)
    }

    pub(crate) async fn explain(&self, mission: &Mission) -> Result<Why> {
        Ok(self.runner.explain(mission).await?)
    }

    /// Says why a mission does not run, with commands that can be pasted.
    pub(crate) async fn said(&self, mission: &Mission) -> Result<String> {
        let project = self.project_of(mission).await?;
        let name = project.as_ref().map(|project| project.name.as_str());
        Ok(self.explain(mission).await?.of(&mission.id, name))
    }
}
