//! Missions given to agents, and taken up again.

use agents::McpForm;
use api::devfleet::{DispatchMission, Dispatched, MissionStatus, ResumeMission, Resumed, SessionStatus, shown_model};
use api::{Code, Error};
use sessions::{Asked, NewSession, Refusal};
use store::{Query, by};
use types::{Limits, Mission, Order, Place, Project, Rank, SandboxRules, Session, Stay, Waits};

use super::choosing::Words;
use super::presets::{Chosen, tools};
use crate::error::overdrawn;
use crate::{Caller, Handle, Result, Service};

const NOUN: &str = "Mission";

impl Handle<DispatchMission> for Service {
    async fn handle(&self, caller: &Caller, op: DispatchMission) -> Result<Dispatched> {
        let member = caller.member()?;
        let mission = self.mission(member, &op.mission, NOUN).await?;
        self.no_wider_start(member, &mission, &op, &chosen(&self.settings(), &mission, &op)?).await?;
        self.afford(&mission, &op)?;
        let project = self.project_of(&mission).await?;
        let inherited = match &op.inherit {
            Some(session) => Some(self.session(member, session).await?),
            None => None,
        };
        let sandbox = self.walls_for_start(member, project.as_ref(), &mission, op.sandbox()).await?;
        let order = Order { sandbox, ..self.order(&mission, project.as_ref(), &op, inherited.as_ref()).await? };
        let stamp = self.stamp(member, &mission.team);
        let new = NewSession {
            project: mission.project.clone(),
            mission: Some(mission.id.clone()),
            ..NewSession::new(mission.team.clone(), order)
        };
        match self.sessions.spawn(new, &stamp).await {
            Ok(session) => Ok(Dispatched {
                model: shown_model(&session.order.agent, session.order.model),
                session_id: Some(session.id),
                status: MissionStatus::Running,
            }),
            Err(sessions::Error::Refused(full @ Refusal::Full { .. })) => self.wait_its_turn(member, &op, full).await,
            Err(error) => Err(error.into()),
        }
    }
}

impl Handle<ResumeMission> for Service {
    async fn handle(&self, caller: &Caller, op: ResumeMission) -> Result<Resumed> {
        let (member, op) = (caller.member()?, DispatchMission::from(op));
        let mission = self.mission(member, &op.mission, NOUN).await?;
        super::stating::not_held(&mission)?;
        let stamp = self.stamp(member, &mission.team);
        let last = self.last_session(&mission).await?;
        self.same_agent(&op, &last)?;
        self.context_mode(&op, &last.order.agent)?;
        self.no_wider_start(member, &mission, &op, &chosen_again(&op, &last)).await?;
        self.afford(&mission, &op)?;
        if let Some(over) = self.sessions.overdrawn(&unlimited(&mission)).await? {
            return Err(overdrawn(&over).into());
        }
        let project = self.project_of(&mission).await?;
        let said = self.walls_for_start(member, project.as_ref(), &mission, op.sandbox()).await?;
        // What is not said is as it was.
        let sandbox = (!said.is_default()).then_some(said);
        let session = if op.fork_session {
            let prompt = self.prompt(&mission, project.as_ref()).await?;
            self.sessions.fork(&last.id, prompt, None, &stamp).await?
        } else {
            let prompt = self.prompt_again(&mission, project.as_ref()).await?;
            self.sessions
                .resume(&last.id, Asked { prompt, sandbox, ..self.asked(&op, &mission, &last) }, &stamp)
                .await?
        };
        Ok(Resumed { session_id: session.id, status: SessionStatus::Running, resumed: true })
    }
}

impl Service {
    pub(crate) async fn project_of(&self, mission: &Mission) -> Result<Option<Project>> {
        match &mission.project {
            Some(project) => Ok(self.store.get::<Project>(project).await?),
            None => Ok(None),
        }
    }

    /// Finds the mission's newest session that had a conversation.
    async fn last_session(&self, mission: &Mission) -> Result<Session> {
        let query = Query::latest(by::session::mission(&mission.id), super::LIST_MAX);
        let found = self.store.list::<Session>(query).await?.records;
        found.into_iter().find(|session| session.conversation.is_some()).ok_or_else(|| {
            Error::new(Code::SESSION_NOT_RESUMABLE, "No resumable session found for this mission")
                .hint(format!("Start it anew: `fleet dispatch {}`.", mission.id))
                .into()
        })
    }

    /// Refuses the context mode where it cannot be had: an agent would start, and find none of its tools.
    fn context_mode(&self, options: &DispatchMission, agent: &str) -> Result<()> {
        if !options.context_mode {
            return Ok(());
        }
        if self.sessions.roster().find(agent).map_err(sessions::Error::from)?.capabilities().mcp == McpForm::None {
            let message = format!("context_mode: agent `{agent}` takes no MCP servers");
            return Err(Error::new(Code::AGENT_INCAPABLE, message).hint("Leave it out, or name another agent.").into());
        }
        let settings = self.settings();
        let program = settings.context_mode_cmd.split_whitespace().next().unwrap_or_default();
        if self.sessions.program(program).is_none() {
            let message = format!("context_mode: there is no program `{program}` on the server's machine");
            let hint =
                "Install it (`npm install -g context-mode`), or name it: `fleet config set context_mode_cmd=PATH`.";
            return Err(Error::new(Code::FIELDS_INVALID, message).hint(hint).into());
        }
        if options.fork_session {
            let message = "context_mode and fork_session: a copy has what the session it is of had";
            return Err(Error::new(Code::FIELDS_INVALID, message).hint("Name one of them.").into());
        }
        Ok(())
    }

    /// Refuses to go on with a conversation under another agent than the one that had it.
    fn same_agent(&self, options: &DispatchMission, last: &Session) -> Result<()> {
        let DispatchMission { agent, coder, executor, .. } = options.clone();
        match self.known_agent(Words { agent, coder, executor })? {
            Some(named) if named != last.order.agent => {
                let message = format!("session `{}` is one of agent `{}`, not `{named}`", last.id, last.order.agent);
                Err(Error::new(Code::AGENT_INCAPABLE, message)
                    .hint(format!("Start anew with the other: `fleet dispatch {} --agent {named}`.", options.mission))
                    .into())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses a mission whose own budget is used up; a ceiling that is named for this session alone takes its place.
    fn afford(&self, mission: &Mission, options: &DispatchMission) -> Result<()> {
        let Limits { turns_max, dollars_max, .. } = mission.limits;
        let limits = Limits {
            turns_max: turns_max.filter(|_| options.max_turns.is_none()),
            dollars_max: dollars_max.filter(|_| options.max_budget_usd.is_none()),
            ..mission.limits
        };
        let own = sessions::own_budget(&Mission { limits, ..mission.clone() });
        match own.and_then(|budget| budget.overdrawn(self.clock.now())) {
            Some(over) => Err(overdrawn(&over).into()),
            None => Ok(()),
        }
    }

    /// Says what a session that is taken up again may spend beside what it has: what is left of its mission's.
    fn asked(&self, options: &DispatchMission, mission: &Mission, last: &Session) -> Asked {
        let limits = self.limits(mission, options);
        let (spent, set) = (last.booked, limits != Limits::default());
        let turns = u32::try_from(spent.turns).unwrap_or(u32::MAX);
        Asked {
            prompt: None,
            model: options.model.clone(),
            system_prompt: options.append_system_prompt.clone(),
            limits: set.then(|| Limits {
                turns_max: limits.turns_max.map(|most| most.saturating_add(turns)),
                dollars_max: limits.dollars_max.map(|most| most + spent.cost.dollars()),
                tokens_max: limits.tokens_max.map(|most| most.saturating_add(spent.tokens)),
                secs_max: limits.secs_max.map(|most| most.saturating_add(spent.secs)),
            }),
            allowed_tools: options.allowed_tools.clone(),
            context_mode: options.context_mode,
            sandbox: None,
        }
    }

    /// Returns the ceilings of a mission's next session: those named for it alone, else what is left of the mission's.
    fn limits(&self, mission: &Mission, options: &DispatchMission) -> Limits {
        let left = sessions::own_budget(mission).map_or(mission.limits, |budget| budget.left(self.clock.now()));
        Limits {
            turns_max: options.max_turns.or(left.turns_max),
            dollars_max: options.max_budget_usd.or(left.dollars_max),
            ..left
        }
    }

    pub(crate) async fn order(
        &self,
        mission: &Mission,
        project: Option<&Project>,
        options: &DispatchMission,
        inherited: Option<&Session>,
    ) -> Result<Order> {
        let folder = match project {
            Some(project) => project.path.clone(),
            None => self.facts.working_dir.to_string_lossy().into_owned(),
        };
        let place = place(folder, options, inherited)?;
        let settings = self.settings();
        let choice = self.choice(mission, project, options)?;
        self.context_mode(options, &choice.agent.value)?;
        let chosen = chosen(&self.settings(), mission, options)?;
        Ok(Order {
            agent: choice.agent.value,
            model: choice.model.value,
            title: Some(mission.title.clone()),
            prompt: self.prompt(mission, project).await?,
            again: None,
            system_prompt: reports::system_prompt(project, options.append_system_prompt.as_deref()),
            allowed_tools: chosen.tools,
            preset: chosen.preset,
            limits: self.limits(mission, options),
            place,
            stay: Stay::UntilDone,
            retries_max: retries(mission, options),
            waits: waits(options, &settings),
            context_mode: options.context_mode,
            sandbox: SandboxRules::default(),
            rank: Rank::default(),
        })
    }
}

/// Chooses the tools of a mission's next session.
fn chosen(settings: &config::Settings, mission: &Mission, options: &DispatchMission) -> Result<Chosen> {
    tools(settings, mission, options.allowed_tools.clone(), options.tool_preset.as_deref())
}

/// The tools of a session that is taken up again: those asked for, else those it had.
fn chosen_again(options: &DispatchMission, last: &Session) -> Chosen {
    let had = || Chosen { preset: last.order.preset.clone(), tools: last.order.allowed_tools.clone() };
    options.allowed_tools.clone().map_or_else(had, |tools| Chosen { preset: None, tools: Some(tools) })
}

/// Where to work: in place if that was said, where another session's branch stands, or from a base.
fn place(folder: String, options: &DispatchMission, inherited: Option<&Session>) -> Result<Place> {
    let one_of = [options.in_place, options.base.is_some(), inherited.is_some()];
    if one_of.into_iter().filter(|asked| *asked).count() > 1 {
        let message = "in_place, base and inherit: name one of them";
        return Err(Error::new(Code::FIELDS_INVALID, message).into());
    }
    let Some(inherited) = inherited else {
        let base = options.base.clone();
        return Ok(if options.in_place { Place::InPlace { folder } } else { Place::Worktree { folder, base } });
    };
    let tree = inherited.workspace.as_ref().and_then(|workspace| workspace.worktree.as_ref());
    match tree {
        Some(tree) => Ok(Place::Inherit { folder, branch: tree.branch.clone() }),
        None => Err(Error::new(Code::WORKSPACE_REFUSED, format!("session `{}` has no branch", inherited.id))
            .hint("Inherit from a session that works in a worktree.")
            .into()),
    }
}

/// A mission that shall not be tried again by itself is not.
fn retries(mission: &Mission, options: &DispatchMission) -> Option<u32> {
    let own = if mission.retry.automatic { mission.retry.times_max } else { 0 };
    Some(options.max_retries.unwrap_or(own))
}

fn waits(options: &DispatchMission, settings: &config::Settings) -> Option<Waits> {
    if options.retry_initial_delay.is_none() && options.retry_max_delay.is_none() {
        return None;
    }
    let millis = |asked: Option<f64>, own: u32| asked.map_or(u64::from(own) * 1_000, |secs| (secs * 1_000.0) as u64);
    let first_ms = millis(options.retry_initial_delay, settings.retry_first_delay_secs);
    let longest_ms = millis(options.retry_max_delay, settings.retry_longest_delay_secs).max(first_ms);
    Some(Waits { first_ms, longest_ms })
}

/// The mission as far as others' budgets concern it.
fn unlimited(mission: &Mission) -> Mission {
    Mission { limits: Limits::default(), ..mission.clone() }
}
