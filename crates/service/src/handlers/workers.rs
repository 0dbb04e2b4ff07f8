//! Workers under `/orchestrate`.

use std::time::Duration;

use agents::external::External;
use api::claude_fleet::{
    DismissWorker, GetWorkerOutput, ListWorkers, RegisterWorker, ReportWorkerOutput, ReportedOutput, SendToWorker,
    SentToWorker, SpawnWorker, SpawnedWorker, WorkerDone, WorkerOutput, WorkerView,
};
use api::devfleet::DeliveryStatus;
use api::{Code, Error, Listing};
use serde_json::Value;
use sessions::NewSession;
use store::{Query, by};
use tokens::Member;
use types::{Delivery, Handle as Name, Limits, Order, Place, Rank, Role, Session, Stay};

use super::LIST_MAX;
use super::worker_start::{state, team};
use crate::{Caller, Handle, Result, Service};

/// Most lines of a worker's output that are shown.
const OUTPUT_LINES_MAX: usize = 100;

/// How long a message is followed until the worker's input has it.
const HAND_OVER: Duration = Duration::from_secs(2);

/// How long it is followed after that: one with nothing to do says at once that it has it.
const ACKNOWLEDGE: Duration = Duration::from_millis(250);

impl Handle<SpawnWorker> for Service {
    async fn handle(&self, caller: &Caller, op: SpawnWorker) -> Result<SpawnedWorker> {
        let session = self.spawn_worker(caller.member()?, op).await?;
        Ok(self.spawned(&session))
    }
}

impl Handle<ListWorkers> for Service {
    async fn handle(&self, caller: &Caller, _: ListWorkers) -> Result<Listing<WorkerView>> {
        let member = caller.member()?;
        let group = if member.role == Role::Owner { by::session::live() } else { by::session::team_live(&member.team) };
        let who = self.viewer(member);
        let live = |session: &Session| session.state.is_live() && who.sees(session);
        let found = self.first(Query::earliest(group, LIST_MAX), live).await?;
        let mut views = Vec::with_capacity(found.len());
        for session in &found {
            views.push(self.worker_view(session, self.asks_of(session).await?.as_ref()));
        }
        Ok(Listing::whole(views))
    }
}

impl Handle<SendToWorker> for Service {
    async fn handle(&self, caller: &Caller, op: SendToWorker) -> Result<SentToWorker> {
        self.tell_worker(caller.member()?, op.handle, &op.message).await
    }
}

impl Handle<GetWorkerOutput> for Service {
    async fn handle(&self, caller: &Caller, op: GetWorkerOutput) -> Result<WorkerOutput> {
        let session = self.last_worker(caller.member()?, &op.handle).await?;
        let state = state(&session, self.sessions.live(&session.id).as_ref());
        let output = self.sessions.output(&session, OUTPUT_LINES_MAX).await?;
        Ok(WorkerOutput { handle: op.handle, state, output, session: session.id })
    }
}

impl Handle<DismissWorker> for Service {
    async fn handle(&self, caller: &Caller, op: DismissWorker) -> Result<WorkerDone> {
        let member = caller.member()?;
        let session = self.worker(member, &op.handle).await?;
        self.sessions.stop(&session.id, &member.handle).await?;
        Ok(WorkerDone { success: true, handle: op.handle })
    }
}

impl Handle<RegisterWorker> for Service {
    async fn handle(&self, caller: &Caller, op: RegisterWorker) -> Result<SpawnedWorker> {
        let member = caller.member()?;
        let team = team(member, op.team_name)?;
        if let Some(found) = self.sessions.named(&team, &op.handle).await? {
            return Ok(self.spawned(&found));
        }
        let folder = self.folder(op.working_dir.as_deref())?;
        let stamp = self.stamp(member, &team);
        let order = external(folder, op.swarm_id);
        let new = NewSession { handle: Some(op.handle), ..NewSession::new(team, order) };
        let session = self.sessions.spawn(new, &stamp).await?;
        Ok(self.spawned(&session))
    }
}

impl Handle<ReportWorkerOutput> for Service {
    async fn handle(&self, caller: &Caller, op: ReportWorkerOutput) -> Result<ReportedOutput> {
        let events: Vec<Value> = op.event.into_iter().chain(op.events.into_iter().flatten()).collect();
        if events.is_empty() {
            return Err(Error::new(Code::FIELDS_INVALID, "event or events is required").into());
        }
        let session = self.worker(caller.member()?, &op.handle).await?;
        let count = events.len();
        let line = |event: Value| match event {
            Value::String(text) => text,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => event.to_string(),
        };
        self.sessions.report(&session.id, events.into_iter().map(line).collect()).await?;
        Ok(ReportedOutput { success: true, count })
    }
}

impl Service {
    /// Stores a message for a worker and follows it for a moment.
    async fn tell_worker(&self, member: &Member, handle: Name, text: &str) -> Result<SentToWorker> {
        let session = self.worker(member, &handle).await?;
        let stamp = self.stamp(member, &session.team);
        let letter = self.sessions.write(&session.id, text, &stamp).await?;
        let letter = self.sessions.followed(letter, HAND_OVER, |delivery| *delivery != Delivery::Queued).await?;
        let settled = |delivery: &Delivery| match delivery {
            Delivery::Queued | Delivery::Delivered { .. } => false,
            Delivery::Acknowledged { .. } | Delivery::Undelivered { .. } => true,
        };
        let letter = match letter.delivery {
            Delivery::Delivered { .. } => self.sessions.followed(letter, ACKNOWLEDGE, settled).await?,
            Delivery::Queued | Delivery::Acknowledged { .. } | Delivery::Undelivered { .. } => letter,
        };
        if let Delivery::Undelivered { why } = &letter.delivery {
            let message = format!("Worker '{handle}' did not take the message: {why}");
            let hint = format!("See how it is: `fleet session show {}`.", session.id);
            return Err(Error::new(Code::SESSION_NOT_RUNNING, message).hint(hint).into());
        }
        let delivery = DeliveryStatus::from(&letter.delivery);
        Ok(SentToWorker { success: true, handle, delivery, message_id: letter.id })
    }
}

/// What is said of an agent that others run.
fn external(folder: String, swarm: Option<String>) -> Order {
    Order {
        agent: External::NAME.to_owned(),
        model: None,
        title: None,
        prompt: String::new(),
        again: None,
        system_prompt: None,
        allowed_tools: None,
        preset: None,
        limits: Limits::default(),
        place: Place::InPlace { folder },
        stay: Stay::UntilDismissed,
        retries_max: None,
        waits: None,
        context_mode: false,
        args: Vec::new(),
        sandbox: types::SandboxRules::default(),
        rank: Rank { swarm, ..Rank::default() },
    }
}
