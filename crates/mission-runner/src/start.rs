//! The start of a mission: checks of agent, tools, budget and place, then a new session.

use std::path::Path;
use std::time::Duration;

use agents::McpForm;
use config::Settings;
use sessions::{Automatic, NewSession};
use store::Stamp;
use types::{Limits, Mission, Order, Place, Project, Rank, Session, Stay, Waits};

use crate::{Refusal, Result, Runner, StartPlace, StartRequest};

impl Runner {
    /// Starts an agent on a mission; returns once that is stored.
    ///
    /// # Errors
    /// When it cannot be started as asked, no slot is free, or the store fails.
    pub async fn start(&self, request: &StartRequest, automatic: Option<Automatic>, by: &Stamp) -> Result<Session> {
        self.start_as(request, self.order(request).await?, automatic, by).await
    }

    /// Starts an agent on a mission by the order that was made for the request.
    ///
    /// # Errors
    /// When no slot is free, or the store fails.
    pub async fn start_as(
        &self,
        request: &StartRequest,
        order: Order,
        automatic: Option<Automatic>,
        by: &Stamp,
    ) -> Result<Session> {
        let mission = &request.mission;
        let mut new = NewSession {
            project: mission.project.clone(),
            mission: Some(mission.id.clone()),
            spent: Some(mission.spent),
            automatic,
            ..NewSession::new(mission.team.clone(), order)
        };
        loop {
            match self.sessions.spawn(new.clone(), by).await {
                // A session of it ended since it was read: its ceilings are what is left by now.
                Err(sessions::Error::Refused(sessions::Refusal::SpentMeanwhile { spent, .. })) => {
                    let request = StartRequest { mission: Mission { spent, ..mission.clone() }, ..request.clone() };
                    self.check_budget(&request)?;
                    new.order.limits = self.limits(&request);
                    new.spent = Some(spent);
                }
                begun => return Ok(begun?),
            }
        }
    }

    /// Makes the order of a session: agent, tools, ceilings, place and prompt.
    ///
    /// # Errors
    /// When the mission cannot be started as asked, or the store fails.
    pub async fn order(&self, request: &StartRequest) -> Result<Order> {
        self.check_budget(request)?;
        let (mission, settings) = (&request.mission, self.settings());
        let project = self.pinned(self.project_of(mission).await?, &self.by_itself(mission)).await?;
        let project = project.as_ref();
        let place = self.place(request, project).await?;
        let choice = self.choice(request, project)?;
        self.check_context_mode(request, &choice.agent.value)?;
        let (tools, limits) = (request.tools(&settings)?, self.limits(request));
        self.check_prices(&choice.agent.value, choice.model.value.as_deref(), limits)?;
        Ok(Order {
            agent: choice.agent.value,
            model: choice.model.value,
            title: Some(mission.title.clone()),
            prompt: self.prompt(mission, project).await?,
            again: None,
            system_prompt: reports::system_prompt(project, request.system_prompt.as_deref()),
            allowed_tools: tools.tools,
            preset: tools.preset,
            limits,
            place,
            stay: Stay::UntilDone,
            retries_max: Some(retries(request)),
            waits: waits(request, &settings),
            context_mode: request.context_mode,
            args: mission.worker.as_ref().map(|worker| worker.extra_args.clone()).unwrap_or_default(),
            sandbox: request.sandbox.clone(),
            rank: Rank::default(),
        })
    }

    async fn place(&self, request: &StartRequest, project: Option<&Project>) -> Result<Place> {
        let folder = match project {
            Some(project) => project.path.clone(),
            None => self.working_dir.to_string_lossy().into_owned(),
        };
        self.check_folder(Path::new(&folder)).await?;
        match &request.place {
            StartPlace::InPlace => Ok(Place::InPlace { folder }),
            StartPlace::Worktree { base: Some(base) } => Ok(Place::Worktree { folder, base: Some(base.clone()) }),
            StartPlace::Worktree { base: None } if request.mission.base.is_some() => {
                Ok(Place::Worktree { folder, base: request.mission.base.clone() })
            }
            StartPlace::Worktree { base: None } => {
                let base = self.start_point(&request.mission, project, Path::new(&folder)).await?;
                Ok(Place::Worktree { folder, base })
            }
            StartPlace::Inherit(id) => {
                let session = self.store.get::<Session>(id).await?;
                let session = session.ok_or_else(|| sessions::Refusal::NotFound { session: id.clone() })?;
                let worktree = session.workspace.and_then(|workspace| workspace.worktree);
                let worktree = worktree.ok_or_else(|| Refusal::NoBranch { session: id.clone() })?;
                Ok(Place::Inherit { folder, branch: worktree.branch })
            }
        }
    }

    /// Refuses a mission whose own budget is used up; a ceiling of the request takes its place.
    pub(crate) fn check_budget(&self, request: &StartRequest) -> Result<()> {
        let Limits { turns_max, dollars_max, .. } = request.mission.limits;
        let limits = Limits {
            turns_max: turns_max.filter(|_| request.limits.turns_max.is_none()),
            dollars_max: dollars_max.filter(|_| request.limits.dollars_max.is_none()),
            ..request.mission.limits
        };
        let own = sessions::own_budget(&Mission { limits, ..request.mission.clone() });
        match own.and_then(|budget| budget.overdrawn(self.clock.now())) {
            Some(over) => Err(sessions::Refusal::Overdrawn(over).into()),
            None => Ok(()),
        }
    }

    /// Refuses a ceiling in dollars that the agent would not keep to.
    fn check_prices(&self, agent: &str, model: Option<&str>, limits: Limits) -> Result<()> {
        if self.sessions.agent_registry().find(agent)?.keeps_budget(limits, model) {
            return Ok(());
        }
        Err(Refusal::Unpriced { agent: agent.to_owned(), model: model.map(str::to_owned) }.into())
    }

    /// Refuses the context mode where it cannot work: the agent would start without its tools.
    pub(crate) fn check_context_mode(&self, request: &StartRequest, agent: &str) -> Result<()> {
        if !request.context_mode {
            return Ok(());
        }
        if self.sessions.agent_registry().find(agent)?.capabilities().mcp == McpForm::None {
            return Err(Refusal::ContextModeWithoutMcp { agent: agent.to_owned() }.into());
        }
        let settings = self.settings();
        let program = settings.context_mode_cmd.split_whitespace().next().unwrap_or_default();
        if self.sessions.program(program).is_none() {
            return Err(Refusal::ContextModeProgram { program: program.to_owned() }.into());
        }
        if request.fork { Err(Refusal::ContextModeOfFork.into()) } else { Ok(()) }
    }

    /// Returns the ceilings of the next session: those of the request, else what is left of the mission's.
    pub(crate) fn limits(&self, request: &StartRequest) -> Limits {
        let mission = &request.mission;
        let left = sessions::own_budget(mission).map_or(mission.limits, |budget| budget.left(self.clock.now()));
        Limits {
            turns_max: request.limits.turns_max.or(left.turns_max),
            dollars_max: request.limits.dollars_max.or(left.dollars_max),
            ..left
        }
    }
}

/// A mission that is not retried by itself has no retries, unless the request asks for some.
fn retries(request: &StartRequest) -> u32 {
    let retry = request.mission.retry;
    let own = if retry.automatic { retry.times_max } else { 0 };
    request.retries_max.unwrap_or(own)
}

fn waits(request: &StartRequest, settings: &Settings) -> Option<Waits> {
    if request.first_retry_after.is_none() && request.longest_retry_after.is_none() {
        return None;
    }
    let millis = |asked: Option<Duration>, own: u32| {
        asked.map_or(u64::from(own) * 1_000, |wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
    };
    let first_ms = millis(request.first_retry_after, settings.retry_first_delay_secs);
    let longest_ms = millis(request.longest_retry_after, settings.retry_longest_delay_secs).max(first_ms);
    Some(Waits { first_ms, longest_ms })
}
