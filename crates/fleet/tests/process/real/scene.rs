//! A server whose one agent is the real one and talks to a model that the test scripts.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use agents::claude::Claude;
use agents::codex::Codex;
use agents::gemini::Gemini;
use agents::{Adapter, Setup};
use api::claude_fleet::CreatePolicy;
use api::devfleet::{CreateMission, SessionRow, SessionStatus};
use rustix::fs::{Access, access};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::model::{ModelServer, Script};
use testkit::{Cli, Launch};
use types::{MissionId, RuleId, SessionId};

use super::unhooked;
use crate::FLEET;
use crate::sessions::{Work, git};

/// Dollars for a million tokens, for agents that tell no cost.
pub(crate) const INPUT_PRICE: f64 = 2.0;
pub(crate) const OUTPUT_PRICE: f64 = 10.0;
pub(crate) const CACHED_PRICE: f64 = 0.5;

/// Why rules are there.
pub(crate) const RULE: &str = "such calls are looked at";

/// A preset that can do one thing.
pub(crate) const TOUCH: &str = "touch";

/// What is said of the agent beside what all scenes say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wish<'a> {
    /// More of its environment; a variable without a value is taken away.
    pub(crate) environment: &'a [(&'a str, &'a str)],
    /// How it is spoken with, where that is not the usual way.
    pub(crate) protocol: Option<&'a str>,
    /// Whether its calls are not submitted to the permission check.
    pub(crate) unhooked: bool,
    /// Whether Codex runs without its own sandbox, also where Fleet's is off.
    pub(crate) free: bool,
    /// Variables of the server.
    pub(crate) settings: &'a [(&'a str, &'a str)],
}

pub(crate) struct Scene {
    pub(crate) cli: Cli,
    pub(crate) work: Work,
    pub(crate) model: ModelServer,
    _folder: TempDir,
}

impl Scene {
    pub(crate) async fn new(cli: Cli, script: Script) -> Self {
        Self::with(cli, script, Wish::default()).await
    }

    /// Starts a server whose agent is as wished for.
    pub(crate) async fn with(cli: Cli, script: Script, wish: Wish<'_>) -> Self {
        let folder = folder();
        let model = ModelServer::start(script).await;
        let home = folder.path().join("fleet");
        furnish(cli, model.url(), folder.path(), &home, wish);
        let launch = Launch::at(FLEET, home).env("FLEET_STOP_GRACE_SECS", 1).env("DEVFLEET_RETRY_INITIAL_DELAY", 0);
        let launch = launch.env("GIT_CONFIG_NOSYSTEM", 1).env("LANG", "C.UTF-8");
        let launch = wish.settings.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        Self { cli, work: Work::begin(launch).await, model, _folder: folder }
    }

    /// States a mission and gives it to the agent; `more` adds to what is said of the dispatch.
    pub(crate) async fn run(&self, prompt: &str, more: Value) -> (MissionId, SessionId) {
        self.run_as("implement", prompt, more).await
    }

    /// Gives the agent something to do of which no commit is due, though it might make one.
    pub(crate) async fn look_around(&self, prompt: &str) -> (MissionId, SessionId) {
        self.run_as("explore", prompt, json!({ "tool_preset": "implement" })).await
    }

    pub(crate) async fn run_as(&self, kind: &str, prompt: &str, more: Value) -> (MissionId, SessionId) {
        let input = json!({
            "project_id": self.work.project, "title": "Work", "detailed_prompt": prompt, "mission_type": kind,
        });
        let mission = self.work.call::<CreateMission>(input).await.unwrap().id;
        let mut asked = json!({ "agent": self.cli.name() });
        asked.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let session = self.work.dispatch(&mission, asked).await.unwrap();
        (mission, session)
    }

    /// Waits for the end of a session, which must be a good one.
    pub(crate) async fn completed(&self, session: &SessionId) -> SessionRow {
        let ended = self.work.server().session_ended(session).await.session;
        let asked = self.model.everything();
        let log = self.work.server().log().text();
        assert_eq!(ended.status, SessionStatus::Completed, "{ended:#?}\nrequests: {asked:#?}\n{log}");
        ended
    }

    /// Makes a rule about commands.
    pub(crate) async fn rule(&self, decision: &str, command: &str) -> RuleId {
        let rule = json!({
            "name": "commands", "decision": decision, "tool": "Bash", "command": command, "reason": RULE, "teamName": "default",
        });
        self.work.call::<CreatePolicy>(rule).await.unwrap().id
    }

    /// Returns what there is in the end on the branch of a session.
    pub(crate) fn files(&self, ended: &SessionRow) -> Vec<String> {
        let branch = ended.branch.as_deref().unwrap();
        let names = git(&self.work.repository, &["ls-tree", "-r", "--name-only", branch]);
        names.lines().map(str::to_owned).collect()
    }

    /// Returns what the model was told last of a call; agents add to the ids of calls.
    pub(crate) fn told(&self, call: &str) -> String {
        let last = self.model.requests().pop().expect("nothing was asked");
        let result = last.results().iter().find(|(id, _)| id.contains(call)).map(|(_, text)| text.clone());
        result.unwrap_or_else(|| panic!("nothing was told of {call}: {:#?}", last.results()))
    }
}

/// Makes a folder that is not world-writable: an agent that finds its settings in such a place ignores them.
///
/// A checkout may lie below one, such as `/tmp`; then there are other places on a machine that tests own.
fn folder() -> TempDir {
    let places = [env!("CARGO_TARGET_TMPDIR"), "/opt", "/var/lib"];
    let trusted = |place: &PathBuf| place.ancestors().all(|above| mode(above).is_some_and(|mode| mode & 0o002 == 0));
    let real = places.iter().filter_map(|place| {
        let _ = std::fs::create_dir_all(place);
        Path::new(place).canonicalize().ok()
    });
    let place = real.filter(trusted).find(|place| access(place, Access::WRITE_OK).is_ok());
    testkit::folder_in(&place.expect("a folder that only we can write to"))
}

fn mode(path: &Path) -> Option<u32> {
    std::fs::metadata(path).ok().map(|metadata| metadata.permissions().mode())
}

fn adapter(cli: Cli, setup: Setup) -> Box<dyn Adapter> {
    match cli {
        Cli::Claude => Box::new(Claude::new(setup)),
        Cli::Codex => Box::new(Codex::new(setup)),
        Cli::Gemini => Box::new(Gemini::new(setup)),
    }
}

/// Writes what a person would: settings that name the program and its model, and what the agent wants in its home.
fn furnish(cli: Cli, url: &str, user: &Path, home: &Path, wish: Wish<'_>) {
    let scripted = adapter(cli, Setup::default()).scripted(url).expect("every agent here can be scripted");
    let mut env: BTreeMap<String, String> = scripted.env;
    for (name, value) in wish.environment {
        match value.is_empty() {
            true => env.remove(*name),
            false => env.insert((*name).to_owned(), (*value).to_owned()),
        };
    }
    let binary = match (wish.unhooked, wish.free) {
        (true, _) => unhooked::program(cli, user),
        (false, true) => unhooked::codex_without_sandbox(user),
        (false, false) => cli.binary(),
    };
    let mut setup = json!({ "binary": binary, "env": env, "args": scripted.args });
    if let Some(protocol) = wish.protocol {
        setup["protocol"] = json!(protocol);
    }
    let price = json!({ "input": INPUT_PRICE, "output": OUTPUT_PRICE, "cache_read": CACHED_PRICE });
    match cli {
        Cli::Claude => {}
        Cli::Codex => (setup["model"], setup["prices"]) = (json!("gpt-5.5"), json!({ "*": price })),
        Cli::Gemini => (setup["model"], setup["prices"]) = (json!("gemini-3.8-flash"), json!({ "*": price })),
    }
    let presets = json!({ TOUCH: { "tools": ["Read", "Bash(touch *)", "Bash(expr *)"] } });
    // Where the agent is that another program starts.
    let read = if wish.unhooked { unhooked::packages(cli).display().to_string() } else { String::new() };
    let settings = json!({ "sandbox_read": read, "agents": { cli.name(): setup }, "presets": presets });
    let settings = toml::to_string(&settings).unwrap();
    write(&home.join("runtime.toml"), &settings);
    for file in scripted.files {
        write(&user.join(file.path), &file.text);
    }
}

#[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
pub(crate) fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
