//! What the server works with: who starts agents, who follows them, who makes their folders.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;

use cli::Failure;
use config::{Environment, Home, ServerFile, Settings};
use git::Git;
use landing::Lander;
use runtime::{Clock, Rng, Tree};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sessions::{Parts, Sessions};
use store::Store;
use supervisor::{Stock, Supervisor, Watcher};
use tokens::Keys;
use tokio::sync::watch;
use workspaces::{Options, Workspaces};

/// What checks see of the environment: where programs and caches are, and no secret.
const CHECKS_SEE: [&str; 12] = [
    "CARGO_HOME",
    "GOPATH",
    "HOME",
    "JAVA_HOME",
    "LANG",
    "LC_ALL",
    "LOGNAME",
    "PATH",
    "RUSTUP_HOME",
    "SHELL",
    "TMPDIR",
    "USER",
];

/// Open files that are enough for thousands of agents.
const OPEN_FILES: u64 = 65_536;

/// Spools that are made in advance.
const SPOOLS: usize = 8;

/// Megabytes are counted as disks do.
const MEGABYTE: u64 = 1_000_000;

/// What there is before the hands are made.
pub(crate) struct Around<'a> {
    pub(crate) home: &'a Home,
    pub(crate) environment: &'a Environment,
    pub(crate) settings: &'a watch::Receiver<Arc<Settings>>,
    pub(crate) clock: &'a Clock,
    pub(crate) rng: &'a Rng,
    pub(crate) tree: &'a Tree,
    pub(crate) server: &'a ServerFile,
    pub(crate) keys: &'a Arc<Keys>,
}

/// What acts.
pub(crate) struct Hands {
    pub(crate) sessions: Sessions,
    pub(crate) workspaces: Workspaces,
    pub(crate) lander: Lander,
}

/// Makes what acts; no session is taken up yet.
pub(crate) fn build(around: &Around<'_>, store: &Store) -> Result<Hands, Failure> {
    allow_open_files();
    let workspaces = workspaces(around)?;
    let watcher = Watcher::new(around.tree).map_err(|error| Failure::io("cannot watch files", &error))?;
    let program = std::env::current_exe().map_err(|error| Failure::io("cannot find this program", &error))?;
    let tasks = around.home.path().join("tasks");
    let stock = Stock::open(around.tree, tasks.join(".stock"), SPOOLS);
    let parts = Parts {
        store: store.clone(),
        clock: around.clock.clone(),
        rng: around.rng.clone(),
        tree: around.tree.clone(),
        supervisor: Supervisor::new(around.clock.clone()).with_stock(stock),
        watcher,
        workspaces: workspaces.clone(),
        settings: around.settings.clone(),
        tasks,
        program,
        server: Some(around.server.clone()),
        keys: Arc::clone(around.keys),
        environment: variables(around.environment),
    };
    Ok(Hands { sessions: Sessions::new(parts), workspaces, lander: lander(around) })
}

/// Following an agent takes a few open files, and many systems start programs with room for a thousand.
fn allow_open_files() {
    let now = getrlimit(Resource::Nofile);
    let wanted = OPEN_FILES.min(now.maximum.unwrap_or(OPEN_FILES));
    if now.current.is_some_and(|current| current < wanted) {
        let raised = Rlimit { current: Some(wanted), ..now };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "cannot raise the limit of open files; a few hundred agents may be too many");
        }
    }
}

fn workspaces(around: &Around<'_>) -> Result<Workspaces, Failure> {
    let settings = around.settings.borrow().clone();
    let pairs = around.environment.variables().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let pairs: Vec<_> = pairs.collect();
    let git = Git::new(git::Environment::from_variables(pairs.clone()), around.clock.clone());
    let pattern = settings.branch_pattern.parse().map_err(|error: workspaces::PatternError| {
        Failure::new(api::Kind::Invalid, format!("setting `branch_pattern`: {error}"))
    })?;
    let options = Options {
        branch_pattern: pattern,
        pool_size: settings.worktree_pool,
        free_bytes_target: u64::from(settings.free_space_target_mb) * MEGABYTE,
        ..Options::new(settings.worktrees_dir.clone(), pairs)
    };
    Ok(Workspaces::new(options, git, around.clock.clone(), around.tree.clone()))
}

fn lander(around: &Around<'_>) -> Lander {
    let pairs = around.environment.variables().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let variables: BTreeMap<OsString, OsString> = pairs.collect();
    let git = Git::new(git::Environment::from_variables(variables.clone()), around.clock.clone());
    let shown = |name: &OsString| CHECKS_SEE.iter().any(|seen| name == seen);
    let options = landing::Options {
        root: around.home.path().join("landing"),
        variables: variables.into_iter().filter(|(name, _)| shown(name)).collect(),
    };
    Lander::new(git, around.clock.clone(), around.tree.clone(), options)
}

fn variables(environment: &Environment) -> BTreeMap<String, String> {
    environment.variables().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
