//! Figures for Prometheus: requests as they are answered, everything else when it is asked for.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use api::claude_fleet::WorkerState;
use http::Method;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use store::by::{approval, landing, question};
use types::{ApprovalStateName, LandingStateName, QuestionStateName, StateName};

use crate::App;

/// Upper bounds of the duration buckets, in seconds.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    method: String,
    path: &'static str,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    method: String,
    path: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct State {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Status {
    status: &'static str,
}

type Float = Gauge<f64, AtomicU64>;

type Amount = Counter<f64, AtomicU64>;

/// What is counted as it happens.
#[derive(Debug)]
pub(crate) struct Metrics {
    requests: Family<Request, Counter>,
    durations: Family<Route, Histogram>,
    /// Workers that were started and that ended, since this server runs.
    pub(crate) spawned: Counter,
    pub(crate) dismissed: Counter,
}

/// One request under way.
pub(crate) struct Timer<'a> {
    metrics: &'a Metrics,
    route: Route,
    app: &'a App,
    started: Duration,
}

impl Default for Metrics {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(histogram),
            spawned: Counter::default(),
            dismissed: Counter::default(),
        }
    }
}

impl Metrics {
    pub(crate) fn request<'a>(&'a self, method: &Method, path: &'static str, app: &'a App) -> Timer<'a> {
        let route = Route { method: method.to_string(), path };
        Timer { metrics: self, route, app, started: app.service.clock().monotonic() }
    }

    /// Writes everything in the text format of Prometheus.
    pub(crate) fn encode(&self, app: &App) -> String {
        let mut registry = Registry::default();
        registry.register("http_requests", "Requests answered", self.requests.clone());
        registry.register("http_request_duration_seconds", "Time to answer", self.durations.clone());
        registry.register("collab_worker_spawns", "Workers started since the start", self.spawned.clone());
        registry.register("collab_worker_dismissals", "Workers that ended since the start", self.dismissed.clone());
        register_tasks(&mut registry, app);
        register_workers(&mut registry, app);
        register_fleet(&mut registry, app);
        register_process(&mut registry);
        let mut text = String::new();
        match encode(&mut text, &registry) {
            Ok(()) => named_like_their_samples(&text),
            Err(error) => {
                tracing::error!(%error, "metrics cannot be written");
                String::new()
            }
        }
    }
}

/// Turns the library's OpenMetrics into the older text format, in which `# HELP` and `# TYPE` of a counter name its
/// samples, with `_total`. Clients that read it otherwise take counters for figures of no type.
fn named_like_their_samples(text: &str) -> String {
    let counters: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter")).collect();
    let line = |line: &str| -> Option<String> {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some("EOF" | "UNIT"), ..) => None,
            (Some("#"), Some(kind), Some(name), Some(rest)) if counters.contains(&name) => {
                Some(format!("# {kind} {name}_total {rest}"))
            }
            _ => Some(line.to_owned()),
        }
    };
    text.lines().filter_map(line).flat_map(|line| [line, "\n".to_owned()]).collect()
}

impl Timer<'_> {
    pub(crate) fn done(self, status: u16) {
        let took = self.app.service.clock().monotonic().saturating_sub(self.started);
        let Route { method, path } = self.route.clone();
        self.metrics.requests.get_or_create(&Request { method, path, status }).inc();
        self.metrics.durations.get_or_create(&self.route).observe(took.as_secs_f64());
    }
}

fn gauged(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn gauge(registry: &mut Registry, name: &str, help: &str, count: u64) {
    let gauge = Gauge::<i64>::default();
    gauge.set(gauged(count));
    registry.register(name, help, gauge);
}

fn amount(registry: &mut Registry, name: &str, help: &str, value: f64) {
    let amount = Amount::default();
    amount.inc_by(value);
    registry.register(name, help, amount);
}

/// Figures of Fleet's own; every name ends in its unit, where it has one.
fn register_fleet(registry: &mut Registry, app: &App) {
    let by_state = |counts: Vec<(&'static str, u64)>| {
        let family = Family::<State, Gauge>::default();
        for (state, count) in counts {
            family.get_or_create(&State { state }).set(gauged(count));
        }
        family
    };
    let store = app.service.store();
    let missions = StateName::ALL.map(|state| (state.as_str(), app.service.missions_in(state)));
    registry.register("fleet_missions", "Missions by state", by_state(missions.into()));
    let landings = LandingStateName::ALL.map(|state| (state.as_str(), store.count(&landing::state_count(state))));
    registry.register("fleet_landings", "Landings by state", by_state(landings.into()));
    let waiting = store.count(&approval::state_count(ApprovalStateName::Waiting));
    gauge(registry, "fleet_approvals_waiting", "Tool calls that wait for a person", waiting);
    let waiting = store.count(&question::state_count(QuestionStateName::Waiting));
    gauge(registry, "fleet_questions_waiting", "Questions of agents that wait for a person", waiting);
    let spent = app.service.sessions().spent(None, None);
    amount(
        registry,
        "fleet_cost_dollars",
        "Dollars that agents have cost, as far as it is known",
        spent.cost.dollars(),
    );
    amount(registry, "fleet_tokens", "Tokens that agents have used", spent.tokens as f64);
    amount(registry, "fleet_turns", "Turns that agents have taken", spent.turns as f64);
    amount(registry, "fleet_agent_seconds", "Seconds in which agents ran", spent.secs as f64);
    gauge(registry, "fleet_tasks_live", "Tasks in the server's task tree", app.tree.live().len() as u64);
}

/// The figures that claude-fleet's dashboards know, under its names.
fn register_tasks(registry: &mut Registry, app: &App) {
    let tasks = app.service.task_metrics();
    gauge(registry, "collab_tasks_total", "Tasks in all", tasks.total);
    let by_status = Family::<Status, Gauge>::default();
    let counted = tasks.by_status;
    for (status, count) in [
        ("open", counted.open),
        ("in_progress", counted.in_progress),
        ("resolved", counted.resolved),
        ("blocked", counted.blocked),
    ] {
        by_status.get_or_create(&Status { status }).set(gauged(count));
    }
    registry.register("collab_tasks_by_status", "Tasks by status", by_status);
    let agents = app.service.store().count(store::by::agent::ALL);
    gauge(registry, "collab_agents_total", "Registered agents", agents);
}

fn register_workers(registry: &mut Registry, app: &App) {
    let counted = app.service.worker_metrics();
    gauge(registry, "collab_workers_total", "Live workers", counted.total);
    gauge(registry, "collab_workers_healthy", "Live workers that are healthy", counted.healthy);
    gauge(registry, "collab_workers_degraded", "Live workers that were silent for long", counted.degraded);
    gauge(registry, "collab_workers_unhealthy", "Live workers that were silent for too long", counted.unhealthy);
    let by_state = Family::<State, Gauge>::default();
    for (state, count) in [
        (WorkerState::Starting, counted.by_state.starting),
        (WorkerState::Ready, counted.by_state.ready),
        (WorkerState::Working, counted.by_state.working),
        (WorkerState::Stopping, counted.by_state.stopping),
        (WorkerState::Stopped, counted.by_state.stopped),
    ] {
        by_state.get_or_create(&State { state: state.as_str() }).set(gauged(count));
    }
    registry.register("collab_workers_by_state", "Live workers by state", by_state);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_is_declared_under_the_name_of_its_samples() {
        let written = "# HELP a_b Things.\n# TYPE a_b counter\na_b_total{x=\"1\"} 2\n# TYPE g gauge\n# UNIT g bytes\ng 3\n# EOF\n";
        let read = "# HELP a_b_total Things.\n# TYPE a_b_total counter\na_b_total{x=\"1\"} 2\n# TYPE g gauge\ng 3\n";
        assert_eq!(named_like_their_samples(written), read);
    }
}
