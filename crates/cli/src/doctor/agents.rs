//! Whether the agents that are installed are logged in: as the server that would run them sees it, or from here if none
//! runs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::custom::Custom;
use agents::{Adapter, Brief, Discovery, VENDORS, vendor};
use api::fleet::{AgentRow, LoginState};
use config::{Environment, Home, Overrides, Settings};
use futures::future::join_all;
use runtime::Clock;

use super::probe::{self, Answer, Exit};
use super::{Finding, State};

/// What matters here of an agent that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) login: LoginState,
    pub(super) login_command: Option<String>,
}

impl From<AgentRow> for Seen {
    fn from(row: AgentRow) -> Self {
        Self { name: row.name, version: row.version, login: row.login, login_command: row.login_command }
    }
}

/// Adds to the finding of each installed agent whether it is logged in, and what to type if not; agents that only the
/// settings name get a finding of their own.
pub(super) fn add_logins(findings: &mut Vec<Finding>, agents: &[Seen]) {
    for agent in agents.iter().filter(|agent| agent.login != LoginState::NotNeeded) {
        let found = logged_in(agent);
        match findings.iter_mut().find(|finding| finding.name == agent.name) {
            Some(known) => *known = found,
            None => findings.push(found),
        }
    }
}

/// Says what to do where no agent is installed: one needs neither a program nor a key.
pub(super) fn none_installed(agents: &[Seen]) -> Option<Finding> {
    let needs_login = |agent: &Seen| agent.login != LoginState::NotNeeded;
    (!agents.iter().any(needs_login)).then(|| {
        Finding::new("agents", State::Warn, "none is installed")
            .advise("Install one of them, or try Fleet without a model: `fleet demo`, `fleet run PROMPT --agent sim`.")
    })
}

/// Looks at the agents with the settings and the environment of this command: a server started here would see the same.
pub(super) async fn look(home: &Home, environment: &Environment, clock: &Clock) -> Vec<Seen> {
    // Settings that cannot be read are a finding of their own.
    let Ok(loaded) = config::load(home, environment, &Overrides::new()) else { return Vec::new() };
    let seen =
        join_all(adapters(&loaded.settings).into_iter().map(|(name, adapter)| see(name, adapter, environment, clock)));
    seen.await.into_iter().flatten().collect()
}

fn adapters(settings: &Settings) -> Vec<(String, Arc<dyn Adapter>)> {
    let setup = |name: &str| settings.agents.get(name).cloned().unwrap_or_default();
    let known = VENDORS.into_iter().filter_map(|name| Some((name.to_owned(), vendor(name, setup(name))?)));
    let own = settings.custom.iter().map(|(name, file)| {
        let adapter: Arc<dyn Adapter> = Arc::new(Custom::new(name, Arc::clone(&file.definition), &setup(name)));
        (name.clone(), adapter)
    });
    known.chain(own).collect()
}

async fn see(name: String, adapter: Arc<dyn Adapter>, environment: &Environment, clock: &Clock) -> Option<Seen> {
    let Discovery { binary, version_args, login, login_command } = adapter.discovery()?;
    let program = probe::find(&binary, environment)?;
    let variables = variables(adapter.as_ref(), environment);
    let (version, login) = tokio::join!(
        probe::ask(&program, &version_args, &variables, clock),
        logged(&program, &login, &variables, clock),
    );
    let version = match version {
        Answer::Said(said) => said,
        Answer::Silent(why) => why,
    };
    Some(Seen { name, version, login, login_command })
}

/// Returns the environment that the agent would be run with.
fn variables(adapter: &dyn Adapter, environment: &Environment) -> BTreeMap<String, String> {
    let (pass, set) = match adapter.launch(&Brief::trial(PathBuf::from("fleet"))) {
        Ok(launch) => (launch.pass, launch.env),
        Err(_) => (["PATH", "HOME", "LANG"].map(str::to_owned).into(), BTreeMap::new()),
    };
    let passed = pass.into_iter().filter_map(|name| Some((name.clone(), environment.get(&name)?.to_owned())));
    passed.chain(set).collect()
}

async fn logged(
    program: &Path,
    check: &agents::LoginCheck,
    variables: &BTreeMap<String, String>,
    clock: &Clock,
) -> LoginState {
    let is_set = |name: &str| variables.get(name).is_some_and(|value| !value.is_empty());
    let exists = |file: &str| variables.get("HOME").is_some_and(|home| Path::new(home).join(file).exists());
    match check.look(is_set, exists) {
        agents::LoginState::Yes => LoginState::Yes,
        agents::LoginState::No => LoginState::No,
        agents::LoginState::NotNeeded => LoginState::NotNeeded,
        agents::LoginState::Unknown => LoginState::Unknown,
        agents::LoginState::Ask(arguments) => match probe::status(program, &arguments, variables, clock).await {
            Exit::Zero => LoginState::Yes,
            Exit::Other => LoginState::No,
            Exit::None => LoginState::Unknown,
        },
    }
}

fn logged_in(agent: &Seen) -> Finding {
    let (name, version) = (&agent.name, &agent.version);
    let login = agent.login_command.as_deref();
    match agent.login {
        LoginState::Yes | LoginState::NotNeeded => Finding::new(name, State::Ok, format!("{version}, logged in")),
        LoginState::No => {
            let advice = match login {
                Some(login) => format!("Log in: `{login}`."),
                None => "Log in as its documentation says.".to_owned(),
            };
            Finding::new(name, State::Warn, format!("{version}, not logged in")).advise(advice)
        }
        LoginState::Unknown => {
            let finding = Finding::new(name, State::Ok, format!("{version}, login unknown before it runs"));
            let advice = login.map(|login| format!("Try it: `fleet agent test {name}`; log in: `{login}`."));
            advice.map_or(finding.clone(), |advice| finding.advise(advice))
        }
    }
}
