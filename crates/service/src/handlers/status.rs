//! What the server says of itself.

use api::claude_fleet::{
    AgentView, Debug, DebugWorker, GetDebug, GetHealth, GetMetrics, Health, Metrics, RestartMetrics, TaskMetrics,
    TaskStatus, TaskView, TasksByStatus, WorkerHealth, WorkerMetrics, WorkerState,
};
use sessions::Live;
use store::{Query, by};
use types::{Agent, Mission, StateName, TeamName};

use super::worker_start::state;
use crate::{Caller, Handle, Result, Service};

/// Rows in each list of `/debug`.
const DEBUG_MAX: usize = 100;

impl Handle<GetHealth> for Service {
    async fn handle(&self, _: &Caller, _: GetHealth) -> Result<Health> {
        self.health().await
    }
}

impl Handle<GetMetrics> for Service {
    async fn handle(&self, _: &Caller, _: GetMetrics) -> Result<Metrics> {
        let uptime = self.clock.now().duration_since(self.facts.started_at).as_millis();
        Ok(Metrics {
            uptime: u64::try_from(uptime).unwrap_or_default(),
            workers: self.worker_metrics(),
            tasks: self.task_metrics(),
            agents: self.store.count(by::agent::ALL),
            chats: 0,
            messages: 0,
            restarts: self.restart_metrics(),
        })
    }
}

impl Handle<GetDebug> for Service {
    async fn handle(&self, caller: &Caller, _: GetDebug) -> Result<Debug> {
        let team = &caller.member()?.team;
        let users = self.store.list::<Agent>(Query::earliest(by::agent::team(team), DEBUG_MAX)).await?.records;
        let tasks = self.store.list::<Mission>(Query::latest(by::mission::team_age(team), DEBUG_MAX)).await?.records;
        Ok(Debug {
            users: users.into_iter().map(AgentView::from).collect(),
            chats: Vec::new(),
            message_count: 0,
            tasks: tasks.into_iter().map(TaskView::from).collect(),
            workers: self.debug_workers(team),
        })
    }
}

impl Service {
    /// Writes to the store before it says that all is well, but for a good answer of a moment ago.
    pub(super) async fn health(&self) -> Result<Health> {
        self.store.ping().await?;
        self.check_condition().await?;
        Ok(Health {
            status: "ok".to_owned(),
            version: self.facts.version.clone(),
            persistence: self.facts.persistence.clone(),
            db_path: self.facts.database.clone(),
            agents: self.store.count(by::agent::ALL),
            chats: 0,
            messages: 0,
            workers: self.sessions.everyone().len() as u64,
        })
    }

    /// Counts the live workers by where they stand and how they are.
    #[must_use]
    pub fn worker_metrics(&self) -> WorkerMetrics {
        let mut counted = WorkerMetrics::default();
        for live in self.sessions.everyone().iter().filter(|live| live.session.state.is_live()) {
            counted.total += 1;
            *match self.health_of(live) {
                WorkerHealth::Healthy => &mut counted.healthy,
                WorkerHealth::Degraded => &mut counted.degraded,
                WorkerHealth::Unhealthy => &mut counted.unhealthy,
            } += 1;
            *match state(&live.session, Some(live)) {
                WorkerState::Starting => &mut counted.by_state.starting,
                WorkerState::Ready => &mut counted.by_state.ready,
                WorkerState::Working => &mut counted.by_state.working,
                WorkerState::Stopping => &mut counted.by_state.stopping,
                WorkerState::Stopped => &mut counted.by_state.stopped,
            } += 1;
        }
        counted
    }

    /// Counts how often workers were started again since this server runs.
    #[must_use]
    pub fn restart_metrics(&self) -> RestartMetrics {
        let count = self.sessions.restarts();
        RestartMetrics { total: count.total, last_hour: count.last_hour }
    }

    fn debug_workers(&self, team: &TeamName) -> Vec<DebugWorker> {
        let mut workers = self.sessions.everyone();
        workers.retain(|live| live.session.team == *team && live.session.state.is_live());
        workers.sort_by_key(|live| std::cmp::Reverse(live.session.created_at));
        let shown = |live: &Live| DebugWorker {
            id: live.session.id.to_string(),
            handle: live.session.handle.clone(),
            state: state(&live.session, Some(live)).as_str().to_owned(),
        };
        workers.iter().take(DEBUG_MAX).map(shown).collect()
    }

    /// Counts missions by the words of teams.
    #[must_use]
    pub fn task_metrics(&self) -> TaskMetrics {
        let count = |status: TaskStatus| status.states().map(|state| self.missions_in(state)).sum();
        TaskMetrics {
            total: StateName::ALL.into_iter().map(|state| self.missions_in(state)).sum(),
            by_status: TasksByStatus {
                open: count(TaskStatus::Open),
                in_progress: count(TaskStatus::InProgress),
                resolved: count(TaskStatus::Resolved),
                blocked: count(TaskStatus::Blocked),
            },
        }
    }

    /// Counts the missions in a state.
    #[must_use]
    pub fn missions_in(&self, state: StateName) -> u64 {
        self.store.count(&by::mission::state_count(state))
    }
}
