//! Who the caller is.

use api::fleet::{CallerInfo, ShowCaller};

use crate::{Caller, Handle, Reach, Result, Service, agent_reach, may};

impl Handle<ShowCaller> for Service {
    async fn handle(&self, caller: &Caller, _: ShowCaller) -> Result<CallerInfo> {
        let member = caller.member()?;
        let agent = self.viewer(member).agent().cloned();
        let is_agent = agent.is_some();
        let open = api::specs()
            .into_iter()
            .filter(|spec| may(spec.access, member.role, is_agent) && (!is_agent || agent_reach(spec) != Reach::None));
        Ok(CallerInfo {
            handle: member.handle.clone(),
            team: member.team.clone(),
            role: member.role,
            session_id: agent.as_ref().map(|agent| agent.session.clone()),
            mission_id: agent.as_ref().and_then(|agent| agent.mission.clone()),
            project_id: agent.and_then(|agent| agent.project),
            may: open.map(|spec| spec.name.to_owned()).collect(),
            version: self.facts.version.clone(),
        })
    }
}
