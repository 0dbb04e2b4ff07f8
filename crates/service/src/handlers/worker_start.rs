//! Starting workers, and finding them by name.

use agents::Phase;
use agents::external::External;
use api::claude_fleet::{
    SessionNode, SpawnWorker, SpawnedWorker, WorkerHealth, WorkerMode, WorkerState, WorkerView, millis,
};
use api::fleet::SessionStanding;
use api::{Code, Error};
use mission_runner::tools_of_worker;
use sessions::{Live, NewSession};
use store::{Query, by};
use tokens::Member;
use types::{
    ApprovalId, Handle as Name, Limits, Order, Place, Rank, Role, SandboxRules, Session, SessionState, Stay, TeamName,
};

use super::LIST_MAX;
use super::agent_choice::meant;
use super::not_found;
use crate::{Result, Service};

impl Service {
    /// Starts a worker, which stays until it is dismissed.
    pub(super) async fn spawn_worker(&self, member: &Member, asked: SpawnWorker) -> Result<Session> {
        let team = team(member, asked.team_name.clone())?;
        let order = Order { sandbox: self.walls_for_worker(member).await?, ..self.worker_order(&asked)? };
        self.check_place(&order.place).await?;
        self.check_ready(&order.agent)?;
        let conversation = asked.session_id;
        if conversation.is_some()
            && !self.sessions.agent_registry().find(&order.agent).map_err(refusal)?.capabilities().resume
        {
            let message = format!("agent `{}` cannot continue a conversation", order.agent);
            return Err(Error::new(Code::AGENT_INCAPABLE, message).hint("Leave `sessionId` out.").into());
        }
        let stamp = self.stamp(member, &team);
        let new = NewSession { handle: Some(asked.handle), conversation, ..NewSession::new(team, order) };
        Ok(self.sessions.spawn(new, &stamp).await?)
    }

    /// Refuses a place in which an agent cannot work, with what to do; of a base that is not there, the nearest branch.
    pub(super) async fn check_place(&self, place: &Place) -> Result<()> {
        self.allowed_folder(std::path::Path::new(place.folder())).await?;
        let Err(error) = self.workspaces.check(place).await else { return Ok(()) };
        let refused = |message: String, hint: &str| Err(Error::new(Code::WORKSPACE_REFUSED, message).hint(hint).into());
        let workspaces::Error::NoBase { path, revision } = &error else {
            let hint = "Name a folder in a git repository, or work in it as it is: `inPlace`, `--in-place`.";
            return refused(error.to_string(), hint);
        };
        let branch = revision.strip_prefix("refs/heads/").unwrap_or(revision);
        let known = self.workspaces.instead_of_branch(path, branch).await;
        match known.ok().flatten() {
            Some(known) if !known.is_empty() => {
                let meant = config::closest(branch, known.iter().map(String::as_str));
                let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
                refused(format!("{error}{meant}"), "Name a branch or a commit that is there: `--base BRANCH`.")
            }
            Some(_) | None => {
                let path = path.display();
                let hint = format!("Make one: `git -C '{path}' commit --allow-empty -m start`.");
                refused(format!("cannot start from `{branch}`: `{path}` has no commit yet"), &hint)
            }
        }
    }

    fn worker_order(&self, asked: &SpawnWorker) -> Result<Order> {
        let prompt = asked.initial_prompt.clone().unwrap_or_default();
        let folder = self.folder(asked.working_dir.as_deref())?;
        let place = if asked.in_place { Place::InPlace { folder } } else { Place::Worktree { folder, base: None } };
        let settings = self.settings();
        let agent = meant(&asked.agent)?.unwrap_or_else(|| settings.default_agent.clone());
        if agent == External::NAME {
            let message = format!("agent `{agent}` is run by others and cannot be started");
            return Err(Error::new(Code::AGENT_UNKNOWN, message)
                .hint("Add it with `POST /orchestrate/workers/register`.")
                .into());
        }
        let chosen = tools_of_worker(&settings, asked.tools.clone(), asked.preset.as_deref())?;
        Ok(Order {
            model: asked.model.clone().or_else(|| settings.model_of(&agent).map(str::to_owned)),
            agent,
            title: None,
            again: (asked.session_id.is_some() && !prompt.is_empty()).then(|| prompt.clone()),
            prompt,
            system_prompt: None,
            allowed_tools: chosen.tools,
            preset: chosen.preset,
            limits: Limits {
                turns_max: asked.max_turns,
                dollars_max: asked.max_budget_usd,
                secs_max: asked.timeout_secs.map(u64::from),
                ..Limits::default()
            },
            place,
            stay: Stay::UntilDismissed,
            retries_max: None,
            waits: None,
            context_mode: false,
            args: Vec::new(),
            sandbox: SandboxRules::default(),
            rank: Rank {
                swarm: asked.swarm_id.clone(),
                depth: asked.depth_level.unwrap_or(1),
                mode: asked.spawn_mode.unwrap_or_default(),
            },
        })
    }

    /// Returns the folder that was named, which must be so by its whole path, or where the server was started.
    pub(super) fn folder(&self, named: Option<&str>) -> Result<String> {
        match named {
            Some(path) if path.starts_with('/') => Ok(path.to_owned()),
            Some(path) => Err(Error::new(Code::WORKSPACE_REFUSED, format!("`{path}` is not an absolute path"))
                .hint("The server has another current folder than you: name yours by its whole path.")
                .into()),
            None => Ok(self.facts.working_dir.to_string_lossy().into_owned()),
        }
    }

    /// Finds the live session of a worker; the owner finds those of every team.
    pub(super) async fn worker(&self, member: &Member, handle: &Name) -> Result<Session> {
        if let Some(found) = self.sessions.named(&member.team, handle).await? {
            return Ok(found);
        }
        let mut found = Vec::new();
        if member.role == Role::Owner {
            found =
                self.first(Query::earliest(by::session::live(), LIST_MAX), |s: &Session| s.handle == *handle).await?;
        }
        match (found.pop(), found.pop()) {
            (Some(one), None) => Ok(one),
            (Some(one), Some(other)) => {
                let message = format!("teams `{}` and `{}` both have a worker `{handle}`", one.team, other.team);
                let hint =
                    format!("Call with a token of its team, or by its session: `fleet session show {}`.", one.id);
                Err(Error::new(Code::ID_AMBIGUOUS, message).hint(hint).into())
            }
            (None, _) => Err(not_found::worker(handle.as_str()).into()),
        }
    }

    /// Finds the live session of a worker, or the last one that went by its name.
    pub(super) async fn last_worker(&self, member: &Member, handle: &Name) -> Result<Session> {
        let gone = match self.worker(member, handle).await {
            Err(crate::Error::Refused(error)) if error.code == Code::WORKER_NOT_FOUND => error,
            found => return found,
        };
        let own = Query::latest(by::session::handle(&member.team, handle), 1);
        if let Some(found) = self.store.list::<Session>(own).await?.records.pop() {
            return Ok(found);
        }
        let mut found = Vec::new();
        if member.role == Role::Owner {
            let page = self.store.list::<Session>(Query::latest(by::session::all(), LIST_MAX)).await?;
            found = page.records;
        }
        found.into_iter().find(|session| session.handle == *handle).ok_or_else(|| gone.into())
    }

    /// Shows a worker as it is right now.
    pub(super) fn worker_view(&self, session: &Session, asks: Option<&ApprovalId>) -> WorkerView {
        let live = self.sessions.live(&session.id);
        let session = live.as_ref().map_or(session, |live| &live.session);
        let spending = live.as_ref().map_or(session.spending, |live| live.spending);
        let (_, waits_for) = SessionStanding::of(session, asks);
        let observed = live.as_ref().and_then(|live| live.model.clone()).or_else(|| session.model.clone());
        let told = live.as_ref().and_then(|live| live.conversation.clone());
        WorkerView {
            id: session.id.clone(),
            handle: session.handle.clone(),
            team_name: session.team.clone(),
            state: state(session, live.as_ref()),
            health: live.as_ref().map_or(WorkerHealth::Healthy, |live| self.health_of(live)),
            waits_for,
            working_dir: working_dir(session),
            session_id: told.or_else(|| session.conversation.clone()),
            spawned_at: millis(session.created_at),
            current_task_id: session.mission.as_ref().map(|assignment| assignment.mission.clone()),
            restart_count: session.restarts,
            spawn_mode: mode(session),
            swarm_id: session.order.rank.swarm.clone(),
            // One that a person or a mission started is directly below the lead.
            depth_level: session.order.rank.depth.max(1),
            agent: session.order.agent.clone(),
            model: observed.or_else(|| session.order.model.clone()),
            branch: session.workspace.as_ref().and_then(|workspace| Some(workspace.worktree.as_ref()?.branch.clone())),
            pid: live.as_ref().and_then(|live| live.pid),
            total_tokens: spending.spent.tokens.plus(spending.unsettled).sum(),
            total_cost_usd: spending.spent.cost.dollars(),
            cost_unknown: !spending.has_known_cost(),
        }
    }

    pub(super) fn health_of(&self, live: &Live) -> WorkerHealth {
        match live.health(self.clock.now(), &self.settings()) {
            agents::Health::Healthy => WorkerHealth::Healthy,
            agents::Health::Degraded => WorkerHealth::Degraded,
            agents::Health::Unhealthy => WorkerHealth::Unhealthy,
        }
    }

    /// Shows a session with what it has taken until now.
    pub(super) fn session_node(&self, session: &Session) -> SessionNode {
        match self.sessions.live(&session.id) {
            Some(live) => SessionNode::of(&live.session, live.spending, live.conversation),
            None => SessionNode::of(session, session.spending, None),
        }
    }

    /// Shows a worker as its spawn is answered and told.
    #[must_use]
    pub fn spawned(&self, session: &Session) -> SpawnedWorker {
        SpawnedWorker {
            id: session.id.clone(),
            handle: session.handle.clone(),
            team_name: session.team.clone(),
            working_dir: working_dir(session),
            state: state(session, self.sessions.live(&session.id).as_ref()),
            spawned_at: millis(session.created_at),
            spawn_mode: mode(session),
            routing: None,
        }
    }
}

/// The requested team: the caller's own, unless the owner names another.
pub(super) fn team(member: &Member, named: Option<TeamName>) -> Result<TeamName> {
    match named {
        Some(team) if !member.sees(&team) => Err(Error::new(Code::NOT_A_MEMBER, "Not a member of this team")
            .hint(format!("The token belongs to team `{}`.", member.team))
            .with("team", team.as_str())
            .into()),
        Some(team) => Ok(team),
        None => Ok(member.team.clone()),
    }
}

/// The status of a worker: from its record, and while its process runs, from that.
pub(super) fn state(session: &Session, live: Option<&Live>) -> WorkerState {
    let phase = live.map_or(Phase::Starting, |live| live.phase);
    match (&session.state, phase) {
        (SessionState::Ended { .. }, _) | (SessionState::Running { .. }, Phase::Stopped) => WorkerState::Stopped,
        (SessionState::Stopping { .. }, _) | (SessionState::Running { .. }, Phase::Stopping) => WorkerState::Stopping,
        // Agents that others run are up when they say so.
        (SessionState::Starting { .. } | SessionState::Running { .. }, Phase::Starting)
            if session.order.agent == External::NAME =>
        {
            WorkerState::Ready
        }
        (SessionState::Starting { .. } | SessionState::Waiting { .. }, _)
        | (SessionState::Running { .. }, Phase::Starting) => WorkerState::Starting,
        (SessionState::Running { .. }, Phase::Ready) => WorkerState::Ready,
        (SessionState::Running { .. }, Phase::Working) => WorkerState::Working,
    }
}

fn mode(session: &Session) -> WorkerMode {
    if session.order.agent == External::NAME { WorkerMode::External } else { session.order.rank.mode.into() }
}

fn working_dir(session: &Session) -> String {
    let made = session.workspace.as_ref().map(|workspace| workspace.path.clone());
    made.unwrap_or_else(|| session.order.place.folder().to_owned())
}

fn refusal(refusal: sessions::Refusal) -> crate::Error {
    sessions::Error::from(refusal).into()
}
