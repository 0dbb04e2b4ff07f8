//! Resuming the last session of a mission, in its conversation or in a copy of it.

use sessions::Asked;
use store::{Query, Stamp, by};
use types::{Limits, Mission, Session};

use crate::{ChosenTools, Refusal, Result, Runner, StartRequest};

/// Sessions of a mission that are searched for a conversation.
const SESSIONS_MAX: usize = 1_000;

impl Runner {
    /// Finds the newest session of a mission that had a conversation.
    ///
    /// # Errors
    /// When there is none, or the store fails.
    pub async fn last_session(&self, mission: &Mission) -> Result<Session> {
        let query = Query::latest(by::session::mission(&mission.id), SESSIONS_MAX);
        let found = self.store.list::<Session>(query).await?.records;
        let last = found.into_iter().find(|session| session.conversation.is_some());
        last.ok_or_else(|| Refusal::NotResumable { mission: mission.id.clone() }.into())
    }

    /// Resumes a session of a mission; a request that says nothing of something leaves it as it was.
    ///
    /// # Errors
    /// When it cannot be resumed as asked, no slot is free, or the store fails.
    pub async fn resume(&self, request: &StartRequest, last: &Session, by: &Stamp) -> Result<Session> {
        let mission = &request.mission;
        self.check_same_agent(request, last)?;
        self.check_context_mode(request, &last.order.agent)?;
        self.check_budget(request)?;
        let others = Mission { limits: Limits::default(), ..mission.clone() };
        if let Some(over) = self.sessions.overdrawn(&others).await? {
            return Err(sessions::Refusal::Overdrawn(over).into());
        }
        let project = self.project_of(mission).await?;
        if request.fork {
            let prompt = self.prompt(mission, project.as_ref()).await?;
            return Ok(self.sessions.fork(&last.id, prompt, None, by).await?);
        }
        let prompt = self.prompt_again(mission, project.as_ref()).await?;
        let sandbox = Some(request.sandbox.clone()).filter(|rules| !rules.is_default());
        let asked = Asked { prompt, sandbox, ..self.asked(request, last) };
        Ok(self.sessions.resume(&last.id, asked, by).await?)
    }

    /// Refuses to continue a conversation with another agent than the one that had it.
    fn check_same_agent(&self, request: &StartRequest, last: &Session) -> Result<()> {
        let Some(named) = &request.agent else { return Ok(()) };
        self.check_agent(named)?;
        if *named == last.order.agent {
            return Ok(());
        }
        let (mission, session) = (request.mission.id.clone(), last.id.clone());
        Err(Refusal::OtherAgent { mission, session, agent: last.order.agent.clone(), named: named.clone() }.into())
    }

    /// Returns what a resumed session may spend beside what it has: what is left of its mission's budget.
    fn asked(&self, request: &StartRequest, last: &Session) -> Asked {
        let limits = self.limits(request);
        // It has these as before: what it handed on is taken off what it has again.
        let spent = last.booked.plus(missions::handed_on(&request.mission, Some(&last.id)));
        let set = limits != Limits::default();
        let turns = u32::try_from(spent.turns).unwrap_or(u32::MAX);
        Asked {
            prompt: None,
            model: request.model.clone(),
            system_prompt: request.system_prompt.clone(),
            limits: set.then(|| Limits {
                turns_max: limits.turns_max.map(|most| most.saturating_add(turns)),
                dollars_max: limits.dollars_max.map(|most| most + spent.cost.dollars()),
                tokens_max: limits.tokens_max.map(|most| most.saturating_add(spent.tokens)),
                secs_max: limits.secs_max.map(|most| most.saturating_add(spent.secs)),
            }),
            allowed_tools: request.allowed_tools.clone(),
            context_mode: request.context_mode,
            sandbox: None,
        }
    }
}

impl StartRequest {
    /// Returns the tools of a session that is resumed: those listed, else those it had.
    #[must_use]
    pub fn tools_of_resumed(&self, last: &Session) -> ChosenTools {
        let had = || ChosenTools { preset: last.order.preset.clone(), tools: last.order.allowed_tools.clone() };
        self.allowed_tools.clone().map_or_else(had, |tools| ChosenTools { preset: None, tools: Some(tools) })
    }
}
