//! A session manager with everything around it in the test's hands.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agents::{Ending, Event, Started, TurnResult, Usage};
use config::{Environment, Home, Overrides, Settings};
use fleet_sessions::memory::{AgentScript, MemoryAgent, MemoryFiles, MemoryProcesses};
use fleet_sessions::{Live, NewSession, Parts, SessionManager};
use runtime::{Clock, Kind, Rng, Spawn, TaskFuture, Tree};
use store::{Stamp, Store};
use supervisor::{Error, Launch, Supervisor};
use tokens::Keys;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use types::{
    Handle, Limits, Mission, Order, Place, Rank, SandboxRules, Session, SessionId, SessionState, Stay, TeamName,
    Timestamp, Tokens, Wanted,
};

use crate::folders::Folders;
use crate::store_engine::Mute;

const START: i64 = 1_800_000_000;

/// How long the outcome of a test may take; no time passes but while nothing else can happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// Hands every agent that is started to the test, unless the test wants the start to fail.
#[derive(Debug)]
struct Script {
    started: mpsc::UnboundedSender<MemoryAgent>,
    failures: Mutex<VecDeque<Error>>,
}

impl AgentScript for Script {
    fn start(&self, agent: &MemoryAgent, _: &Launch) -> Result<(), Error> {
        let failure = self.failures.lock().unwrap().pop_front();
        if matches!(failure, None | Some(Error::Silent)) {
            self.started.send(agent.clone()).unwrap();
        }
        failure.map_or(Ok(()), Err)
    }
}

/// Runs tasks on tokio until the server is killed.
#[derive(Debug, Default)]
struct Killable(Mutex<Vec<AbortHandle>>);

impl Spawn for Killable {
    #[expect(clippy::disallowed_methods, reason = "the tree of a test that kills its server")]
    fn spawn(&self, task: TaskFuture) {
        self.0.lock().unwrap().push(tokio::spawn(task).abort_handle());
    }
}

pub(crate) struct World {
    pub(crate) sessions: SessionManager,
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) engine: Mute,
    pub(crate) files: MemoryFiles,
    pub(crate) folders: Arc<Folders>,
    processes: MemoryProcesses,
    settings: watch::Sender<Arc<Settings>>,
    script: Arc<Script>,
    started: mpsc::UnboundedReceiver<MemoryAgent>,
    tasks: Arc<Killable>,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(|_| {}).await
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let loaded = config::load(&Home::at("/nowhere"), &Environment::default(), &Overrides::new()).unwrap();
        let mut settings = Settings {
            sandbox: Wanted::Off,
            spool_keep_days: 0,
            spools_mb_max: 0,
            retry_first_delay_secs: 10,
            ..loaded.settings
        };
        change(&mut settings);
        let (clock, engine) = (Clock::manual(Timestamp::from_second(START).unwrap()), Mute::default());
        let (sender, started) = mpsc::unbounded_channel();
        let script = Arc::new(Script { started: sender, failures: Mutex::default() });
        let processes = MemoryProcesses::new(clock.clone(), Arc::clone(&script) as _);
        let (files, folders, settings) =
            (MemoryFiles::default(), Arc::default(), watch::Sender::new(Arc::new(settings)));
        let machine = (&clock, &engine, &processes, &files, &folders, &settings);
        let (store, sessions, tasks) = boot(machine, 1).await;
        Self { sessions, store, clock, engine, files, folders, processes, settings, script, started, tasks }
    }

    /// Kills the server, with every task wherever it is, and starts another on the same machine.
    pub(crate) async fn restart(&mut self) {
        self.kill();
        let machine = (&self.clock, &self.engine, &self.processes, &self.files, &self.folders, &self.settings);
        (self.store, self.sessions, self.tasks) = boot(machine, 2).await;
        self.sessions.take_up().await.unwrap();
    }

    pub(crate) fn kill(&self) {
        self.tasks.0.lock().unwrap().drain(..).for_each(|task| task.abort());
    }

    /// Lets the next start fail.
    pub(crate) fn fail_start(&self, error: Error) {
        self.script.failures.lock().unwrap().push_back(error);
    }

    pub(crate) fn set(&self, change: impl FnOnce(&mut Settings)) {
        let mut settings = Settings::clone(&self.settings.borrow());
        change(&mut settings);
        self.settings.send_replace(Arc::new(settings));
    }

    pub(crate) async fn begin(&self) -> Session {
        self.begin_with(|_| {}).await
    }

    pub(crate) async fn begin_with(&self, change: impl FnOnce(&mut NewSession)) -> Session {
        self.sessions.spawn(new(change), &self.stamp()).await.unwrap()
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { at: self.clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
    }

    /// Waits for the next process.
    pub(crate) async fn agent(&mut self) -> MemoryAgent {
        tokio::time::timeout(PATIENCE, self.started.recv()).await.expect("a process is started").unwrap()
    }

    /// Returns whether no process was started beside the ones that were asked for.
    pub(crate) fn no_other_process(&mut self) -> bool {
        self.started.try_recv().is_err()
    }

    /// Waits until a session is as it should be, and returns it.
    pub(crate) async fn until(&self, id: &SessionId, reached: impl Fn(&Live) -> bool) -> Session {
        let Some(mut live) = self.sessions.watch(id) else { return self.sessions.get(id).await.unwrap() };
        let reached = tokio::time::timeout(PATIENCE, live.wait_for(|live| reached(live))).await;
        let now = || self.sessions.live(id);
        let session =
            reached.unwrap_or_else(|_| panic!("it never comes to that: {:?}", now())).map(|l| l.session.clone());
        session.unwrap_or_else(|_| panic!("its task is gone"))
    }

    pub(crate) async fn until_running(&self, id: &SessionId) -> Session {
        self.until(id, |live| matches!(live.session.state, SessionState::Running { .. })).await
    }

    pub(crate) async fn until_waiting(&self, id: &SessionId) -> Session {
        self.until(id, |live| matches!(live.session.state, SessionState::Waiting { .. })).await
    }

    pub(crate) async fn until_over(&self, id: &SessionId) -> Session {
        self.until(id, |live| !live.session.state.is_live()).await;
        self.sessions.get(id).await.unwrap()
    }

    /// Lets everything happen that can happen now, then lets time pass.
    pub(crate) async fn pass(&self, secs: u64) {
        self.settle().await;
        self.clock.advance(Duration::from_secs(secs));
        self.settle().await;
    }

    /// Lets everything happen that can happen without time passing.
    pub(crate) async fn settle(&self) {
        // tidy: sleep because paused time goes on only when no task can run, so this waits for all of them
        tokio::time::sleep(Duration::from_secs(2)).await;
    }

    /// States a mission that is ready.
    pub(crate) async fn mission(&self, change: impl FnOnce(&mut missions::Statement)) -> Mission {
        let mut said = missions::Statement::new(TeamName::default_team(), "Add a cart".into(), "Add it.".into());
        said.start = types::Start::WhenReady;
        change(&mut said);
        let mission = missions::create("m-x7k2m".parse().unwrap(), said, Handle::owner(), self.clock.now());
        let stated = &mission;
        self.store.transact(&self.stamp(), |tx| async move { tx.insert(stated) }).await.unwrap();
        mission
    }
}

type Machine<'a> =
    (&'a Clock, &'a Mute, &'a MemoryProcesses, &'a MemoryFiles, &'a Arc<Folders>, &'a watch::Sender<Arc<Settings>>);

async fn boot(machine: Machine<'_>, seed: u64) -> (Store, SessionManager, Arc<Killable>) {
    let (clock, engine, processes, files, folders, settings) = machine;
    let options = store::Options { writer: "test".to_owned(), seed };
    let store = Store::open(Arc::new(engine.clone()), options).await.unwrap();
    let tasks = Arc::new(Killable::default());
    let tree = Tree::run_by(Arc::clone(&tasks) as _, clock.clone());
    let nowhere = Path::new("/nowhere");
    // Not this very program: it would take the words of a shim for names of tests, and run those.
    let supervisor = Supervisor::with_shim(clock.clone(), "/no/such/program");
    let sessions = SessionManager::new(Parts {
        store: store.clone(),
        clock: clock.clone(),
        rng: Rng::seeded(seed),
        tree: tree.clone(),
        processes: Arc::new(processes.clone()),
        files: Arc::new(files.clone()),
        workspaces: Arc::clone(folders) as _,
        hook_probes: fleet_sessions::hook_probes(nowhere, clock, &tree, &supervisor, String::new()),
        settings: settings.subscribe(),
        tasks: nowhere.join("tasks"),
        program: "fleet".into(),
        server: None,
        keys: Arc::new(Keys::new(b"a key that signs nothing anybody reads", None)),
        environment: BTreeMap::new(),
    });
    let budgets = sessions.clone();
    tree.spawn(Kind::Starter, "budgets", move |stop| async move { budgets.keep_budgets(&stop).await });
    (store, sessions, tasks)
}

pub(crate) fn new(change: impl FnOnce(&mut NewSession)) -> NewSession {
    let order = Order {
        agent: "sim".to_owned(),
        model: None,
        title: None,
        prompt: "Add a cart.".to_owned(),
        again: None,
        system_prompt: None,
        allowed_tools: None,
        preset: None,
        limits: Limits::default(),
        place: Place::InPlace { folder: "/shop".to_owned() },
        stay: Stay::UntilDone,
        retries_max: None,
        waits: None,
        context_mode: false,
        args: Vec::new(),
        sandbox: SandboxRules::default(),
        rank: Rank::default(),
    };
    let mut new = NewSession::new(TeamName::default_team(), order);
    change(&mut new);
    new
}

/// What an agent says, in the words that every agent is read in.
pub(crate) trait Says {
    fn tell(&self, event: &Event);

    fn greet(&self) {
        let session = Some("conversation-1".to_owned());
        self.tell(&Event::Started(Started { session, ..Started::default() }));
    }

    /// Takes a turn of 100 tokens that costs a cent.
    fn turn(&self) {
        let tokens = Tokens { input: 80, output: 20, ..Tokens::default() };
        self.tell(&Event::Usage(Usage { tokens, cost: Some(types::Cost::from(0.01)), ..Usage::default() }));
    }

    fn result(&self, ending: Ending) {
        let text = "It is done.".to_owned();
        let (session, turns, duration_ms, totals, turn, structured) = Default::default();
        let denials = Vec::new();
        self.tell(&Event::Result(TurnResult {
            ending,
            text,
            session,
            turns,
            duration_ms,
            totals,
            turn,
            denials,
            structured,
        }));
    }

    fn fail(&self, class: types::FailureClass) {
        self.result(Ending::Failed { class });
    }
}

impl Says for MemoryAgent {
    fn tell(&self, event: &Event) {
        self.say(&serde_json::to_string(event).unwrap());
    }
}
