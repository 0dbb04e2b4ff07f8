//! The server of the simulation: the shipped session manager, mission runner, dispatcher, landing queue and budget
//! watch, on processes, files, workspaces and a lander that are played.

mod noted_runner;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dispatcher::Dispatcher;
use landing_queue::LandingQueues;
use mission_runner::{Runner, StartRequest};
use noted_runner::NotedRunner;
use runtime::{Kind, Tree};
use sessions::memory::{MemoryFiles, MemoryProcesses};
use sessions::{Parts, SessionManager};
use store::{Options, Stamp, Store};
use supervisor::Supervisor;
use tokens::Keys;
use tokio::sync::watch;
use types::{Handle, Mission, MissionId, SessionId, TeamName};

use crate::engine::Paced;
use crate::field::FOLDER;
use crate::lander::SimulatedLander;
use crate::site::Site;
use crate::worktrees::Worktrees;

/// Between two tries of what the store refused.
const PAUSE: Duration = Duration::from_secs(1);

/// Signs tokens that no agent here uses.
const KEY: &[u8] = b"the simulation has no secrets, only tokens";

/// What outlives a server: the disk with its records and files, and the processes that run.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    pub(crate) engine: Paced,
    pub(crate) processes: MemoryProcesses,
    pub(crate) files: MemoryFiles,
}

/// What runs until the next crash.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) store: Store,
    pub(crate) sessions: SessionManager,
    pub(crate) runner: Runner,
    pub(crate) site: Site,
}

/// Opens the store, takes up what an earlier server left, and dispatches.
pub(crate) async fn serve(site: Site, machine: Machine, seat: watch::Sender<Option<Arc<Server>>>) {
    let store = loop {
        let options = Options { writer: "w".to_owned(), seed: site.rng.u64() };
        match Store::open(Arc::new(machine.engine.clone()), options).await {
            Ok(store) => break store,
            Err(_) => site.clock.sleep(PAUSE).await,
        }
    };
    let tree = Tree::run_by(Arc::new(site.spawner.clone()), site.clock.clone());
    let sessions = SessionManager::new(parts(&site, &machine, &store, &tree));
    let runner = Runner::new(mission_runner::Parts {
        store: store.clone(),
        clock: site.clock.clone(),
        settings: site.agents.purse.settings(),
        sessions: sessions.clone(),
        working_dir: PathBuf::from(FOLDER),
    });
    while sessions.take_up().await.is_err() {
        site.clock.sleep(PAUSE).await;
    }
    site.trace.note("the server is up");
    let server =
        Server { store: store.clone(), sessions: sessions.clone(), runner: runner.clone(), site: site.clone() };
    seat.send_replace(Some(Arc::new(server)));
    let landings = LandingQueues::new(landing_queue::Parts {
        store: store.clone(),
        clock: site.clock.clone(),
        settings: site.agents.purse.settings(),
        sessions: sessions.clone(),
        workspaces: Arc::new(Worktrees::new(site.clone())),
        lander: Arc::new(SimulatedLander(site.clone())),
        tree: tree.clone(),
    });
    tree.spawn(Kind::Starter, "landings", move |stop| async move { landings.run(&stop).await });
    tree.spawn(Kind::Starter, "budgets", move |stop| async move { sessions.keep_budgets(&stop).await });
    let stop = tree.stop_of(Kind::Starter);
    let noted = NotedRunner { runner, site: site.clone() };
    Dispatcher::new(store, site.clock.clone(), Arc::new(noted)).run(&stop).await;
}

fn parts(site: &Site, machine: &Machine, store: &Store, tree: &Tree) -> Parts {
    let nowhere = Path::new("/simulated");
    let supervisor = Supervisor::new(site.clock.clone());
    Parts {
        store: store.clone(),
        clock: site.clock.clone(),
        rng: site.rng.clone(),
        tree: tree.clone(),
        processes: Arc::new(machine.processes.clone()),
        files: Arc::new(machine.files.clone()),
        workspaces: Arc::new(Worktrees::new(site.clone())),
        hook_probes: sessions::hook_probes(nowhere, &site.clock, tree, &supervisor, String::new()),
        settings: site.agents.purse.settings(),
        tasks: nowhere.join("tasks"),
        program: PathBuf::from("fleet"),
        server: None,
        keys: Arc::new(Keys::new(KEY, None)),
        environment: BTreeMap::new(),
    }
}

impl Server {
    /// Starts an agent on a mission, as a caller of `mission_dispatch` does.
    pub(crate) async fn start(&self, mission: &MissionId) -> Result<(), mission_runner::Error> {
        let Some(found) = self.store.get::<Mission>(mission).await? else { return Ok(()) };
        self.runner.start(&StartRequest::new(found), None, &self.stamp()).await.map(drop)
    }

    pub(crate) fn live_sessions(&self) -> Vec<SessionId> {
        self.sessions.each(|live| live.session.id.clone())
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { at: self.site.clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
    }
}
