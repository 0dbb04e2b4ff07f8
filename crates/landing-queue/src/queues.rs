//! Which queues there are: reads in the feed which landings join one, and starts or wakes the worker of that queue.
//!
//! A worker is woken, never waited for. The feed announces every landing that joins; reading all queues now and then is
//! only there for a worker that failed.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::{Kind, Stop, Tree};
use store::{Query, by};
use tokio::sync::Notify;
use types::{Event, Landing, LandingState, LandingStateName, MissionId, Publication};

use crate::landings::{Landings, Parts};
use crate::{Result, log_lines, worker};

/// How often all queues are read, whatever the feed says.
const READ_ALL_EVERY: Duration = Duration::from_secs(60);

/// Landings read at once.
const PAGE: usize = 100;

/// What one worker works on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum QueueKey {
    /// The branches that land on one target branch of a repository; without one, those whose target is not known yet.
    Target { folder: String, target: Option<String> },
    /// What landed in a repository and is to be pushed or to become a pull request.
    Publication { folder: String },
}

impl fmt::Display for QueueKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Target { folder, target: Some(target) } => write!(f, "{folder}, onto {target}"),
            Self::Target { folder, target: None } => write!(f, "{folder}, onto a target that is not known yet"),
            Self::Publication { folder } => write!(f, "{folder}, to its remote"),
        }
    }
}

/// All queues; clones are the same.
#[derive(Debug, Clone)]
pub struct LandingQueues(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    landings: Landings,
    tree: Tree,
    workers: Mutex<HashMap<QueueKey, Wakeup>>,
    /// Missions whose agents work on what was sent back, and the queues that they left.
    returned: Mutex<HashMap<MissionId, QueueKey>>,
}

/// Wakes a worker.
#[derive(Debug, Default)]
struct Wakeup {
    /// Whether something has changed since the worker last began a turn.
    pending: bool,
    /// Whether a person asked for another try since then, so that what was red is checked again.
    check_again: bool,
    notify: Arc<Notify>,
}

impl Wakeup {
    fn wake(&mut self) {
        self.pending = true;
        self.notify.notify_one();
    }
}

impl QueueKey {
    fn target(landing: &Landing) -> Self {
        Self::Target { folder: landing.folder.clone(), target: landing.rules.target.clone() }
    }

    /// Returns the queue that a landing is in, if it is in one.
    pub(crate) fn of(landing: &Landing) -> Option<Self> {
        match (&landing.state, &landing.publication) {
            (
                LandingState::Queued { .. }
                | LandingState::Waiting { .. }
                | LandingState::Cleared { .. }
                | LandingState::Returned { .. },
                _,
            ) => Some(Self::target(landing)),
            (LandingState::Landed { .. }, Some(Publication::Pending { .. })) => {
                Some(Self::Publication { folder: landing.folder.clone() })
            }
            (
                LandingState::Landed { .. }
                | LandingState::Review { .. }
                | LandingState::Stuck { .. }
                | LandingState::Dropped { .. },
                _,
            ) => None,
        }
    }
}

impl LandingQueues {
    /// Puts the parts together; nothing lands before [`LandingQueues::run`].
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let Parts { store, clock, settings, sessions, workspaces, lander, tree } = parts;
        let landings = Landings { store, clock, settings, sessions, workspaces, lander };
        let (workers, returned) = (Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { landings, tree, workers, returned }))
    }

    pub(crate) fn landings(&self) -> &Landings {
        &self.0.landings
    }

    /// Starts and wakes workers until it is asked to stop.
    pub async fn run(&self, stop: &Stop) {
        let (store, clock) = (&self.landings().store, &self.landings().clock);
        // Followed before all queues are read, so that a landing that joins in between is seen.
        let mut tail = store.tail(store.position());
        let mut read = self.read_all().await;
        loop {
            if let Err(error) = &read {
                tracing::error!(%error, "cannot read the landings; they are read again");
            }
            read = tokio::select! {
                biased;
                () = stop.asked() => return,
                next = tail.next() => match next {
                    Ok(entry) => self.take_in(&entry.change.events).await,
                    Err(error) => Err(error.into()),
                },
                () = clock.sleep(READ_ALL_EVERY) => self.read_all().await,
            };
            if read.is_err() {
                // A store that fails is given a moment.
                clock.sleep(worker::RETRY_AFTER).await;
            }
        }
    }

    async fn take_in(&self, events: &[Event]) -> Result<()> {
        for event in events {
            if let Event::LandingMoved { landing, mission, from, to } = event {
                if *to != LandingStateName::Returned {
                    self.returned().remove(mission);
                }
                let landing = self.landings().store.get::<Landing>(landing).await?;
                let landing = landing.filter(|landing| landing.state.name() == *to);
                if let Some(landing) = &landing {
                    log_lines::log(landing, *from);
                    self.wake_for(landing);
                    if is_retry(*from, *to) {
                        self.check_again(&QueueKey::target(landing));
                    }
                }
            }
            if let Event::MissionMoved { mission, .. } = event {
                let queue = self.returned().get(mission).cloned();
                queue.into_iter().for_each(|queue| self.wake_or_start(queue));
            }
        }
        Ok(())
    }

    /// Wakes the worker of every queue that is not empty.
    async fn read_all(&self) -> Result<()> {
        let states = [LandingStateName::IN_QUEUE.to_vec(), vec![LandingStateName::Returned]].concat();
        let groups: Vec<String> = states.into_iter().map(by::landing::state).collect();
        for groups in [groups, vec![by::landing::publishing()]] {
            let mut query = Query { groups, ..Query::earliest(String::new(), PAGE) };
            loop {
                let page = self.landings().store.list::<Landing>(query.clone()).await?;
                page.records.iter().for_each(|landing| self.wake_for(landing));
                query.after = page.next;
                if query.after.is_none() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn wake_for(&self, landing: &Landing) {
        if landing.state.name() == LandingStateName::Dropped {
            // A worker that checks it need not continue.
            return self.wake(&QueueKey::target(landing));
        }
        let Some(queue) = QueueKey::of(landing) else { return };
        if landing.state.name() == LandingStateName::Returned {
            self.returned().insert(landing.mission.clone(), queue.clone());
        }
        self.wake_or_start(queue);
    }

    /// Wakes the worker of a queue, if there is one.
    fn wake(&self, queue: &QueueKey) {
        if let Some(wakeup) = self.workers().get_mut(queue) {
            wakeup.wake();
        }
    }

    /// Wakes the worker of a queue; starts one if there is none.
    fn wake_or_start(&self, queue: QueueKey) {
        let mut workers = self.workers();
        if let Some(wakeup) = workers.get_mut(&queue) {
            return wakeup.wake();
        }
        workers.insert(queue.clone(), Wakeup { pending: true, ..Wakeup::default() });
        drop(workers);
        let queues = self.clone();
        let name = match &queue {
            QueueKey::Target { folder, target } => {
                format!("land in {folder} on {}", target.as_deref().unwrap_or("no branch"))
            }
            QueueKey::Publication { folder } => format!("publish what landed in {folder}"),
        };
        // May be cut short at any await: what is queued stays queued.
        self.0.tree.spawn(Kind::Chore, name, move |_| async move {
            let guard = WorkerGuard { queues: queues.clone(), queue: queue.clone() };
            worker::work(&queues, &queue).await;
            drop(guard);
        });
    }

    /// Says that a worker begins a turn, which takes in all wakeups so far.
    pub(crate) fn begin(&self, queue: &QueueKey) {
        if let Some(wakeup) = self.workers().get_mut(queue) {
            wakeup.pending = false;
        }
    }

    /// Says that what was red in a queue is to be checked again.
    fn check_again(&self, queue: &QueueKey) {
        if let Some(wakeup) = self.workers().get_mut(queue) {
            wakeup.check_again = true;
        }
    }

    /// Returns whether what was red is to be checked again, once for each time that was asked.
    pub(crate) fn take_check_again(&self, queue: &QueueKey) -> bool {
        self.workers().get_mut(queue).is_some_and(|wakeup| std::mem::take(&mut wakeup.check_again))
    }

    /// Removes the worker of an empty queue; false if it was woken meanwhile.
    pub(crate) fn remove_idle(&self, queue: &QueueKey) -> bool {
        let mut workers = self.workers();
        let pending = workers.get(queue).is_some_and(|wakeup| wakeup.pending);
        if !pending {
            workers.remove(queue);
        }
        !pending
    }

    /// Waits until the worker has been woken since it began its turn.
    pub(crate) async fn woken(&self, queue: &QueueKey) {
        while !self.workers().get(queue).is_some_and(|wakeup| wakeup.pending) {
            self.notified(queue).await;
        }
    }

    /// Waits for the next wakeup.
    pub(crate) async fn notified(&self, queue: &QueueKey) {
        let notify = self.workers().get(queue).map(|wakeup| Arc::clone(&wakeup.notify));
        match notify {
            Some(notify) => notify.notified().await,
            None => std::future::pending().await,
        }
    }

    fn workers(&self) -> MutexGuard<'_, HashMap<QueueKey, Wakeup>> {
        self.0.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn returned(&self) -> MutexGuard<'_, HashMap<MissionId, QueueKey>> {
        self.0.returned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a person put a landing into the queue again.
fn is_retry(from: Option<LandingStateName>, to: LandingStateName) -> bool {
    let stopped = [LandingStateName::Waiting, LandingStateName::Stuck, LandingStateName::Dropped];
    to == LandingStateName::Queued && from.is_some_and(|from| stopped.contains(&from))
}

/// Removes a worker that panics, so that another can be started.
struct WorkerGuard {
    queues: LandingQueues,
    queue: QueueKey,
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.queues.workers().remove(&self.queue);
        }
    }
}
