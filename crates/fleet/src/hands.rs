//! What the server works with: who starts agents, who follows them, who makes their folders.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use cli::Failure;
use config::{Environment, Home, ServerFile, Settings};
use git::Git;
use landing::Lander;
use runtime::{Clock, Rng, Tree};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sandbox::CommandSandboxes;
use sessions::{DiskFiles, MachineProcesses, Parts, SessionManager};
use store::Store;
use supervisor::{ShimPool, Supervisor, Watcher};
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
    pub(crate) sessions: SessionManager,
    pub(crate) workspaces: Workspaces,
    pub(crate) lander: Lander,
}

/// Makes what acts; no session is taken up yet.
pub(crate) fn build(around: &Around<'_>, store: &Store) -> Result<Hands, Failure> {
    allow_open_files();
    let sandboxes = command_sandboxes(around);
    let workspaces = workspaces(around, sandboxes.clone())?;
    let watcher = Watcher::new(around.tree).map_err(|error| Failure::io("cannot watch files", &error))?;
    let program = std::env::current_exe().map_err(|error| Failure::io("cannot find this program", &error))?;
    let tasks = around.home.path().join("tasks");
    let stock = ShimPool::open(around.tree, tasks.join(".stock"), SPOOLS);
    let supervisor = Supervisor::new(around.clock.clone()).with_stock(stock);
    let environment = variables(around.environment);
    let path = environment.get("PATH").cloned().unwrap_or_default();
    let hook_probes = sessions::hook_probes(around.home.path(), around.clock, around.tree, &supervisor, path);
    let parts = Parts {
        store: store.clone(),
        clock: around.clock.clone(),
        rng: around.rng.clone(),
        tree: around.tree.clone(),
        processes: Arc::new(MachineProcesses::new(supervisor, watcher)),
        files: Arc::new(DiskFiles::open(around.tree, &tasks)),
        workspaces: Arc::new(workspaces.clone()),
        hook_probes,
        settings: around.settings.clone(),
        tasks,
        program,
        server: Some(around.server.clone()),
        keys: Arc::clone(around.keys),
        environment,
    };
    Ok(Hands { sessions: SessionManager::new(parts), workspaces, lander: lander(around, sandboxes) })
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

fn workspaces(around: &Around<'_>, sandboxes: CommandSandboxes) -> Result<Workspaces, Failure> {
    let settings = around.settings.borrow().clone();
    let pairs = around.environment.variables().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let pairs: Vec<_> = pairs.collect();
    let git = Git::new(git::Environment::from_variables(pairs.clone()), around.clock.clone());
    let git = git.trusting(trusted(around));
    let pattern = settings.branch_pattern.parse().map_err(|error: workspaces::PatternError| {
        Failure::new(api::Kind::Invalid, format!("setting `branch_pattern`: {error}"))
    })?;
    let options = Options {
        branch_pattern: pattern,
        pool_size: settings.worktree_pool,
        free_bytes_target: u64::from(settings.free_space_target_mb) * MEGABYTE,
        sandboxes: Some(sandboxes),
        ..Options::new(settings.worktrees_dir.clone(), pairs)
    };
    Ok(Workspaces::new(options, git, around.clock.clone(), around.tree.clone()))
}

/// What makes the sandboxes of recipes and checks; none of them sees what belongs to Fleet.
fn command_sandboxes(around: &Around<'_>) -> CommandSandboxes {
    let settings = around.settings.borrow().clone();
    // This program, wherever it was put meanwhile.
    let program = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    let hidden = sessions::hidden(Some(around.home.path()), &settings);
    CommandSandboxes::new(program, hidden, &variables(around.environment).remove("PATH").unwrap_or_default())
}

/// Returns what says which repositories the owner trusts, as the settings have it at that moment.
fn trusted(around: &Around<'_>) -> impl Fn() -> Vec<PathBuf> + Send + Sync + 'static {
    let home = around.environment.get("HOME").map(PathBuf::from);
    let settings = around.settings.clone();
    move || settings.borrow().trusted_folders(home.as_deref())
}

fn lander(around: &Around<'_>, sandboxes: CommandSandboxes) -> Lander {
    let pairs = around.environment.variables().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let variables: BTreeMap<OsString, OsString> = pairs.collect();
    let git = Git::new(git::Environment::from_variables(variables.clone()), around.clock.clone());
    let git = git.trusting(trusted(around));
    let shown = |name: &OsString| CHECKS_SEE.iter().any(|seen| name == seen);
    let options = landing::Options {
        root: around.home.path().join("landing"),
        variables: variables.into_iter().filter(|(name, _)| shown(name)).collect(),
        sandboxes: Some(sandboxes),
    };
    Lander::new(git, around.clock.clone(), around.tree.clone(), options)
}

fn variables(environment: &Environment) -> BTreeMap<String, String> {
    environment.variables().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
