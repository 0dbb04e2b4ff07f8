//! Figures for Prometheus: requests as they are answered, everything else when it is asked for.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use api::claude_fleet::{WorkerHealth, WorkerState};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use types::StateName;

use crate::App;

/// Upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    operation: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Operation {
    operation: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct State {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Health {
    health: &'static str,
}

type Float = Gauge<f64, AtomicU64>;

/// What is counted as it happens.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: Family<Request, Counter>,
    durations: Family<Operation, Histogram>,
}

/// One request under way.
pub(crate) struct Timer<'a> {
    metrics: &'a Metrics,
    operation: &'static str,
    app: &'a App,
    started: Duration,
}

impl Default for Metrics {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        Self { requests: Family::default(), durations: Family::new_with_constructor(histogram) }
    }
}

impl Metrics {
    pub(crate) fn request<'a>(&'a self, operation: &'static str, app: &'a App) -> Timer<'a> {
        Timer { metrics: self, operation, app, started: app.service.clock().monotonic() }
    }

    /// Writes everything in the text format of Prometheus.
    pub(crate) fn encode(&self, app: &App) -> String {
        let mut registry = Registry::default();
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register("http_request_duration_seconds", "Time to answer", self.durations.clone());
        register_fleet(&mut registry, app);
        register_process(&mut registry);
        let mut text = String::new();
        match encode(&mut text, &registry) {
            Ok(()) => text,
            Err(error) => {
                tracing::error!(%error, "metrics cannot be written");
                String::new()
            }
        }
    }
}

impl Timer<'_> {
    pub(crate) fn done(self, status: u16) {
        let took = self.app.service.clock().monotonic().saturating_sub(self.started);
        let operation = self.operation;
        self.metrics.requests.get_or_create(&Request { operation, status }).inc();
        self.metrics.durations.get_or_create(&Operation { operation }).observe(took.as_secs_f64());
    }
}

fn register_fleet(registry: &mut Registry, app: &App) {
    let missions = Family::<State, Gauge>::default();
    for state in StateName::ALL {
        let count = i64::try_from(app.service.missions_in(state)).unwrap_or(i64::MAX);
        missions.get_or_create(&State { state: state.as_str() }).set(count);
    }
    registry.register("fleet_missions", "Missions by state", missions);
    let tasks = Gauge::<i64>::default();
    tasks.set(i64::try_from(app.service.task_metrics().total).unwrap_or(i64::MAX));
    registry.register("collab_tasks", "Tasks in all", tasks);
    let agents = Gauge::<i64>::default();
    agents.set(i64::try_from(app.service.store().count(store::by::agent::ALL)).unwrap_or(i64::MAX));
    registry.register("collab_agents", "Registered agents", agents);
    register_workers(registry, app);
    let live = Gauge::<i64>::default();
    live.set(i64::try_from(app.tree.live().len()).unwrap_or(i64::MAX));
    registry.register("fleet_tasks_live", "Tasks in the server's task tree", live);
}

fn register_workers(registry: &mut Registry, app: &App) {
    let counted = app.service.worker_metrics();
    let gauged = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let (by_state, by_health) = (Family::<State, Gauge>::default(), Family::<Health, Gauge>::default());
    for state in WorkerState::ALL {
        let count = match state {
            WorkerState::Starting => counted.by_state.starting,
            WorkerState::Ready => counted.by_state.ready,
            WorkerState::Working => counted.by_state.working,
            WorkerState::Stopping => counted.by_state.stopping,
            WorkerState::Stopped => counted.by_state.stopped,
        };
        by_state.get_or_create(&State { state: state.as_str() }).set(gauged(count));
    }
    for health in WorkerHealth::ALL {
        let count = match health {
            WorkerHealth::Healthy => counted.healthy,
            WorkerHealth::Degraded => counted.degraded,
            WorkerHealth::Unhealthy => counted.unhealthy,
        };
        by_health.get_or_create(&Health { health: health.as_str() }).set(gauged(count));
    }
    registry.register("fleet_workers", "Live workers by where they stand", by_state);
    registry.register("fleet_workers_health", "Live workers by how they are", by_health);
    let workers = Gauge::<i64>::default();
    workers.set(gauged(counted.total));
    registry.register("collab_workers", "Live workers", workers);
    let restarts = Counter::<u64>::default();
    restarts.inc_by(app.service.restart_metrics().total);
    registry.register("collab_worker_restarts", "Workers started again since the start", restarts);
}

fn register_process(registry: &mut Registry) {
    let Ok(process) = runtime::Process::read() else { return };
    let gauge = |registry: &mut Registry, name: &str, help: &str, value: f64| {
        let gauge = Float::default();
        gauge.set(value);
        registry.register(name, help, gauge);
    };
    #[expect(clippy::cast_precision_loss, reason = "a gauge of bytes needs no more than 52 bits")]
    gauge(registry, "process_resident_memory_bytes", "Resident memory", process.resident_bytes as f64);
    #[expect(clippy::cast_precision_loss, reason = "no process has that many open files")]
    gauge(registry, "process_open_fds", "Open files", process.open_files as f64);
}
