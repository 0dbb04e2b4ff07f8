//! A whole application over an engine in memory, with a stopped clock and replayed random numbers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use api::claude_fleet::Authenticate;
use api::devfleet::ProjectRow;
use api::{Error, Operation};
use config::{Environment, Home, Overrides, Settings};
use kv::{Engine, MemEngine};
use runtime::{Clock, Rng, Tree};
use serde_json::{Map, Value, json};
use service::{Answer, Caller, Facts, Given, Registry, Service};
use sessions::SessionManager;
use store::{Position, Stamp, Store};
use supervisor::{Supervisor, Watcher};
use tempfile::TempDir;
use tokens::{Keys, Member};
use tokio::sync::watch;
use types::{Handle, ProjectId, Role, TeamName, Timestamp};
use workspaces::Workspaces;

/// When every test begins: 2026-01-02 03:04:05 UTC.
pub const START: Timestamp = Timestamp::constant(1_767_323_045, 0);

/// The key that signs the tokens of every test.
/// What shims would be. Not the program of the tests: it would take the words of a shim for names of tests, and run those.
const NO_PROGRAM: &str = "/no/such/program";
const KEY: &[u8] = b"the local key of every test here";

/// Made once: it holds no state but schemas, which take longer to prepare than most tests to run.
static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| Arc::new(Registry::new()));

/// Returns every operation and every tool.
pub fn bindings() -> impl Iterator<Item = &'static service::Binding> {
    REGISTRY.bindings()
}

/// An application without a surface.
#[derive(Debug)]
pub struct Fleet {
    /// The application.
    pub service: Arc<Service>,
    /// Its operations.
    pub registry: Arc<Registry>,
    /// Its time, which moves when a test says so.
    pub clock: Clock,
    /// The keys that sign its tokens.
    pub keys: Keys,
    /// Where its tasks run.
    pub tree: Tree,
    settings: watch::Sender<Arc<Settings>>,
    home: TempDir,
}

/// Starts an empty fleet in memory.
///
/// # Panics
/// When the system has no room for a temporary folder.
pub async fn fleet() -> Fleet {
    Fleet::over(Arc::new(MemEngine::new()), 1).await
}

impl Fleet {
    /// Starts a fleet over an engine, which may hold what an earlier one left; the seed decides which ids it draws.
    ///
    /// # Panics
    /// When the engine cannot be opened.
    pub async fn over(engine: Arc<dyn Engine>, seed: u64) -> Self {
        let home = tempfile::tempdir().unwrap();
        let loaded = config::load(&Home::at(home.path()), &Environment::default(), &Overrides::new()).unwrap();
        // Only a test answers here, and only a test moves the clock.
        let settings = Settings { question_wait_secs: 0, ..loaded.settings };
        let (settings, receiver) = watch::channel(Arc::new(settings));
        let clock = Clock::manual(START);
        let store = Store::open(engine, store::Options { writer: "test".to_owned(), seed }).await.unwrap();
        let rng = Rng::seeded(seed);
        let tree = Tree::new(clock.clone());
        let workspaces = workspaces(home.path(), &clock, &tree);
        let (supervisor, tasks) = (Supervisor::with_shim(clock.clone(), NO_PROGRAM), home.path().join("tasks"));
        let watcher = Watcher::new(&tree).unwrap();
        let sessions = SessionManager::new(sessions::Parts {
            store: store.clone(),
            clock: clock.clone(),
            rng: rng.clone(),
            tree: tree.clone(),
            hook_probes: sessions::hook_probes(home.path(), &clock, &tree, &supervisor, String::new()),
            processes: Arc::new(sessions::MachineProcesses::new(supervisor, watcher)),
            files: Arc::new(sessions::DiskFiles::open(&tree, &tasks)),
            workspaces: Arc::new(workspaces.clone()),
            settings: receiver.clone(),
            tasks,
            program: home.path().join("no-program"),
            server: None,
            keys: Arc::new(Keys::new(KEY, None)),
            environment: BTreeMap::new(),
        });
        let keys = || Keys::new(KEY, None);
        let (tasks, log) = (home.path().join("tasks"), home.path().join("server.log"));
        let outside = retention::Machine::new(sessions.clone(), workspaces.clone(), tasks, log);
        let retention = retention::Retention::new(retention::Parts {
            store: store.clone(),
            clock: clock.clone(),
            settings: receiver.clone(),
            outside: Arc::new(outside),
        });
        let parts = service::Parts {
            store,
            clock: clock.clone(),
            rng,
            settings: receiver,
            keys: keys(),
            sessions,
            workspaces,
            retention,
            facts: facts(home.path()),
        };
        let (service, registry) = (Arc::new(Service::new(parts)), Arc::clone(&REGISTRY));
        Self { service, registry, clock, keys: keys(), tree, settings, home }
    }

    /// Calls an operation by its types, through the registry as every surface does.
    ///
    /// # Errors
    /// Returns what the caller is told.
    ///
    /// # Panics
    /// When the answer does not read as the operation's output.
    pub async fn call<O: Operation>(&self, caller: &Caller, op: O) -> Result<O::Output, Error> {
        let answer = self.send(caller, O::SPEC.name, serde_json::to_value(op).unwrap()).await?;
        Ok(serde_json::from_slice(&answer.body).unwrap())
    }

    /// Calls an operation by its name with any object.
    ///
    /// # Errors
    /// Returns what the caller is told.
    ///
    /// # Panics
    /// When there is no such operation, or the input is not an object.
    pub async fn send(&self, caller: &Caller, name: &str, input: Value) -> Result<Answer, Error> {
        let Value::Object(fields) = input else { panic!("{input} is not an object") };
        self.give(caller, name, fields.into()).await
    }

    /// Calls an operation by its name with an input as a surface hands it over.
    ///
    /// # Errors
    /// Returns what the caller is told.
    ///
    /// # Panics
    /// When there is no such operation.
    pub async fn give(&self, caller: &Caller, name: &str, given: Given) -> Result<Answer, Error> {
        let binding = self.registry.find(name).unwrap_or_else(|| panic!("no operation or tool is called {name}"));
        binding.call(Arc::clone(&self.service), caller.clone(), given).await
    }

    /// Calls an operation by its name and reads the answer as JSON.
    ///
    /// # Errors
    /// Returns what the caller is told.
    ///
    /// # Panics
    /// When there is no such operation, or the answer is not JSON.
    pub async fn json(&self, caller: &Caller, name: &str, input: Value) -> Result<Value, Error> {
        let answer = self.send(caller, name, input).await?;
        Ok(serde_json::from_slice(&answer.body).unwrap())
    }

    /// Lists page by page until the end, and returns the pages.
    ///
    /// # Panics
    /// When a page is refused or is not a list.
    pub async fn pages(&self, caller: &Caller, name: &str, input: Value) -> Vec<Vec<Value>> {
        let Value::Object(mut fields) = input else { panic!("{input} is not an object") };
        let mut pages = Vec::new();
        loop {
            let answer = self.send(caller, name, Value::Object(fields.clone())).await.unwrap();
            pages.push(serde_json::from_slice(&answer.body).unwrap());
            let Some(next) = answer.next else { return pages };
            fields.insert("after".to_owned(), next.into());
        }
    }

    /// Puts a record into the store, as sessions and queues do.
    ///
    /// # Panics
    /// When there is one already.
    pub async fn insert<R: store::Record>(&self, record: &R) {
        let stamp = Stamp { at: self.clock.now(), handle: Handle::owner(), team: TeamName::default_team() };
        self.service.store().transact(&stamp, |tx| async move { tx.insert(record) }).await.unwrap();
    }

    /// Registers a member, as the owner may, and returns it as a caller.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn join(&self, team: &str, handle: &str, role: Role) -> Caller {
        let caller = crate::known(team, handle, role);
        let member = caller.member().unwrap();
        let op = Authenticate { handle: member.handle.clone(), team_name: member.team.clone(), agent_type: role };
        self.call(&crate::owner(), op).await.unwrap();
        caller
    }

    /// Adds a project in a folder of its own.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn project(&self, caller: &Caller, name: &str) -> ProjectId {
        let input = json!({ "name": name, "path": self.new_folder() });
        let answer = self.send(caller, "project_create", input).await.unwrap();
        serde_json::from_slice::<ProjectRow>(&answer.body).unwrap().id
    }

    /// States a mission and returns its id; `more` adds to what is said or replaces it.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn mission(&self, caller: &Caller, project: &ProjectId, more: Value) -> String {
        let mut input = json!({ "project_id": project, "title": "A mission", "detailed_prompt": "Do it." });
        merge(&mut input, more);
        let row = self.json(caller, "mission_create", input).await.unwrap();
        row["id"].as_str().unwrap().to_owned()
    }

    /// Gives a task to a member of the giver's team and returns its id; `more` adds to what is said or replaces it.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn task(&self, giver: &Caller, to: &str, more: Value) -> String {
        let giver_is = giver.member().unwrap();
        let (from, team) = (giver_is.uid(), &giver_is.team);
        let mut input = json!({ "fromUid": from, "toHandle": to, "teamName": team, "subject": "A task" });
        merge(&mut input, more);
        let task = self.json(giver, "task_create", input).await.unwrap();
        task["id"].as_str().unwrap().to_owned()
    }

    /// Returns an existing folder that projects can live in.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.home.path().to_owned()
    }

    /// Makes a folder for a project: no two may have the same.
    ///
    /// # Panics
    /// When the disk is full.
    #[must_use]
    pub fn new_folder(&self) -> PathBuf {
        let parent = self.home.path().join("repositories");
        std::fs::create_dir_all(&parent).unwrap();
        tempfile::tempdir_in(&parent).unwrap().keep()
    }

    /// Returns the end of the change feed: it moves with every change that is stored, and with nothing else.
    #[must_use]
    pub fn position(&self) -> Position {
        self.service.store().position()
    }

    /// Signs a token of the default lifetime for a member.
    ///
    /// # Panics
    /// When the caller has no name.
    #[must_use]
    pub fn token(&self, caller: &Caller) -> String {
        let member: &Member = caller.member().unwrap();
        self.keys.issue(member, self.clock.now(), self.service.settings().jwt_expires_in).unwrap()
    }

    /// Has a program for an agent, which would be there and does nothing.
    pub fn install(&self, agent: &str) {
        self.set(|settings| {
            let mut agents = settings.agents.as_ref().clone();
            agents.entry(agent.to_owned()).or_default().binary = Some("/bin/true".to_owned());
            settings.agents = agents.into();
        });
    }

    /// Changes the settings in force, as an edit of the file would.
    pub fn set(&self, change: impl FnOnce(&mut Settings)) {
        self.settings.send_modify(|settings| {
            let mut changed = Settings::clone(settings);
            change(&mut changed);
            *settings = Arc::new(changed);
        });
    }
}

/// A machine has few file watches to give, and a test may make many fleets: each gives its own back.
impl Drop for Fleet {
    fn drop(&mut self) {
        let tree = self.tree.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            tree.abort();
            runtime.spawn(async move { tree.shutdown(Duration::ZERO).await });
        }
    }
}

fn facts(home: &Path) -> Facts {
    Facts {
        version: "1.2.3".to_owned(),
        persistence: "memory".to_owned(),
        database: "fleet.db".to_owned(),
        projects_dir: home.join("projects"),
        working_dir: home.to_owned(),
        started_at: START,
        home: None,
        user_home: None,
    }
}

fn workspaces(home: &Path, clock: &Clock, tree: &Tree) -> Workspaces {
    let options = workspaces::Options::new(home.join("worktrees"), []);
    let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
    let variables = [("PATH", path), ("HOME", home.to_string_lossy().into_owned())];
    let git = git::Git::new(git::Environment::from_variables(variables), clock.clone());
    Workspaces::new(options, git, clock.clone(), tree.clone())
}

fn merge(input: &mut Value, more: Value) {
    let more: Map<String, Value> = serde_json::from_value(more).unwrap();
    input.as_object_mut().unwrap().extend(more);
}
