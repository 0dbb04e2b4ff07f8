//! The task tree: the only place where the product spawns.
//!
//! Every task has a [`Kind`] and a name; the tree catches its panic, deals with its failure as the kind says, lists it
//! while it lives and stops it in its phase. It never restarts a task: a task that should restart loops. The order
//! of a shutdown is in [`crate::Report`]'s module.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{AbortHandle, AbortRegistration, Abortable};
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::kind::{Cancel, Failure, Kind, Phase};
use crate::task::{Live, Outcome, Stop, StopReason, Task};

/// Spawns tasks, knows which are alive, and stops them in order.
///
/// A cheap handle: clones are the same tree.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(crate) inner: Arc<Inner>,
}

/// A task of a tree.
pub type TaskFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs the tasks of a tree. The server's run on tokio; a simulation runs them in an order of its own.
pub trait Spawn: std::fmt::Debug + Send + Sync {
    /// Runs a task until it ends or is dropped.
    fn spawn(&self, task: TaskFuture);
}

#[derive(Debug)]
struct Tokio;

impl Spawn for Tokio {
    #[expect(clippy::disallowed_methods, reason = "the one spawn, behind Tree::spawn")]
    fn spawn(&self, task: TaskFuture) {
        drop(tokio::spawn(task));
    }
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) clock: Clock,
    spawner: Arc<dyn Spawn>,
    pub(crate) phases: [CancellationToken; Phase::ALL.len()],
    /// Cancelled to skip the rest of the grace period.
    pub(crate) hurry: CancellationToken,
    pub(crate) reason: watch::Sender<Option<StopReason>>,
    /// Rings whenever a task has ended.
    pub(crate) ended: Notify,
    tasks: Mutex<Tasks>,
}

#[derive(Debug, Default)]
struct Tasks {
    next: u64,
    live: BTreeMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    name: Cow<'static, str>,
    kind: Kind,
    started: Duration,
    abort: AbortHandle,
}

impl Tree {
    /// Makes an empty tree that measures ages and the grace period on `clock`.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        Self::run_by(Arc::new(Tokio), clock)
    }

    /// Makes an empty tree whose tasks a given spawner runs.
    #[must_use]
    pub fn run_by(spawner: Arc<dyn Spawn>, clock: Clock) -> Self {
        let inner = Inner {
            clock,
            spawner,
            phases: Default::default(),
            hurry: CancellationToken::new(),
            reason: watch::Sender::new(None),
            ended: Notify::new(),
            tasks: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Spawns the future that `task` makes of its [`Stop`].
    ///
    /// A task spawned when its phase has already been stopped begins with the stop already asked for.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn<F>(
        &self,
        kind: Kind,
        name: impl Into<Cow<'static, str>>,
        task: impl FnOnce(Stop) -> F + Send + 'static,
    ) -> Task
    where
        F: Future + Send + 'static,
        F::Output: Outcome,
    {
        let name = name.into();
        let stop = self.inner.phases[kind.rules().phase.index()].child_token();
        let ended = CancellationToken::new();
        let (abort, abortable) = AbortHandle::new_pair();

        // Entered before it is spawned, and with no lock held over the spawn: a runtime that is going away drops the
        // future at once, which gives up the entry.
        let id = self.inner.enter(Entry { name: name.clone(), kind, started: self.inner.clock.monotonic(), abort });
        let place = Registration { inner: Arc::clone(&self.inner), id, ended: ended.clone() };
        self.inner.spawner.spawn(Box::pin(run(place, abortable, kind, name, stop.clone(), task)));
        Task { stop, ended }
    }

    /// Returns the stop that tasks of this kind are given, for code that runs outside the tree.
    #[must_use]
    pub fn stop_of(&self, kind: Kind) -> Stop {
        Stop(self.inner.phases[kind.rules().phase.index()].clone())
    }

    /// Lists the tasks that have not ended, oldest first.
    #[must_use]
    pub fn live(&self) -> Vec<Live> {
        let now = self.inner.clock.monotonic();
        let listed = |entry: &Entry| Live {
            name: entry.name.to_string(),
            kind: entry.kind,
            phase: entry.kind.rules().phase,
            age: now.saturating_sub(entry.started),
        };
        self.inner.tasks().live.values().map(listed).collect()
    }

    /// Asks for a shutdown; the first reason given is the one that is kept.
    pub fn request_stop(&self, reason: StopReason) {
        self.inner.request_stop(reason);
    }

    /// Waits until a shutdown has been asked for, by [`Tree::request_stop`] or by the failure of a task.
    pub async fn stop_requested(&self) -> StopReason {
        let mut reasons = self.inner.reason.subscribe();
        loop {
            if let Some(reason) = reasons.borrow_and_update().clone() {
                return reason;
            }
            if reasons.changed().await.is_err() {
                // The sender lives as long as `self`.
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Inner {
    fn enter(&self, entry: Entry) -> u64 {
        let mut tasks = self.tasks();
        let id = tasks.next;
        tasks.next += 1;
        tasks.live.insert(id, entry);
        id
    }

    /// Aborts every task of these phases that is still alive and returns their names, oldest first.
    pub(crate) fn abort(&self, phases: &[Phase]) -> Vec<String> {
        let tasks = self.tasks();
        let hit = tasks.live.values().filter(|entry| phases.contains(&entry.kind.rules().phase));
        hit.map(|entry| {
            entry.abort.abort();
            entry.name.to_string()
        })
        .collect()
    }

    pub(crate) fn any_live(&self, phases: &[Phase]) -> bool {
        self.tasks().live.values().any(|entry| phases.contains(&entry.kind.rules().phase))
    }

    fn request_stop(&self, reason: StopReason) {
        self.reason.send_if_modified(|kept| {
            let first = kept.is_none();
            kept.get_or_insert(reason);
            first
        });
    }

    fn failed(&self, kind: Kind, name: &str, error: String) {
        tracing::error!(task = name, kind = kind.as_str(), %error, "task failed");
        match kind.rules().failure {
            Failure::Log => {}
            Failure::StopServer => self.request_stop(StopReason::TaskFailed { task: name.to_owned(), error }),
        }
    }

    /// The table is whole between any two statements, so the panic of a holder does no harm.
    fn tasks(&self) -> MutexGuard<'_, Tasks> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A task's line in the table, given up when its future is dropped for whatever reason.
struct Registration {
    inner: Arc<Inner>,
    id: u64,
    ended: CancellationToken,
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.inner.tasks().live.remove(&self.id);
        self.ended.cancel();
        self.inner.ended.notify_waiters();
    }
}

async fn run<F>(
    place: Registration,
    abortable: AbortRegistration,
    kind: Kind,
    name: Cow<'static, str>,
    stop: CancellationToken,
    task: impl FnOnce(Stop) -> F + Send + 'static,
) where
    F: Future + Send,
    F::Output: Outcome,
{
    let own = Stop(stop.clone());
    // Whatever the task shared with others is theirs to distrust: locks are poisoned, channels closed.
    let caught = AssertUnwindSafe(async move { task(own).await.error() }).catch_unwind();
    let until_cancelled = async move {
        match kind.rules().cancel {
            Cancel::Wait => caught.await,
            Cancel::Abort => tokio::select! {
                biased;
                () = stop.cancelled() => Ok(None),
                end = caught => end,
            },
        }
    };
    match Abortable::new(until_cancelled, abortable).await {
        Ok(Ok(None)) => tracing::trace!(task = %name, "task ended"),
        Ok(Ok(Some(error))) => place.inner.failed(kind, &name, error),
        Ok(Err(panic)) => place.inner.failed(kind, &name, format!("panicked: {}", panic_message(&*panic))),
        // The code that aborted it has named it.
        Err(_) => {}
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("with something that is not text")
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
