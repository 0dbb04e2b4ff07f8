//! The task tree: the only place where the product spawns.
//!
//! Every task has a [`Kind`] and a name; the tree catches its panic, deals with its failure as the kind says, lists it
//! while it lives and stops it in its phase. It never restarts a task: whoever wants that loops inside one. The order
//! of a shutdown is in [`crate::Report`]'s module.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::kind::{Cancel, Failure, Kind, Phase};
use crate::signal::Signal;

/// Spawns tasks, knows which are alive, and stops them in order.
///
/// A cheap handle: clones are the same tree.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) clock: Clock,
    pub(crate) phases: [CancellationToken; Phase::ALL.len()],
    /// Cancelled when nobody wants to wait for the rest of the grace period.
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

/// Tells a task that it is time to end.
#[derive(Debug, Clone)]
pub struct Stop(CancellationToken);

/// A spawned task, for whoever wants to stop or await this one alone; dropping it changes nothing.
#[derive(Debug, Clone)]
pub struct Task {
    stop: CancellationToken,
    ended: CancellationToken,
}

/// A task that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// The name it was spawned under.
    pub name: String,
    /// What sort of task it is.
    pub kind: Kind,
    /// When in a shutdown it is stopped.
    pub phase: Phase,
    /// How long ago it was spawned.
    pub age: Duration,
}

/// Why the server stops.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// Somebody outside asked.
    Signal(Signal),
    /// A command of a user asked, in its own words.
    Asked(String),
    /// A task that the server cannot do without has failed.
    TaskFailed {
        /// The name it was spawned under.
        task: String,
        /// Its error with all causes, or the message of its panic.
        error: String,
    },
}

/// What a task may return: nothing, or a result whose error the tree deals with.
pub trait Outcome {
    /// Returns the error with all its causes, if there is one.
    fn error(self) -> Option<String>;
}

impl Tree {
    /// Makes an empty tree that measures ages and the grace period on `clock`.
    #[must_use]
    pub fn new(clock: Clock) -> Self {
        let inner = Inner {
            clock,
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
        let started = self.inner.clock.monotonic();

        // The lock is held over the spawn, so that a task which ends at once finds its entry to remove.
        let mut tasks = self.inner.tasks();
        let id = tasks.next;
        tasks.next += 1;
        let place = Place { inner: Arc::clone(&self.inner), id, ended: ended.clone() };
        let running = run(place, kind, name.clone(), stop.clone(), task);
        let abort = start(running);
        tasks.live.insert(id, Entry { name, kind, started, abort });
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
        tracing::error!(task = name, ?kind, %error, "task failed");
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
struct Place {
    inner: Arc<Inner>,
    id: u64,
    ended: CancellationToken,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.inner.tasks().live.remove(&self.id);
        self.ended.cancel();
        self.inner.ended.notify_waiters();
    }
}

async fn run<F>(
    place: Place,
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
    let end = match kind.rules().cancel {
        Cancel::Wait => caught.await,
        Cancel::Abort => tokio::select! {
            biased;
            () = stop.cancelled() => Ok(None),
            end = caught => end,
        },
    };
    match end {
        Ok(None) => tracing::trace!(task = %name, "task ended"),
        Ok(Some(error)) => place.inner.failed(kind, &name, error),
        Err(panic) => place.inner.failed(kind, &name, format!("panicked: {}", panic_message(&*panic))),
    }
}

#[expect(clippy::disallowed_methods, reason = "the one spawn, behind Tree::spawn")]
fn start(future: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
    tokio::spawn(future).abort_handle()
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("with something that is not text")
}

impl Stop {
    /// Waits until the task is asked to end.
    pub async fn asked(&self) {
        self.0.cancelled().await;
    }

    /// Says whether the task has been asked to end.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.is_cancelled()
    }
}

impl Task {
    /// Asks this one task to end, as its kind says.
    pub fn cancel(&self) {
        self.stop.cancel();
    }

    /// Waits until the task is gone, however it ended.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }
}

impl Outcome for () {
    fn error(self) -> Option<String> {
        None
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> Outcome for Result<(), E> {
    fn error(self) -> Option<String> {
        let error: Box<dyn Error + Send + Sync> = self.err()?.into();
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(inner) = cause {
            text.push_str(": ");
            text.push_str(&inner.to_string());
            cause = inner.source();
        }
        Some(text)
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(signal) => write!(f, "{signal} signal"),
            Self::Asked(why) => f.write_str(why),
            Self::TaskFailed { task, error } => write!(f, "task `{task}` failed: {error}"),
        }
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
