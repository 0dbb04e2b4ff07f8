//! The agents that Fleet can run, looked over and tried.

use std::time::Duration;

use agents::{Capabilities, McpForm, PermissionHook};
use api::fleet::{AgentAbilities, AgentRow, ListAgents, LoginState, TestAgent, TestedAgent};
use api::{Code, Error, Listing};
use futures::future::try_join_all;
use sessions::{Examined, Login, NewSession, Unready};
use tokens::Member;
use types::{Limits, Order, Place, Rank, Session, SessionEnding, SessionState, Stay};

use crate::{Caller, Handle, Result, Service};

/// What an agent that is tried is asked.
const TASK: &str = "Reply with the single word ok. Use no tool.";

/// How long it may take for that.
const PATIENCE: Duration = Duration::from_secs(180);

impl Handle<ListAgents> for Service {
    async fn handle(&self, _: &Caller, _: ListAgents) -> Result<Listing<AgentRow>> {
        let agent_registry = self.sessions.agent_registry();
        let rows = try_join_all(agent_registry.names().map(|name| self.agent_row(name))).await?;
        Ok(Listing::whole(rows))
    }
}

impl Handle<TestAgent> for Service {
    async fn handle(&self, caller: &Caller, op: TestAgent) -> Result<TestedAgent> {
        let member = caller.member()?;
        self.runner.check_agent(&op.agent)?;
        usable(&self.agent_row(&op.agent).await?)?;
        self.try_unknown_calls(&op.agent).await?;
        let agent = self.agent_row(&op.agent).await?;
        if !op.live {
            return Ok(TestedAgent { agent, session_id: None, said: None, total_cost_usd: None });
        }
        let session = self.try_out(member, &op.agent).await?;
        let said = spoken(&session)?;
        let cost = session.spending.spent.cost.dollars();
        Ok(TestedAgent { agent, session_id: Some(session.id), said: Some(said), total_cost_usd: Some(cost) })
    }
}

impl Service {
    /// Refuses an agent that cannot work, where that shows at once: better than a session that fails a second after
    /// the answer that it runs.
    pub(super) fn check_ready(&self, agent: &str) -> Result<()> {
        match self.sessions.unready(agent)? {
            Some(unready) => Err(refused(agent, unready).into()),
            None => Ok(()),
        }
    }

    pub(super) async fn agent_row(&self, name: &str) -> Result<AgentRow> {
        let Examined { name, wanted, program, version, login, login_command, protocol, capabilities } =
            self.sessions.examine(name).await?;
        let settings = self.settings();
        let calls = self.calls(&name)?;
        Ok(AgentRow {
            calls: calls.state,
            calls_note: calls.note,
            calls_tried_at: calls.tried_at,
            found: program.is_some(),
            version: version.unwrap_or_else(|why| why),
            login: match login {
                Login::Yes => LoginState::Yes,
                Login::No => LoginState::No,
                Login::NotNeeded => LoginState::NotNeeded,
                Login::Unknown => LoginState::Unknown,
            },
            login_command,
            protocol,
            model: settings.model_of(&name).map(str::to_owned),
            default: name == settings.default_agent,
            program: program.map_or(wanted, |path| path.to_string_lossy().into_owned()),
            account: self.sessions.agent_registry().account(&name),
            capabilities: abilities(&capabilities),
            name,
        })
    }

    /// Lets an agent do one real turn, as a session like any other: in an empty folder, and with no tool allowed.
    async fn try_out(&self, member: &Member, agent: &str) -> Result<Session> {
        let folder = self.sessions.trial_folder().await?.to_string_lossy().into_owned();
        let order = Order {
            agent: agent.to_owned(),
            model: self.settings().model_of(agent).map(str::to_owned),
            title: Some(format!("Try {agent}")),
            prompt: TASK.to_owned(),
            again: None,
            system_prompt: None,
            allowed_tools: Some(Vec::new()),
            preset: None,
            limits: Limits { turns_max: Some(2), secs_max: Some(PATIENCE.as_secs()), ..Limits::default() },
            place: Place::InPlace { folder },
            stay: Stay::UntilDone,
            retries_max: Some(0),
            waits: None,
            context_mode: false,
            args: Vec::new(),
            sandbox: types::SandboxRules::default(),
            rank: Rank::default(),
        };
        let stamp = self.stamp(member, &member.team);
        let begun = self.sessions.spawn(NewSession::new(member.team.clone(), order), &stamp).await?;
        if let Some(mut live) = self.sessions.watch(&begun.id) {
            let over = live.wait_for(|live| !live.session.state.is_live());
            if self.clock.timeout(PATIENCE, over).await.is_err() {
                self.sessions.stop(&begun.id, &member.handle).await?;
            }
        }
        Ok(self.sessions.get(&begun.id).await?)
    }
}

fn abilities(of: &Capabilities) -> AgentAbilities {
    AgentAbilities {
        resume: of.resume,
        fork: of.fork,
        live_input: of.live_input,
        mcp: of.mcp != McpForm::None,
        asks: of.permission_hook != PermissionHook::None,
        turns_limit: of.turns_flag,
        budget_limit: of.budget_flag,
    }
}

fn usable(agent: &AgentRow) -> Result<()> {
    let unready = match agent {
        AgentRow { found: false, program, .. } => Unready::NoProgram { wanted: program.clone() },
        AgentRow { login: LoginState::No, login_command, .. } => {
            Unready::NotLoggedIn { login_command: login_command.clone() }
        }
        _ => return Ok(()),
    };
    Err(refused(&agent.name, unready).into())
}

fn refused(name: &str, unready: Unready) -> Error {
    let (message, hint) = match unready {
        Unready::NoProgram { wanted } => (
            format!("agent `{name}` is not installed: no program `{wanted}` is found"),
            format!(
                "Install it, or choose one that `fleet agent list` shows as found: `--agent NAME`. If it is installed \
                 elsewhere, set `binary` in `[agents.{name}]` of `runtime.toml`."
            ),
        ),
        Unready::NotLoggedIn { login_command } => {
            let command = login_command
                .map_or_else(|| "Log in with its own command".to_owned(), |command| format!("Log in: `{command}`"));
            (
                format!("agent `{name}` is installed, and not logged in"),
                format!("{command}, as the user that the server runs as, or set its key in the environment."),
            )
        }
    };
    Error::new(Code::AGENT_UNREADY, message).hint(hint)
}

/// Returns what an agent that was tried said, or why it said nothing.
fn spoken(session: &Session) -> Result<String> {
    let why = match &session.state {
        SessionState::Ended { ending: SessionEnding::Completed { text }, .. } => return Ok(text.clone()),
        SessionState::Ended { ending: SessionEnding::Failed { text, .. }, .. } => text.clone(),
        SessionState::Ended { ending: SessionEnding::Cancelled { .. }, .. } => {
            format!("it was not through after {} seconds", PATIENCE.as_secs())
        }
        SessionState::Waiting { .. } => {
            session.trouble.as_ref().map_or_else(|| "it waits".to_owned(), |trouble| trouble.text.clone())
        }
        SessionState::Starting { .. } | SessionState::Running { .. } | SessionState::Stopping { .. } => {
            "it does not end".to_owned()
        }
    };
    let message = format!("agent `{}` was tried, and failed: {why}", session.order.agent);
    Err(Error::new(Code::AGENT_UNREADY, message)
        .hint(format!("Look at it: `fleet session show {}`.", session.id))
        .into())
}
