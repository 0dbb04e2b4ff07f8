//! Looking an agent over: whether its program is there, which version it is, whether it is logged in.
//!
//! Only short questions are asked, of the program itself and with the environment that it would be run with. No model
//! is called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agents::{Brief, Capabilities, Discovery, Launch, LoginCheck, LoginState};
use supervisor::{Answer, Question, ask};

use crate::manager::SessionManager;
use crate::{Error, Result};

/// The word for an agent that is read and told in its own lines.
const OWN: &str = "own";

/// The word by which Fleet's own bridge is known in a command line; the next one names the protocol.
const BRIDGE: &str = "__bridge";

/// What was found out about an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// Its name.
    pub name: String,
    /// The program that was looked for.
    pub wanted: String,
    /// Where that is; none if it is nowhere.
    pub program: Option<PathBuf>,
    /// What it says of its version.
    pub version: std::result::Result<String, String>,
    /// Whether it is logged in.
    pub login: Login,
    /// What a person types to log in, if that is known.
    pub login_command: Option<String>,
    /// How it is spoken with: the protocol of the bridge, or `own` for its own lines.
    pub protocol: String,
    /// What it can do.
    pub capabilities: Capabilities,
}

/// Whether an agent is logged in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Login {
    /// It is.
    Yes,
    /// It is not.
    No,
    /// It needs no login.
    NotNeeded,
    /// Unknown before it runs.
    Unknown,
}

/// Why an agent cannot work, as far as that shows without running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unready {
    /// Its program is nowhere.
    NoProgram {
        /// The program that was looked for.
        wanted: String,
    },
    /// It has neither a key nor the files that a login leaves.
    NotLoggedIn {
        /// What a person types to log in, if that is known.
        login_command: Option<String>,
    },
}

impl SessionManager {
    /// Returns why an agent cannot work, if a look at files and variables shows it: cheap enough for every start.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn unready(&self, agent: &str) -> Result<Option<Unready>> {
        let adapter = self.agent_registry().find(agent)?;
        let Some(Discovery { binary, login, login_command, .. }) = adapter.discovery() else { return Ok(None) };
        if self.program(&binary).is_none() {
            return Ok(Some(Unready::NoProgram { wanted: binary }));
        }
        let env = self.environment_of(adapter.launch(&Brief::trial(self.0.parts.program.clone())).ok());
        Ok(match look(&login, &env) {
            LoginState::No => Some(Unready::NotLoggedIn { login_command }),
            LoginState::Yes | LoginState::NotNeeded | LoginState::Unknown | LoginState::Ask(_) => None,
        })
    }

    /// Looks an agent over.
    ///
    /// # Errors
    /// When there is no such agent.
    pub async fn examine(&self, agent: &str) -> Result<Examined> {
        let adapter = self.agent_registry().find(agent)?;
        let launch = adapter.launch(&Brief::trial(self.0.parts.program.clone())).ok();
        let found = Examined {
            name: agent.to_owned(),
            wanted: String::new(),
            program: None,
            version: Err("it is run by others".to_owned()),
            login: Login::Unknown,
            login_command: None,
            protocol: launch.as_ref().map_or_else(|| OWN.to_owned(), protocol),
            capabilities: adapter.capabilities(),
        };
        let Some(asked) = adapter.discovery() else { return Ok(found) };
        let Discovery { binary, version_args, login, login_command } = asked;
        let found = Examined { login_command, ..found };
        let Some(path) = self.program(&binary) else {
            let version = Err("its program is not there".to_owned());
            return Ok(Examined { wanted: binary, version, ..found });
        };
        let env = self.environment_of(launch);
        let (version, login) = tokio::join!(self.version(&path, version_args, &env), self.login(&path, login, &env));
        Ok(Examined { wanted: binary, program: Some(path), version, login, ..found })
    }

    /// Makes an empty folder for an agent that is tried, in which nothing can be spoilt.
    ///
    /// # Errors
    /// When it cannot be made.
    pub async fn trial_folder(&self) -> Result<PathBuf> {
        let home = self.0.parts.tasks.parent().unwrap_or(&self.0.parts.tasks);
        let folder = home.join("trial");
        let made = tokio::fs::create_dir_all(&folder).await;
        made.map_err(|source| Error::File { what: format!("cannot make `{}`", folder.display()), source })?;
        Ok(folder)
    }

    /// Returns the environment that an agent would be run with.
    fn environment_of(&self, launch: Option<Launch>) -> BTreeMap<String, String> {
        let own = &self.0.parts.environment;
        let (pass, set) = match launch {
            Some(launch) => (launch.pass, launch.env),
            None => (["PATH", "HOME", "LANG"].map(str::to_owned).into(), BTreeMap::new()),
        };
        let passed = pass.into_iter().filter_map(|name| Some((name.clone(), own.get(&name)?.clone())));
        passed.chain(set).collect()
    }

    async fn version(
        &self,
        program: &Path,
        args: Vec<String>,
        env: &BTreeMap<String, String>,
    ) -> std::result::Result<String, String> {
        if args.is_empty() {
            return Err("it cannot be asked".to_owned());
        }
        match self.ask(program, args, env).await {
            Answer::Said { ok: true, line } => Ok(line),
            Answer::Said { ok: false, line } => Err(format!("it fails when it is asked: {line}")),
            Answer::Silent { why } => Err(why),
        }
    }

    async fn login(&self, program: &Path, check: LoginCheck, env: &BTreeMap<String, String>) -> Login {
        match look(&check, env) {
            LoginState::Yes => Login::Yes,
            LoginState::No => Login::No,
            LoginState::NotNeeded => Login::NotNeeded,
            LoginState::Unknown => Login::Unknown,
            LoginState::Ask(args) => match self.ask(program, args, env).await {
                Answer::Said { ok: true, .. } => Login::Yes,
                Answer::Said { ok: false, .. } => Login::No,
                Answer::Silent { .. } => Login::Unknown,
            },
        }
    }

    async fn ask(&self, program: &Path, args: Vec<String>, env: &BTreeMap<String, String>) -> Answer {
        let question = Question { program: program.to_owned(), args, env: env.clone() };
        ask(&question, &self.0.parts.clock).await
    }
}

fn look(check: &LoginCheck, env: &BTreeMap<String, String>) -> LoginState {
    let home = env.get("HOME").map(PathBuf::from);
    let is_set = |name: &str| env.get(name).is_some_and(|key| !key.is_empty());
    let exists = |file: &str| home.as_ref().is_some_and(|home| home.join(file).exists());
    check.look(is_set, exists)
}

fn protocol(launch: &Launch) -> String {
    match launch.argv.as_slice() {
        [_, word, protocol, ..] if word == BRIDGE => protocol.clone(),
        _ => OWN.to_owned(),
    }
}
