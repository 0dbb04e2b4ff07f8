//! The server of the simulation: the shipped session manager, dispatcher, landing queue and budget watch, on
//! processes, files, workspaces and a lander that are played.

mod crew;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use dispatcher::Dispatcher;
use landing_queue::LandingQueues;
use runtime::{Kind, Tree};
use sessions::memory::{MemoryFiles, MemoryProcesses};
use sessions::{Automatic, Error, NewSession, Parts, Refusal, SessionManager};
use store::{Options, Stamp, Store};
use supervisor::Supervisor;
use tokens::Keys;
use tokio::sync::watch;
use types::{Handle, Mission, MissionId, Order, Place, Rank, SandboxRules, SessionId, Stay, TeamName};

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
    pub(crate) site: Site,
}

/// Why a session was not begun.
#[derive(Debug)]
pub(crate) enum NotBegun {
    Full,
    Refused,
    Store(String),
}

impl From<Error> for NotBegun {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(Refusal::Full { .. }) => Self::Full,
            Error::Refused(_) => Self::Refused,
            error @ (Error::Store(_) | Error::File { .. }) => Self::Store(error.to_string()),
        }
    }
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
    let server = Arc::new(Server { store: store.clone(), sessions: sessions.clone(), site: site.clone() });
    while sessions.take_up().await.is_err() {
        site.clock.sleep(PAUSE).await;
    }
    site.trace.note("the server is up");
    seat.send_replace(Some(Arc::clone(&server)));
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
    Dispatcher::new(store, site.clock.clone(), server).run(&stop).await;
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
    /// Begins a session on a mission.
    pub(crate) async fn spawn(&self, mission: &MissionId, automatic: Option<Automatic>) -> Result<(), NotBegun> {
        let found = self.store.get::<Mission>(mission).await.map_err(Error::from)?;
        let Some(found) = found else { return Err(NotBegun::Refused) };
        let new = NewSession {
            project: found.project.clone(),
            mission: Some(mission.clone()),
            automatic,
            ..NewSession::new(found.team.clone(), self.order(&found))
        };
        Ok(self.sessions.spawn(new, &self.stamp()).await.map(drop)?)
    }

    pub(crate) fn live_sessions(&self) -> Vec<SessionId> {
        self.sessions.each(|live| live.session.id.clone())
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp { at: self.site.clock.now(), handle: Handle::owner(), team: TeamName::default_team() }
    }

    fn order(&self, mission: &Mission) -> Order {
        let limits = sessions::own_budget(mission).map(|budget| budget.left(self.site.clock.now()));
        Order {
            agent: agent(mission),
            model: None,
            title: None,
            prompt: mission.prompt.clone(),
            again: None,
            system_prompt: None,
            allowed_tools: None,
            preset: None,
            limits: limits.unwrap_or_default(),
            place: Place::Worktree { folder: FOLDER.to_owned(), base: None },
            stay: Stay::UntilDone,
            retries_max: None,
            waits: None,
            context_mode: false,
            sandbox: SandboxRules::default(),
            rank: Rank::default(),
        }
    }
}

pub(crate) fn agent(mission: &Mission) -> String {
    mission.agent.clone().unwrap_or_else(|| "sim".to_owned())
}
