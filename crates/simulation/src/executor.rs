//! Tasks on one thread, polled one at a time in an order that the seed decides; a crash drops those of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use runtime::{Rng, Spawn, TaskFuture};

/// Whose a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// The world's: it outlives the server.
    World,
    /// The server's: it goes with it.
    Server,
}

type Job = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Lets tasks begin others.
#[derive(Clone, Default)]
pub(crate) struct Spawner(Arc<Mutex<Shared>>);

#[derive(Default)]
struct Shared {
    begun: Vec<(Group, Job)>,
    woken: BTreeSet<u64>,
}

#[derive(Default)]
pub(crate) struct Executor {
    spawner: Spawner,
    tasks: BTreeMap<u64, (Group, Job)>,
    next: u64,
}

struct Bell {
    task: u64,
    spawner: Spawner,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.spawner.shared().woken.insert(self.task);
    }
}

impl std::fmt::Debug for Spawner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Spawner")
    }
}

impl Spawner {
    pub(crate) fn begin(&self, group: Group, job: impl Future<Output = ()> + Send + 'static) {
        // Tokio would make a task give way after so many steps, and so take the choice from the seed.
        self.shared().begun.push((group, Box::pin(tokio::task::unconstrained(job))));
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tasks of the shipped code are the server's.
impl Spawn for Spawner {
    fn spawn(&self, task: TaskFuture) {
        self.begin(Group::Server, task);
    }
}

impl Executor {
    pub(crate) fn spawner(&self) -> Spawner {
        self.spawner.clone()
    }

    /// Polls one task that can go on; tells whether there was one.
    pub(crate) fn step(&mut self, rng: &Rng) -> bool {
        self.admit();
        let Some(task) = self.choose(rng) else { return false };
        let Some((_, job)) = self.tasks.get_mut(&task) else { return true };
        let waker = Waker::from(Arc::new(Bell { task, spawner: self.spawner.clone() }));
        if let Poll::Ready(()) = job.as_mut().poll(&mut Context::from_waker(&waker)) {
            self.tasks.remove(&task);
        }
        true
    }

    /// Tells whether nobody can go on.
    pub(crate) fn is_idle(&self) -> bool {
        let shared = self.spawner.shared();
        shared.begun.is_empty() && shared.woken.is_empty()
    }

    /// Drops everything that is the server's, where it stands.
    pub(crate) fn crash(&mut self) {
        self.admit();
        let gone: Vec<_> = self.tasks.extract_if(.., |_, (group, _)| *group == Group::Server).collect();
        drop(gone);
        self.spawner.shared().begun.retain(|(group, _)| *group != Group::Server);
    }

    fn admit(&mut self) {
        let mut shared = self.spawner.shared();
        for (group, job) in std::mem::take(&mut shared.begun) {
            self.tasks.insert(self.next, (group, job));
            shared.woken.insert(self.next);
            self.next += 1;
        }
    }

    fn choose(&self, rng: &Rng) -> Option<u64> {
        let mut shared = self.spawner.shared();
        let chosen = rng.below(shared.woken.len() as u64) as usize;
        let task = shared.woken.iter().nth(chosen).copied()?;
        shared.woken.remove(&task);
        Some(task)
    }
}
