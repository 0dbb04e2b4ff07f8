//! Whether Fleet, its agents and git are there, and how to choose an executor, as a client that runs workers asks.

use std::path::Path;

use agents::Capabilities;
use api::codefleet::{AuthStatus, CheckHealth, ExecutorNote, ExecutorNotes, GetExecutorGuide, HealthReport};
use api::fleet::AgentRow;
use futures::future::try_join3;
use sessions::Unready;

use crate::{Caller, Handle, Result, Service};

const APP: &str = "fleet";

/// How it is found out whether an agent is logged in.
const AUTH_CHECK: &str = "agent";

const AUTH_NOTE: &str = "`unknown` means that only a real turn shows it: `fleet agent test claude --live`.";

/// How to choose an executor, as far as Fleet can know: it measures no models.
const RULES: [&str; 4] = [
    "Leave `executor` out to use the one that the settings name.",
    "Let another executor review than the one that did the work.",
    "Name `model` only to have another than the settings name; every model that the executor's program takes is taken.",
    "Ask healthcheck which executors are there and logged in.",
];

impl Handle<CheckHealth> for Service {
    async fn handle(&self, caller: &Caller, _: CheckHealth) -> Result<HealthReport> {
        let is_agent = matches!(caller, Caller::Known(member) if member.session.is_some());
        let [codex, gemini, claude] = ["codex", "gemini", "claude"].map(|name| self.executor_health(name, is_agent));
        let (codex, gemini, claude) = try_join3(codex, gemini, claude).await?;
        let git = self.sessions.program("git");
        let settings = self.settings();
        let agents = self.sessions.agent_registry();
        let is_there = |name: &str| self.sessions.unready(name).is_ok_and(|unready| unready.is_none());
        let has_agent = agents.names().any(is_there);
        let shown = |path: &Path| path.to_string_lossy().into_owned();
        Ok(HealthReport {
            ok: git.is_some() && has_agent,
            app: APP.to_owned(),
            version: self.facts.version.clone(),
            db_path: self.facts.database.clone(),
            base_dir: self.facts.home.as_ref().map(|home| shown(home.path())),
            codex_found: codex.found,
            codex_path: codex.path,
            codex_version: codex.version,
            codex_auth_status: codex.auth,
            gemini_found: gemini.found,
            gemini_path: gemini.path,
            gemini_version: gemini.version,
            gemini_auth_status: gemini.auth,
            claude_found: claude.found,
            claude_path: claude.path,
            claude_version: claude.version,
            claude_auth_status: claude.auth,
            auth_check_mode: AUTH_CHECK.to_owned(),
            claude_auth_note: AUTH_NOTE.to_owned(),
            git_found: git.is_some(),
            git_path: git.as_deref().map(shown),
            default_model: codex.model,
            default_gemini_model: gemini.model,
            default_claude_model: claude.model,
            default_executor: settings.default_agent.clone(),
            max_spawn_depth: settings.max_spawn_depth,
            heartbeat_interval: settings.degraded_after_secs,
            supported_models: agents.names().map(|name| (name.to_owned(), settings.models_of(name))).collect(),
        })
    }
}

impl Handle<GetExecutorGuide> for Service {
    async fn handle(&self, _: &Caller, _: GetExecutorGuide) -> Result<ExecutorNotes> {
        Ok(ExecutorNotes {
            codex: self.executor_note("codex")?,
            gemini: self.executor_note("gemini")?,
            claude: self.executor_note("claude")?,
            routing_rules: RULES.map(str::to_owned).into(),
        })
    }
}

/// What is known of an executor.
struct ExecutorHealth {
    found: bool,
    path: Option<String>,
    version: Option<String>,
    auth: AuthStatus,
    model: Option<String>,
}

impl Service {
    /// Looks an executor over. For an agent no program is run: it could have the server run them without end.
    async fn executor_health(&self, name: &str, is_agent: bool) -> Result<ExecutorHealth> {
        let model = self.settings().model_of(name).map(str::to_owned);
        if !is_agent {
            let AgentRow { found, program, version, login, .. } = self.agent_row(name).await?;
            let [path, version] = [program, version].map(|text| Some(text).filter(|_| found));
            return Ok(ExecutorHealth { found, path, version, auth: login.into(), model });
        }
        let (found, auth) = match self.sessions.unready(name)? {
            Some(Unready::NoProgram { .. }) => (false, AuthStatus::Unknown),
            Some(Unready::NotLoggedIn { .. }) => (true, AuthStatus::Missing),
            None => (true, AuthStatus::Unknown),
        };
        Ok(ExecutorHealth { found, path: None, version: None, auth, model })
    }

    fn executor_note(&self, name: &str) -> Result<ExecutorNote> {
        let adapter = self.sessions.agent_registry().find(name).map_err(sessions::Error::from)?;
        let (best_for, weaker_at) = abilities(&adapter.capabilities());
        Ok(ExecutorNote {
            model: self.settings().model_of(name).map(str::to_owned),
            best_for,
            weaker_at,
            benchmarks: "Fleet measures no models; `fleet agent list` shows what each agent can do.".to_owned(),
        })
    }
}

/// What an agent can do, and what it cannot.
fn abilities(of: &Capabilities) -> (Vec<String>, Vec<String>) {
    let known = [
        (of.resume, "continuing its conversation after a failure"),
        (of.live_input, "taking messages while it works"),
        (of.turns_flag, "keeping to a number of turns by itself"),
        (of.budget_flag, "keeping to a number of dollars by itself"),
    ];
    let (can, cannot): (Vec<_>, Vec<_>) = known.into_iter().partition(|(can, _)| *can);
    let said = |part: Vec<(bool, &str)>| part.into_iter().map(|(_, what)| what.to_owned()).collect();
    (said(can), said(cannot))
}
