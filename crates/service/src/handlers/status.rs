//! What the server says of itself.

use api::claude_fleet::{
    AgentView, Debug, GetDebug, GetHealth, GetMetrics, Health, Metrics, RestartMetrics, TaskMetrics, TaskStatus,
    TaskView, TasksByStatus, WorkerMetrics,
};
use store::{Query, by};
use types::{Agent, Mission, StateName};

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
            workers: WorkerMetrics::default(),
            tasks: self.task_metrics(),
            agents: self.store.count(by::agent::ALL),
            chats: 0,
            messages: 0,
            restarts: RestartMetrics::default(),
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
            workers: Vec::new(),
        })
    }
}

impl Service {
    /// Asks the store before it says that all is well.
    pub(super) async fn health(&self) -> Result<Health> {
        self.store.ping().await?;
        Ok(Health {
            status: "ok".to_owned(),
            version: self.facts.version.clone(),
            persistence: self.facts.persistence.clone(),
            db_path: self.facts.database.clone(),
            agents: self.store.count(by::agent::ALL),
            chats: 0,
            messages: 0,
            workers: 0,
        })
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
