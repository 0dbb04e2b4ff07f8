//! Looking an agent over: whether its program is there, which version it is, whether it is logged in.
//!
//! Only short questions are asked, of the program itself and with the environment that it would be run with. No model
//! is called.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agents::{Adapter, Brief, Capabilities, Discovery, LoginCheck};
use supervisor::{Answer, Question, ask};

use crate::hub::Sessions;
use crate::{Error, Result};

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
    /// Nobody can tell before it runs.
    Unknown,
}

impl Sessions {
    /// Looks an agent over.
    ///
    /// # Errors
    /// When there is no such agent.
    pub async fn examine(&self, agent: &str) -> Result<Examined> {
        let adapter = self.roster().find(agent)?;
        let capabilities = adapter.capabilities();
        let name = agent.to_owned();
        let Some(Discovery { binary, version_args, login }) = adapter.discovery() else {
            let version = Err("it is run by others".to_owned());
            return Ok(Examined {
                name,
                wanted: String::new(),
                program: None,
                version,
                login: Login::Unknown,
                capabilities,
            });
        };
        let program = self.program(&binary);
        let Some(path) = &program else {
            let version = Err("its program is not there".to_owned());
            return Ok(Examined { name, wanted: binary, program, version, login: Login::Unknown, capabilities });
        };
        let env = self.environment_of(adapter.as_ref());
        let (version, login) = tokio::join!(self.version(path, version_args, &env), self.login(path, login, &env));
        Ok(Examined { name, wanted: binary, program, version, login, capabilities })
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
    fn environment_of(&self, adapter: &dyn Adapter) -> BTreeMap<String, String> {
        let own = &self.0.parts.environment;
        let brief = Brief { prompt: "say ok".to_owned(), cwd: PathBuf::from("/"), ..Brief::default() };
        let (pass, set) = match adapter.launch(&brief) {
            Ok(launch) => (launch.pass, launch.env),
            Err(_) => (["PATH", "HOME", "LANG"].map(str::to_owned).into(), BTreeMap::new()),
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
        let has_key = |names: &[String]| names.iter().any(|name| env.get(name).is_some_and(|key| !key.is_empty()));
        let told = |is_in: bool| if is_in { Login::Yes } else { Login::No };
        match check {
            LoginCheck::NotNeeded => Login::NotNeeded,
            LoginCheck::Unknown => Login::Unknown,
            LoginCheck::Command { env: keys, .. } if has_key(&keys) => Login::Yes,
            LoginCheck::Command { args, .. } => match self.ask(program, args, env).await {
                Answer::Said { ok, .. } => told(ok),
                Answer::Silent { .. } => Login::Unknown,
            },
            LoginCheck::Traces { env: keys, files } => {
                let home = env.get("HOME").map(PathBuf::from);
                let left = |home: PathBuf| files.iter().any(|file| home.join(file).exists());
                told(has_key(&keys) || home.is_some_and(left))
            }
        }
    }

    async fn ask(&self, program: &Path, args: Vec<String>, env: &BTreeMap<String, String>) -> Answer {
        let question = Question { program: program.to_owned(), args, env: env.clone() };
        ask(&question, &self.0.parts.clock).await
    }
}
