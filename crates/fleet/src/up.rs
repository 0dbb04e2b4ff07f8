//! `fleet up` in the foreground: builds every part, serves, and takes everything down in order.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use api::Kind as ErrorKind;
use cli::Failure;
use config::{Environment, Home, Overrides, ServerFile, Settings, StorageBackend};
use dispatcher::Dispatcher;
use kv::{Engine, MemEngine};
use kv_sqlite::SqliteEngine;
use landing_queue::LandingQueues;
use recurrence::Scheduler;
use redact::Redactor;
use retention::{Machine, Retention};
use runtime::{Clock, Kind, Report, Rng, Signals, Tree};
use server::App;
use service::{Facts, Parts, Service, WorkflowHands};
use sessions::SessionManager;
use store::Store;
use tokens::Keys;
use tokio::net::TcpListener;
use tokio::sync::watch;
use workflow_runner::WorkflowRunner;
use workspaces::Workspaces;

use crate::hands::{self, Around, Hands};
use crate::log::{self, Log};

type Result<T> = std::result::Result<T, Failure>;

/// Names this process in the change feed; one process at a time has the database, so one name does.
const WRITER: &str = "local";

/// Everything that runs, until it is told to stop.
struct Running {
    home: Home,
    tree: Tree,
    store: Store,
    sessions: SessionManager,
    settings: watch::Receiver<Arc<Settings>>,
}

/// Serves until a signal comes; returns once everything is written and closed.
pub(crate) async fn serve(home: Home, environment: Environment, flags: Overrides) -> Result<()> {
    // First of all: a signal that comes while the server starts must find a handler that stops everything in order.
    let signals = runtime::signals().map_err(|error| Failure::io("cannot listen for signals", &error))?;
    home.create()?;
    let loaded = config::load(&home, &environment, &flags)?;
    let known = config::known_secrets(&loaded.settings, environment.variables());
    let log = log::start(loaded.settings.log_level, Redactor::new(known))?;
    for warning in &loaded.warnings {
        tracing::warn!("{warning}");
    }
    let environment_of_process = environment.clone();
    let (watcher, settings) = config::watch(&home, environment, flags, &loaded)?;
    let running = start(home, &environment_of_process, settings, &loaded.settings).await?;
    follow_settings(&running, watcher, log);
    stop(running, signals).await
}

async fn start(
    home: Home,
    environment: &Environment,
    receiver: watch::Receiver<Arc<Settings>>,
    settings: &Settings,
) -> Result<Running> {
    let clock = Clock::system();
    let rng = Rng::from_os();
    // The port first: a second server on it must not open the database.
    let listener = bind(settings).await?;
    let address = listener.local_addr().map_err(|error| Failure::io("cannot tell the port", &error))?;
    let engine = open_engine(settings)?;
    let options = store::Options { writer: WRITER.to_owned(), seed: rng.u64() };
    let store = Store::open(engine, options).await.map_err(|error| storage(&error))?;
    let tree = Tree::new(clock.clone());
    let key = home.local_key()?;
    let keys = || Keys::new(key.bytes(), settings.jwt_secret.as_ref().map(config::Secret::expose));
    let (server, agents_keys) = (described(&clock, address), Arc::new(keys()));
    let facts = facts(&home, environment, settings, &clock);
    let around = Around {
        home: &home,
        environment,
        settings: &receiver,
        clock: &clock,
        rng: &rng,
        tree: &tree,
        server: &server,
        keys: &agents_keys,
    };
    let Hands { sessions, workspaces, lander } = hands::build(&around, &store)?;
    // Before the first request: what is shown of sessions is then true from the first response on.
    let found = sessions.take_up().await.map_err(|error| storage(&error))?;
    tracing::info!(sessions = found, "sessions of an earlier server were taken up");
    let retention = retention(&around, &store, &sessions, &workspaces);
    let parts = Parts {
        store: store.clone(),
        clock: clock.clone(),
        rng: rng.clone(),
        settings: receiver.clone(),
        keys: keys(),
        sessions: sessions.clone(),
        workspaces: workspaces.clone(),
        retention: retention.clone(),
        facts,
    };
    let service = Arc::new(Service::new(parts));
    let dispatcher = Dispatcher::new(store.clone(), clock.clone(), Arc::new(service.runner().clone()));
    tree.spawn(Kind::Starter, "dispatcher", |stop| async move { dispatcher.run(&stop).await });
    let purse = sessions.clone();
    tree.spawn(Kind::Starter, "budgets", |stop| async move { purse.keep_budgets(&stop).await });
    let parts = landing_queue::Parts {
        store: store.clone(),
        clock: clock.clone(),
        settings: receiver.clone(),
        sessions: sessions.clone(),
        workspaces: Arc::new(workspaces),
        lander: Arc::new(lander),
        tree: tree.clone(),
    };
    let landings = LandingQueues::new(parts);
    tree.spawn(Kind::Starter, "landings", |stop| async move { landings.run(&stop).await });
    tell_those_outside(&around, &store, &sessions)?;
    keep_schedules(&tree, &store, &clock, &service);
    tree.spawn(Kind::Chore, "retention", |stop| async move { retention.run(&stop).await });
    let app = App::new(service, tree.clone());
    tree.spawn(server::LISTENER, "http", |stop| server::serve(app, listener, stop));
    keep_snapshots(&tree, &store);
    announce(&home, &server, address)?;
    Ok(Running { home, tree, store, sessions, settings: receiver })
}

/// Sends callbacks and notifications.
fn tell_those_outside(around: &Around<'_>, store: &Store, sessions: &SessionManager) -> Result<()> {
    send_callbacks(around, store, sessions)?;
    send_notifications(around, store, sessions)
}

fn send_callbacks(around: &Around<'_>, store: &Store, sessions: &SessionManager) -> Result<()> {
    let outbox = callbacks::Outbox::new(callbacks::Parts {
        store: store.clone(),
        clock: around.clock.clone(),
        rng: Rng::from_os(),
        settings: around.settings.clone(),
        redactor: sessions.redactor(),
        secret: around.home.callback_secret()?,
    });
    around.tree.spawn(Kind::Starter, "callbacks", |stop| async move { outbox.run(&stop).await });
    Ok(())
}

fn send_notifications(around: &Around<'_>, store: &Store, sessions: &SessionManager) -> Result<()> {
    let notifier = notifications::Notifier::new(notifications::Parts {
        store: store.clone(),
        clock: around.clock.clone(),
        rng: Rng::from_os(),
        settings: around.settings.clone(),
        redactor: sessions.redactor(),
        secret: around.home.callback_secret()?,
        desktop: notifications::Desktop::find(around.environment, around.home.path()),
    });
    around.tree.spawn(Kind::Starter, "notifications", |stop| async move { notifier.run(&stop).await });
    Ok(())
}

fn retention(around: &Around<'_>, store: &Store, sessions: &SessionManager, workspaces: &Workspaces) -> Retention {
    let outside =
        Machine::new(sessions.clone(), workspaces.clone(), around.home.path().join("tasks"), around.home.server_log());
    Retention::new(retention::Parts {
        store: store.clone(),
        clock: around.clock.clone(),
        settings: around.settings.clone(),
        outside: Arc::new(outside),
    })
}

async fn bind(settings: &Settings) -> Result<TcpListener> {
    let (host, port) = (settings.host.as_str(), settings.port);
    TcpListener::bind((host, port)).await.map_err(|error| {
        Failure::new(ErrorKind::Unavailable, format!("cannot listen on {host}:{port}: {error}"))
            .hint("If another server runs there, `fleet up --status` shows it; `fleet up --port N` takes another port.")
    })
}

fn open_engine(settings: &Settings) -> Result<Arc<dyn Engine>> {
    match settings.storage_backend {
        StorageBackend::Memory => Ok(Arc::new(MemEngine::new())),
        StorageBackend::Sqlite => match SqliteEngine::open(&settings.db_path) {
            Ok(engine) => Ok(Arc::new(engine)),
            Err(error) => Err(storage(&error)),
        },
    }
}

/// Formats the whole chain of causes: which file, and what the system said.
fn storage(error: &dyn std::error::Error) -> Failure {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let message: Vec<String> = causes.map(ToString::to_string).collect();
    Failure::new(ErrorKind::Unavailable, message.join(": "))
        .hint("`fleet up --status` shows whether a server has it open; `fleet doctor` checks disk and permissions.")
}

fn facts(home: &Home, environment: &Environment, settings: &Settings, clock: &Clock) -> Facts {
    let (persistence, database) = match settings.storage_backend {
        StorageBackend::Memory => ("memory", String::new()),
        StorageBackend::Sqlite => {
            let name = settings.db_path.file_name().unwrap_or_default();
            ("sqlite", name.to_string_lossy().into_owned())
        }
    };
    Facts {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        persistence: persistence.to_owned(),
        database,
        projects_dir: settings.projects_dir.clone(),
        working_dir: std::env::current_dir().unwrap_or_else(|_| home.path().to_owned()),
        started_at: clock.now(),
        home: Some(home.clone()),
        user_home: environment.get("HOME").map(PathBuf::from),
    }
}

fn keep_schedules(tree: &Tree, store: &Store, clock: &Clock, service: &Arc<Service>) {
    keep_workflows(tree, store, clock, service);
    let scheduler = Scheduler::new(store.clone(), clock.clone());
    tree.spawn(Kind::Starter, "schedules", |stop| async move { scheduler.run(&stop).await });
}

fn keep_workflows(tree: &Tree, store: &Store, clock: &Clock, service: &Arc<Service>) {
    let hands = Arc::new(WorkflowHands(Arc::clone(service)));
    let parts = workflow_runner::Parts { store: store.clone(), clock: clock.clone(), hands };
    let runner = WorkflowRunner::new(parts);
    tree.spawn(Kind::Starter, "workflows", |stop| async move { runner.run(&stop).await });
}

fn keep_snapshots(tree: &Tree, store: &Store) {
    let store = store.clone();
    tree.spawn(Kind::Chore, "counter snapshots", |_| async move { store.keep_snapshots().await });
}

/// Describes this server, for clients that look for it.
fn described(clock: &Clock, address: SocketAddr) -> ServerFile {
    ServerFile {
        pid: std::process::id(),
        host: address.ip().to_string(),
        port: address.port(),
        started_at: clock.now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Writes down where clients find this server, and says so.
fn announce(home: &Home, server: &ServerFile, address: SocketAddr) -> Result<()> {
    home.write_server(server)?;
    tracing::info!(url = %format!("http://{address}"), home = %home.path().display(), "fleet is up");
    Ok(())
}

fn follow_settings(running: &Running, watcher: config::Watcher, log: Log) {
    let (settings, sessions) = (running.settings.clone(), running.sessions.clone());
    running.tree.spawn(Kind::Chore, "settings", |_| {
        watcher.run(move |change| match change {
            config::Change::Applied { live, restart, warnings } => {
                warnings.iter().for_each(|warning| tracing::warn!("{warning}"));
                log.set(settings.borrow().log_level);
                sessions.ease();
                let (live, restart) = (live.join(", "), restart.join(", "));
                tracing::info!(live, needs_restart = restart, "settings were changed");
            }
            config::Change::Refused(error) => {
                tracing::error!(%error, "settings were not taken up; those in force stay");
            }
        })
    });
}

async fn stop(running: Running, mut signals: Signals) -> Result<()> {
    let Running { home, tree, store, sessions: _, settings } = running;
    let grace = || Duration::from_secs(settings.borrow().shutdown_grace_secs.into());
    let report = tree.run(&mut signals, grace).await;
    store.close().await.map_err(|error| storage(&error))?;
    home.remove_server(std::process::id())?;
    tell(&report)
}

fn tell(report: &Report) -> Result<()> {
    let took = report.took.as_millis();
    match &report.reason {
        Some(runtime::StopReason::TaskFailed { task, error }) => {
            Err(Failure::new(ErrorKind::Internal, format!("stopped, since `{task}` failed: {error}")))
        }
        reason => {
            let reason = reason.as_ref().map(ToString::to_string);
            let aborted = report.aborted().collect::<Vec<_>>().join(", ");
            tracing::info!(reason, took_ms = took, aborted, "fleet is down");
            Ok(())
        }
    }
}
